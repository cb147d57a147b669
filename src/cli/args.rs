//! The command line as clap reads it.

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;

/// An interactive shell and scripting language for tensors that shows their memory.
#[derive(Debug, Parser)]
#[command(
    name = "tsr",
    version,
    disable_help_subcommand = true,
    args_conflicts_with_subcommands = true,
    override_usage = "tsr [OPTIONS] [FILE [ARG]...]\n       tsr [OPTIONS] -c CODE [ARG]...\n       tsr test PATH...\n       tsr lesson [FILE|NUMBER]\n       tsr help [NAME]",
    after_help = "Without FILE and -c, tsr opens the prompt, or runs standard input when that is not a terminal.\n\
                  Exit codes: 0 all went well, 1 an error ended the program, 2 wrong usage or a syntax error, 130 interrupted."
)]
pub struct Args {
    /// Run this text
    #[arg(short = 'c', value_name = "CODE", allow_hyphen_values = true)]
    pub code: Option<String>,
    /// Open the prompt after the program
    #[arg(short = 'i')]
    pub interactive: bool,
    /// Print a transcript: every statement behind >>> and then its output; go on after an error
    #[arg(long)]
    pub echo: bool,
    /// As --echo, with what each operation did to memory
    #[arg(long)]
    pub trace: bool,
    /// When to use color [default: on a terminal, unless NO_COLOR is set]
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = When::Auto, hide_default_value = true, global = true)]
    pub color: When,
    /// Draw with 7-bit characters only [default: when the locale is not UTF-8]
    #[arg(long, global = true)]
    pub ascii: bool,
    /// Tell pictures and errors in sentences, for screen readers [default: when NO_GRAPHICS is set]
    #[arg(long, global = true)]
    pub narrate: bool,
    /// No banner at the prompt; of tests, only what failed
    #[arg(short = 'q', long, global = true)]
    pub quiet: bool,
    /// A program, or - for standard input, and what sys.argv gives it
    #[arg(value_name = "FILE", trailing_var_arg = true, allow_hyphen_values = true)]
    pub program: Vec<OsString>,
    /// What else to do
    #[command(subcommand)]
    pub action: Option<Action>,
}

impl Args {
    /// Writes the script that completes arguments in a shell.
    pub fn completions(shell: clap_complete::Shell) -> String {
        let mut script = vec![];
        clap_complete::generate(shell, &mut Args::command(), "tsr", &mut script);
        String::from_utf8_lossy(&script).into_owned()
    }

    /// The arguments of this process. Ends it, with a message, when they are wrong or ask for nothing but `--help`.
    pub fn read() -> Args {
        Args::try_from_line(std::env::args_os()).unwrap_or_else(|error| error.exit())
    }

    fn try_from_line(line: impl IntoIterator<Item = impl Into<OsString> + Clone>) -> Result<Args, clap::Error> {
        let args = Args::try_parse_from(line)?;
        match args.program.first().map(|name| name.to_string_lossy()) {
            // Only behind the program may stand what tsr does not know.
            Some(name) if args.code.is_none() && name.starts_with('-') && name != "-" => {
                let message = format!("unexpected argument '{name}' found");
                Err(Args::command().error(ErrorKind::UnknownArgument, message))
            }
            _ => Ok(args),
        }
    }
}

/// What tsr does besides running programs.
#[derive(Debug, Subcommand)]
pub enum Action {
    /// Run the >>> transcripts in .md and .tsr files and compare what they print
    Test {
        /// Files, and directories to search
        #[arg(required = true, value_name = "PATH")]
        paths: Vec<PathBuf>,
        /// Write what came into the files as what is expected
        #[arg(long)]
        fix: bool,
        /// Show what --fix would write, and write nothing
        #[arg(long, conflicts_with = "fix")]
        diff: bool,
        /// Floats may differ by this part of them: 1e-4 [default: to the last digit]
        #[arg(long, value_name = "PART")]
        tol: Option<f64>,
    },
    /// Go through a lesson step by step: Enter runs the next one, anything typed is tried and then undone
    Lesson {
        /// A .tsr file, a .md file with >>> transcripts, or the number or name of a lesson that comes with tsr
        /// [default: list those]
        #[arg(value_name = "FILE")]
        path: Option<PathBuf>,
    },
    /// Print a script that completes tsr's arguments
    Completions {
        /// Which shell it is for
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Explain an operation, a command, or tsr itself
    Help {
        /// torch.narrow, view, %layout
        name: Option<String>,
    },
}

/// When to use color.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum When {
    /// On a terminal, unless the environment says otherwise
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Args {
        Args::try_from_line(line.split(' ')).unwrap()
    }

    #[test]
    fn what_follows_the_program_is_its_own() {
        let args = read("tsr --echo model.tsr --echo -x 3");
        assert!(args.echo);
        assert_eq!(args.program, ["model.tsr", "--echo", "-x", "3"]);
        let args = read("tsr -c print(1) --lr 3");
        assert_eq!((args.code.as_deref(), args.program), (Some("print(1)"), vec!["--lr".into(), "3".into()]));
        assert_eq!(read("tsr -c -1").code.as_deref(), Some("-1"));
        assert_eq!(read("tsr - a").program, ["-", "a"]);
    }

    #[test]
    fn actions_take_the_common_options() {
        let args = read("tsr test --color never a.md b");
        assert_eq!(args.color, When::Never);
        assert!(matches!(args.action, Some(Action::Test { paths, .. }) if paths.len() == 2));
        assert!(matches!(read("tsr help").action, Some(Action::Help { name: None })));
        for wrong in [&["tsr", "test"][..], &["tsr", "--colour"], &["tsr", "-x", "a.tsr"]] {
            assert!(Args::try_from_line(wrong).is_err(), "{wrong:?}");
        }
    }
}
