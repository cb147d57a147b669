//! What the terminal can show: colour, characters, columns.

use super::args::When;
use crate::show::Render;
use crate::show::report::Look;

/// What the flags and the environment ask for; read once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wishes {
    color: When,
    ascii: bool,
    narrate: bool,
    truecolor: bool,
    dumb: bool,
    basic: bool,
}

impl Wishes {
    /// Flags first, then `NO_COLOR`, `CLICOLOR_FORCE`, `COLORTERM`, `NO_GRAPHICS`, `TERM` and the locale.
    pub fn new(color: When, ascii: bool, narrate: bool, env: impl Fn(&str) -> Option<String>) -> Wishes {
        let set = |name: &str| env(name).is_some_and(|v| !v.is_empty());
        let color = match color {
            When::Auto if set("NO_COLOR") => When::Never,
            When::Auto if env("CLICOLOR_FORCE").is_some_and(|v| !v.is_empty() && v != "0") => When::Always,
            said => said,
        };
        let dumb = env("TERM").is_some_and(|t| t == "dumb");
        let narrate = narrate || env("NO_GRAPHICS").is_some_and(|v| !v.is_empty() && v != "0");
        let truecolor = env("COLORTERM").is_some_and(|depth| ["truecolor", "24bit"].contains(&depth.as_str()));
        Wishes { color, ascii: ascii || !utf8_locale(&env), narrate, truecolor, dumb, basic: dumb || set("TSR_BASIC") }
    }

    /// How to write to a stream, which is a terminal or not.
    pub fn look(self, terminal: bool) -> Look {
        let color = match self.color {
            When::Always => true,
            When::Never => false,
            When::Auto => terminal && !self.dumb,
        };
        let render = Render { color, ascii: self.ascii, narrate: self.narrate, truecolor: self.truecolor };
        Look {
            render,
            lines: terminal && !self.dumb && !self.ascii,
            width: if terminal { columns() } else { Look::default().width },
            wraps: terminal,
            height: if terminal && !self.basic { lines() } else { None },
        }
    }

    /// True when the prompt should do without a line editor: the terminal cannot move its cursor, or `TSR_BASIC` asks for it.
    pub fn is_basic(&self) -> bool {
        self.basic
    }
}

/// True unless the environment names a locale with another character set.
fn utf8_locale(env: impl Fn(&str) -> Option<String>) -> bool {
    let said = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|name| env(name).filter(|v| !v.is_empty()));
    said.is_none_or(|locale| {
        let locale = locale.to_ascii_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    })
}

/// Columns of the terminal; 80 when it does not tell.
pub fn columns() -> usize {
    terminal_size::terminal_size().map_or(80, |(width, _)| usize::from(width.0).max(20))
}

/// Lines of the terminal, when it tells.
fn lines() -> Option<usize> {
    terminal_size::terminal_size().map(|(_, height)| usize::from(height.0)).filter(|lines| *lines > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wishes(color: When, ascii: bool, env: &[(&str, &str)]) -> Wishes {
        Wishes::new(color, ascii, false, |name| env.iter().find(|(n, _)| *n == name).map(|(_, v)| v.to_string()))
    }

    #[test]
    fn flags_come_before_the_environment_and_that_before_the_terminal() {
        let color = |w: When, env: &[(&str, &str)], tty: bool| wishes(w, false, env).look(tty).render.color;
        assert_eq!((color(When::Auto, &[], true), color(When::Auto, &[], false)), (true, false));
        assert!(!color(When::Auto, &[("NO_COLOR", "1")], true));
        assert!(color(When::Auto, &[("NO_COLOR", "")], true));
        assert!(color(When::Auto, &[("CLICOLOR_FORCE", "1")], false));
        assert!(!color(When::Auto, &[("CLICOLOR_FORCE", "0")], false));
        assert!(!color(When::Auto, &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], false));
        assert!(color(When::Always, &[("NO_COLOR", "1")], false));
        assert!(!color(When::Never, &[("CLICOLOR_FORCE", "1")], true));
        assert!(!color(When::Auto, &[("TERM", "dumb")], true));
    }

    #[test]
    fn pictures_are_told_when_asked_for() {
        let told = |env: &[(&str, &str)]| wishes(When::Auto, false, env).look(false).render.narrate;
        assert!(told(&[("NO_GRAPHICS", "1")]));
        assert!(!told(&[]) && !told(&[("NO_GRAPHICS", "")]) && !told(&[("NO_GRAPHICS", "0")]));
    }

    #[test]
    fn the_locale_decides_about_characters() {
        let ascii = |env: &[(&str, &str)]| wishes(When::Auto, false, env).look(false).render.ascii;
        assert!(!ascii(&[]));
        assert!(!ascii(&[("LANG", "de_DE.UTF-8")]));
        assert!(ascii(&[("LC_ALL", "C"), ("LANG", "de_DE.UTF-8")]));
        assert!(!ascii(&[("LC_ALL", ""), ("LANG", "C.utf8")]));
        assert!(wishes(When::Auto, true, &[]).look(true).render.ascii);
    }
}
