//! The shell commands, one row each: `%layout x`, `?name`, `!ls`.

mod about;
mod address;
mod apropos;
mod drawing;
mod explain;
pub mod footer;
pub mod help;
mod layout;
mod lesson;
pub mod notes;
mod origin;
pub mod pager;
pub mod predict;
mod reader;
pub(in crate::repl) mod record;
pub mod rewind;
mod run;
mod shapes;
mod shell;
mod step;
mod switch;
mod time;
mod timeit;
mod topics;
pub mod trace;
mod tree;
mod values;
mod watch;
mod who;
mod why;

pub(in crate::repl) use reader::Kept;

use super::shell::TsrShell;
use crate::diag::{Diagnostic, ErrorClass, Source, did_you_mean};
use crate::lang::Interp;
use crate::show::Doc;
use crate::syntax::ast::ShellCommand;
use crate::value::{Outcome, Raise};

/// One command.
pub struct Command {
    /// Its word.
    pub name: &'static str,
    /// How it is typed.
    pub usage: &'static str,
    /// What it does; the first sentence stands in lists.
    pub help: &'static str,
    run: fn(&mut Call) -> Outcome<()>,
}

impl Command {
    /// True when it shows a picture, which can be told and written to a file.
    pub fn draws(&self) -> bool {
        drawing::draws(self.name)
    }

    /// The words of its own that may stand behind its name: flags, `on` and `off`.
    pub fn words(&self) -> impl Iterator<Item = &'static str> {
        let own =
            self.usage.split([' ', '[', ']', '|']).filter(|word| word.starts_with("--") || ["on", "off", "auto"].contains(word));
        own.chain(drawing::FLAGS.into_iter().filter(|_| self.draws()))
    }
}

/// What a command is called with.
struct Call<'a> {
    shell: &'a TsrShell,
    interp: &'a mut Interp,
    /// What stands behind the word.
    rest: &'a str,
    /// What was drawn so far, when it goes to a file.
    kept: Option<Doc>,
}

impl Call<'_> {
    fn print(&mut self, doc: &Doc) {
        match &mut self.kept {
            Some(kept) => {
                kept.append(doc);
            }
            None => self.shell.print(self.interp, doc),
        }
    }

    fn width(&self) -> usize {
        self.shell.look.get().width
    }
}

/// All commands.
pub static COMMANDS: &[Command] = &[
    Command {
        name: "layout",
        usage: "%layout [--cells FROM:TO] [--bytes] [--arrows] [--no-arrows] TENSOR, ...",
        help: "Draw storages, and under each cell the index that reaches it.\n\
               Several tensors over one storage are drawn under one row of cells. 0,1+2 says that\n\
               index (0, 1) and two more reach a cell; · that none does. A large storage is elided;\n\
               --cells picks the cells to draw. --arrows draws the offset and the strides as arrows,\n\
               which a small storage with one name has unasked, and --no-arrows leaves them out.\n\
               --bytes draws bytes, so that tensors of several dtypes over one storage can be compared.",
        run: layout::run,
    },
    Command {
        name: "who",
        usage: "%who [--storage]",
        help: "List the variables, and which of them share a storage.\n\
               With --storage a table of the storages: how often each was written, and how much of\n\
               it each variable reaches.",
        run: who::run,
    },
    Command {
        name: "trace",
        usage: "%trace [--cells] STATEMENT | %trace on | %trace off",
        help: "Run a statement and show what each operation did to memory.\n\
               With `on`, do that after every statement until `off`. A step that begins with a dot or\n\
               an operator goes on with what the step before gave; (1) is what step 1 gave. --cells\n\
               draws the storages instead, and which cells each step reaches by which index.",
        run: trace::trace,
    },
    Command {
        name: "meter",
        usage: "%meter STATEMENT | %meter on | %meter off",
        help: "Run a statement and say how many bytes it made, copied and shared.\n\
               With `on`, do that after every statement until `off`.",
        run: trace::meter,
    },
    Command {
        name: "shapes",
        usage: "%shapes EXPRESSION",
        help: "Show dtype and size of every part of an expression, the operands under their places.\n\
               The expression is evaluated once; with `name = EXPRESSION` the name is assigned.",
        run: shapes::run,
    },
    Command {
        name: "type",
        usage: "%type EXPRESSION",
        help: "Say what an expression gives: dtype, size and stride of a tensor, without its elements.\n\
               Of tuples, lists and dicts each entry has a line. The expression is evaluated once.",
        run: tree::kind,
    },
    Command {
        name: "info",
        usage: "%info TENSOR",
        help: "Say in short what values a tensor has: range, mean, zeros, nan and inf, and how they are spread.\n\
               min, max, mean and std are those of the finite elements. Of complex numbers the magnitudes\n\
               are ordered, of a sparse tensor the stored values.",
        run: values::info,
    },
    Command {
        name: "show",
        usage: "%show TENSOR",
        help: "Draw a tensor of up to four dims as slabs of two, each under the index that gives it.\n\
               Long dims are elided, and slabs stand side by side where there is room. A tensor of more\n\
               dims needs an index for the first ones: %show x[0].",
        run: values::show,
    },
    Command {
        name: "heat",
        usage: "%heat TENSOR",
        help: "Draw a matrix as an image, dark to light from its least element to its largest.\n\
               The line below it says what the range is. Where there are fewer pixels than elements, each is\n\
               the mean of some, and that is said. n marks nan. Without colour a character is denser the\n\
               larger the number.",
        run: values::heat,
    },
    Command {
        name: "views",
        usage: "%views TENSOR",
        help: "List other sizes that a tensor can have for nothing, and those that would be copied.\n\
               Not all of them: dims joined, split, exchanged, added and dropped, each with its size, its\n\
               stride and its price.",
        run: values::views,
    },
    Command {
        name: "tree",
        usage: "%tree EXPRESSION",
        help: "Show what is in a value, a line per entry, and which tensors in it share a storage.\n\
               Lists, tuples, dicts and named tuples are entered; a value that is met again is named and\n\
               not entered again. Long and deep ones are elided.",
        run: tree::tree,
    },
    Command {
        name: "origin",
        usage: "%origin TENSOR",
        help: "List the views that led to a tensor, and what each did to size, stride and offset.",
        run: origin::run,
    },
    Command {
        name: "explain",
        usage: "%explain x.view(SIZES) | x[INDEX] | a + b | a @ b | f(x) | x += y | x[INDEX] = y",
        help: "Say why an operation on tensors is possible or not, and what it does to memory.\n\
               x.view(...) shows the walk over the cells and where it breaks, x[...] what each index\n\
               does to size, stride and offset, a + b how sizes and dtypes are lined up, a @ b which\n\
               dims are summed, x.sum(1) which go, torch.cat where each tensor goes, x += y who sees the\n\
               write. The operation is not done: only its parts are evaluated.",
        run: explain::run,
    },
    Command {
        name: "why",
        usage: "%why",
        help: "Explain the expression that failed last, with the operands it had.",
        run: why::run,
    },
    Command {
        name: "predict",
        usage: "%predict EXPRESSION",
        help: "Ask what an expression gives before it is shown, and compare.\n\
               Of a tensor its size, its stride, whether it shares memory, and of a small one its values; of\n\
               anything else the value. Enter passes over a question, Ctrl-D over all, and error says that it\n\
               is not possible. A usual mistake is named. The expression is evaluated once.",
        run: predict::run,
    },
    Command {
        name: "watch",
        usage: "%watch STATEMENT | %watch on | %watch off",
        help: "Run a statement and list the elements it changed, under every name that reaches them.\n\
               With `on`, do that after every statement until `off`.",
        run: watch::run,
    },
    Command {
        name: "rewind",
        usage: "%rewind [on|off]",
        help: "Keep the state before each statement, so that it can be taken back; alone, list the statements.\n\
               Variables, tensors, storages, lists, dicts, sets, settings and the random numbers become what\n\
               they were, after writes in place too. What files and functions keep does not. Storages are\n\
               copied when they were written, 256 MB of them at most: older statements are forgotten then.",
        run: rewind::rewind,
    },
    Command {
        name: "back",
        usage: "%back [N]",
        help: "Take back the last statement, or the last N.\n\
               %forward does them again, as long as no other statement is run. %rewind on begins it.",
        run: rewind::back,
    },
    Command {
        name: "forward",
        usage: "%forward [N]",
        help: "Go forward to where %back came from, a statement or N at a time.\n\
               Nothing is run again: the state is the one that was there.",
        run: rewind::forward,
    },
    Command {
        name: "goto",
        usage: "%goto N",
        help: "Go to the state after statement N, as %rewind counts them; 0 is before the first.",
        run: rewind::goto,
    },
    Command {
        name: "addr",
        usage: "%addr x[1, 2]",
        help: "Show the sum of offset and index * stride that leads to an element's cell.",
        run: address::addr,
    },
    Command {
        name: "cell",
        usage: "%cell #1[7]",
        help: "List the indices of every variable that reach a cell of a storage.",
        run: address::cell,
    },
    Command {
        name: "footer",
        usage: "%footer [on|off|auto]",
        help: "Say below a tensor that was shown what it is a view of, with size, stride and offset.\n\
               auto, which it begins with, says it at a terminal, of views whose tensor has a name and of\n\
               strides and offsets that are not those of a new tensor; on says it of every tensor.",
        run: footer::switch,
    },
    Command {
        name: "narrate",
        usage: "%narrate [on|off]",
        help: "Tell pictures and errors in sentences instead of drawing them.\n\
               So does NO_GRAPHICS=1 and tsr --narrate; --narrate behind a command is for that command\n\
               only. --svg FILE there writes its picture to a file, and --columns 60 makes it narrower.",
        run: drawing::narrate,
    },
    Command {
        name: "notes",
        usage: "%notes [on|off]",
        help: "Say once, at a terminal, what is often believed of tensors and is not so; list what was said.\n\
               After x.t().reshape(-1) that it copied, after y = x that nothing was copied, and the like. In\n\
               programs, transcripts and pipes nothing is said.",
        run: notes::run,
    },
    Command {
        name: "pager",
        usage: "%pager [auto|off]",
        help: "Show output of more than two screens page by page, at a terminal.\n\
               auto, which it begins with, hands it to the program that PAGER names, else to less or more:\n\
               there q leaves. What is printed by a program, and what goes to a file, is never held up.",
        run: pager::switch,
    },
    Command {
        name: "time",
        usage: "%time STATEMENT",
        help: "Run a statement and say how long it took and what it made and copied.",
        run: time::run,
    },
    Command {
        name: "timeit",
        usage: "%timeit STATEMENT",
        help: "Run a statement many times and say how long the best run took.\n\
               Where an operation takes notably longer because its operand does not lie in memory in the\n\
               order of its indices, that is said, with the price of a copy. What the statement assigns\n\
               stays, and its values are not shown.",
        run: timeit::run,
    },
    Command {
        name: "run",
        usage: "%run FILE [ARG ...]",
        help: "Run a program here: its variables are then the session's.\n\
               sys.argv is the file and what follows it while it runs.",
        run: run::run,
    },
    Command {
        name: "history",
        usage: "%history [N]",
        help: "List what was typed in this session, or the last N entries of it.",
        run: record::history,
    },
    Command {
        name: "save",
        usage: "%save [-f] FILE",
        help: "Write what was typed and did not fail into a file, as a program.\n\
               Run again, it makes the same variables; %run FILE does that here. A file that is there is\n\
               written over with -f only.",
        run: record::save,
    },
    Command {
        name: "reset",
        usage: "%reset [-f]",
        help: "Forget all variables, and give their memory back.\n\
               It asks first, unless -f is there. With %rewind on, %back brings them back.",
        run: record::reset,
    },
    Command {
        name: "cd",
        usage: "%cd [FOLDER]",
        help: "Change the folder where files are looked for; alone, go home.",
        run: run::cd,
    },
    Command {
        name: "lesson",
        usage: "%lesson [NUMBER|NAME|FILE]",
        help: "Go through a lesson; alone, list those that come with tsr.\n\
               Its variables are its own. %help lesson says how one is written.",
        run: lesson::run,
    },
    Command {
        name: "apropos",
        usage: "%apropos WORD ...",
        help: "List the operations and commands that have to do with a word, by name or by what is said of them.",
        run: apropos::run,
    },
    Command {
        name: "help",
        usage: "%help [NAME], ?NAME, NAME?",
        help: "Explain an operation, a method, a command, or tsr itself.",
        run: help::run,
    },
    Command { name: "shell", usage: "!COMMAND", help: "Run a command of the operating system's shell.", run: shell::run },
    Command { name: "quit", usage: "%quit", help: "Leave. So do Ctrl-D, exit and quit.", run: quit },
];

/// The words that may stand without a `%` when the line is not Python.
pub const NAMES: &[&str] = &[
    "layout", "who", "trace", "meter", "shapes", "type", "info", "show", "heat", "views", "tree", "origin", "explain", "why",
    "predict", "watch", "rewind", "back", "forward", "goto", "addr", "cell", "footer", "narrate", "notes", "pager", "time",
    "timeit", "run", "history", "save", "reset", "cd", "lesson", "apropos", "help", "quit",
];

/// The command with this word.
pub fn find(name: &str) -> Option<&'static Command> {
    COMMANDS.iter().find(|c| c.name == name)
}

/// An entry that is one word and names a command, with its mark: `who` as `%who`. None when the word is a variable, or when the
/// command means nothing alone.
pub(super) fn alone(interp: &Interp, entry: &str) -> Option<String> {
    let word = entry.trim();
    let known = NAMES.contains(&word) && interp.globals.get(word).is_none();
    known.then(|| format!("%{word}"))
}

/// Runs a command.
pub(super) fn run(shell: &TsrShell, interp: &mut Interp, command: &ShellCommand) -> Outcome<()> {
    let word = &*command.word.name;
    let Some(found) = find(word) else { return Err(unknown(word)) };
    let (drawing, rest) = drawing::options(word, &command.rest)?;
    let kept = drawing.svg.is_some().then(Doc::new);
    let look = shell.look.get();
    shell.look.set(drawing.look(look));
    let mut call = Call { shell, interp, rest: &rest, kept };
    let result = (found.run)(&mut call).and_then(|()| drawing.save(&mut call, format!("%{word} {rest}").trim_end()));
    // The command may be the one that changes how to draw.
    if drawing != drawing::Drawing::default() {
        shell.look.set(look);
    }
    result
}

fn unknown(word: &str) -> Raise {
    let diagnostic = Diagnostic::new(ErrorClass::NameError, format!("there is no command %{word}"));
    match did_you_mean(word, COMMANDS.iter().map(|c| c.name)) {
        Some(near) => diagnostic.help(format!("did you mean %{near}?")).into(),
        None => diagnostic.help("%help lists the commands").into(),
    }
}

fn quit(_: &mut Call) -> Outcome<()> {
    Err(Raise::new(ErrorClass::SystemExit, ""))
}

/// A `ValueError` for a command that was not typed as it should be.
fn usage(name: &str, problem: &str) -> Raise {
    let how = find(name).map_or("", |c| c.usage);
    Diagnostic::new(ErrorClass::ValueError, problem.to_string()).help(format!("usage: {how}")).into()
}

/// The text behind a command's word as a source of its own, so that reports can point into it.
fn source(name: &str, text: &str) -> std::sync::Arc<Source> {
    Source::new(format!("<%{name}>"), text)
}
