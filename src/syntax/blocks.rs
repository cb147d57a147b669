//! Lines to blocks: indentation decides which statements belong together.

use super::ast::{Block, Case, ClassBody, Expr, Function, Handler, Params, Stmt, StmtKind};
use super::lines::{Line, LineKind, Script};
use super::lower::{self, Form, Header, Lower, MAX_DEPTH};
use super::refusal::{Missing, Parsed, Refusal};
use super::{explain, grammar, shell};
use crate::diag::Span;
use std::rc::Rc;

/// The statements of some lines of a script.
pub(super) fn parse(script: &Script, lines: &[Line], commands: &[&str]) -> Parsed<Block> {
    let mut blocks = Blocks { script, lines, at: 0, commands };
    let level = lines.first().map_or(0, |l| l.level);
    if let Some(first) = lines.first().filter(|l| l.level > 0 && l.fault.is_none()) {
        return Err(unexpected_indent(first));
    }
    blocks.block(level)
}

/// The reading of lines in order.
struct Blocks<'a> {
    script: &'a Script<'a>,
    lines: &'a [Line],
    at: usize,
    commands: &'a [&'a str],
}

/// The header of a compound statement that has been read.
struct Opened {
    /// What messages call its block.
    noun: &'static str,
    /// The statements on the header's own line.
    suite: Option<Vec<Stmt>>,
    /// From the keyword to the colon.
    span: Span,
    level: usize,
    /// The number of its line.
    line: usize,
}

fn unexpected_indent(line: &Line) -> Box<Refusal> {
    Refusal::indentation(Span::new(line.span.start, line.span.end), "unexpected indent")
        .help("Only the block of a statement that ends in ':' is indented.")
}

impl<'a> Blocks<'a> {
    /// All statements at a level.
    fn block(&mut self, level: usize) -> Parsed<Block> {
        let mut out = Vec::new();
        while let Some(line) = self.lines.get(self.at) {
            if line.level < level {
                break;
            }
            if line.level > level && line.fault.is_none() {
                return Err(unexpected_indent(line));
            }
            self.statement(line, &mut out)?;
        }
        Ok(out)
    }

    /// The statement or statements that begin at a line.
    fn statement(&mut self, line: &'a Line, out: &mut Block) -> Parsed<()> {
        match self.form(line)? {
            Form::Simple(statements) => out.extend(statements),
            Form::Decorator(first) => out.push(self.decorated(line, first)?),
            Form::Header { header, colon, suite } => {
                let opened = self.opened(line, &header, colon, suite);
                out.push(self.compound(header, opened, vec![])?);
            }
        }
        Ok(())
    }

    /// What is missing when all lines have been read.
    fn at_end(&self) -> Option<Missing> {
        (self.at >= self.lines.len()).then_some(Missing::Block)
    }

    fn opened(&self, line: &Line, header: &Header, colon: Span, suite: Option<Vec<Stmt>>) -> Opened {
        let span = Span { start: line.span.start as u32, end: colon.end };
        Opened { noun: header.noun(), suite, span, level: line.level, line: self.script.line_number(line.span.start) }
    }

    /// What a line says; the line is passed.
    fn form(&mut self, line: &Line) -> Parsed<Form> {
        self.at += 1;
        if let Some(fault) = &line.fault {
            return Err(fault.clone());
        }
        if line.kind != LineKind::Python {
            return Ok(Form::Simple(vec![shell::marked(self.script, line)?]));
        }
        let text = self.script.blanked.get(line.span.clone()).unwrap_or("");
        match grammar::line(text) {
            Ok(node) => Lower::new(line.span.start).line(&node),
            Err(stop) => match shell::bare(self.script, line, self.commands) {
                Some(command) => Ok(Form::Simple(vec![command])),
                None => Err(explain::line(self.script, line, stop)),
            },
        }
    }

    fn decorated(&mut self, line: &Line, first: Expr) -> Parsed<Stmt> {
        let mut decorators = vec![first];
        loop {
            let place = Span::new(line.span.start, line.span.end);
            let Some(next) = self.lines.get(self.at).filter(|l| l.level == line.level) else {
                let refusal = Refusal::new(place, "invalid syntax").label("the definition of a function or a class must follow");
                return Err(refusal.missing(self.at_end()));
            };
            match self.form(next)? {
                Form::Decorator(decorator) => decorators.push(decorator),
                Form::Header { header: header @ (Header::Def(..) | Header::Class(..)), colon, suite } => {
                    let mut opened = self.opened(next, &header, colon, suite);
                    opened.span.start = line.span.start as u32;
                    return self.compound(header, opened, decorators);
                }
                _ => {
                    return Err(Refusal::new(Span::new(next.span.start, next.span.end), "invalid syntax")
                        .label("a decorator belongs above the definition of a function or a class"));
                }
            }
        }
    }

    /// The block of a header.
    fn suite(&mut self, opened: &mut Opened) -> Parsed<Block> {
        if let Some(suite) = opened.suite.take() {
            return Ok(suite);
        }
        let level = self.inner_level(opened)?;
        self.block(level)
    }

    /// How far the block of a header is indented.
    fn inner_level(&self, opened: &Opened) -> Parsed<usize> {
        match self.lines.get(self.at) {
            Some(line) if line.level > opened.level => Ok(line.level),
            next => {
                let place = next.map_or(opened.span, |l| Span::new(l.span.start, l.span.end));
                if let Some(fault) = next.and_then(|l| l.fault.clone()) {
                    return Err(fault);
                }
                let message = format!("expected an indented block after {} on line {}", opened.noun, opened.line);
                Err(Refusal::indentation(place, message).missing(self.at_end()))
            }
        }
    }

    /// The header in the next line, when that is at the same level and begins with one of these words.
    fn following(&mut self, level: usize, words: &[&str]) -> Parsed<Option<(Header, Opened)>> {
        let Some(line) = self.lines.get(self.at).filter(|l| l.level == level) else { return Ok(None) };
        let first = self.script.tokens_of(line).first().map_or("", |t| t.text(self.script.text));
        if line.fault.is_some() || !words.contains(&first) {
            return Ok(None);
        }
        match self.form(line)? {
            Form::Header { header, colon, suite } => {
                let opened = self.opened(line, &header, colon, suite);
                Ok(Some((header, opened)))
            }
            _ => Err(Refusal::new(Span::new(line.span.start, line.span.end), "invalid syntax")),
        }
    }

    fn compound(&mut self, header: Header, mut opened: Opened, decorators: Vec<Expr>) -> Parsed<Stmt> {
        let (start, level) = (opened.span, opened.level);
        let kind = match header {
            Header::If(test) => return self.conditional(test, opened),
            Header::While(test) => StmtKind::While { test, body: self.suite(&mut opened)?, orelse: self.orelse(level)? },
            Header::For(target, iter) => {
                StmtKind::For { target, iter, body: self.suite(&mut opened)?, orelse: self.orelse(level)? }
            }
            Header::With(items) => StmtKind::With { items, body: self.suite(&mut opened)? },
            Header::Try => self.try_statement(opened)?,
            Header::Match(subject) => StmtKind::Match { subject, cases: self.cases(&opened)? },
            Header::Def(name, params) => {
                let function = Rc::new(function(params, self.suite(&mut opened)?, start));
                StmtKind::Def { name, function, decorators }
            }
            Header::Class(name, bases) => {
                let body = self.suite(&mut opened)?;
                let class = Rc::new(ClassBody { bases, doc: lower::doc_of(&body), body });
                StmtKind::Class { name, class, decorators }
            }
            Header::Elif(_) | Header::Else | Header::Except(..) | Header::Finally => {
                return Err(explain::stray_clause(start));
            }
        };
        let end = last_of(&kind).unwrap_or(start);
        Ok(Stmt { kind, span: start.to(end) })
    }

    fn orelse(&mut self, level: usize) -> Parsed<Block> {
        match self.following(level, &["else"])? {
            Some((_, mut opened)) => self.suite(&mut opened),
            None => Ok(vec![]),
        }
    }

    /// The `elif` and `else` clauses of an `if`; each `elif` is an `if` in the `else` of the one before.
    fn conditional(&mut self, test: Expr, mut opened: Opened) -> Parsed<Stmt> {
        let (start, level) = (opened.span, opened.level);
        let mut clauses = vec![(test, self.suite(&mut opened)?, start)];
        let mut orelse = Vec::new();
        while let Some((header, mut opened)) = self.following(level, &["elif", "else"])? {
            let span = opened.span;
            let block = self.suite(&mut opened)?;
            match header {
                Header::Elif(test) => clauses.push((test, block, span)),
                _ => {
                    orelse = block;
                    break;
                }
            }
            if clauses.len() > MAX_DEPTH {
                return Err(lower::too_deep(span));
            }
        }
        let mut built: Option<Stmt> = None;
        while let Some((test, body, start)) = clauses.pop() {
            let orelse = built.take().map_or_else(|| std::mem::take(&mut orelse), |inner| vec![inner]);
            let end = orelse.last().or(body.last()).map_or(start, |s| s.span);
            built = Some(Stmt { kind: StmtKind::If { test, body, orelse }, span: start.to(end) });
        }
        built.ok_or_else(|| Refusal::new(start, "invalid syntax"))
    }

    /// The cases of a `match`.
    fn cases(&mut self, opened: &Opened) -> Parsed<Vec<Case>> {
        let level = self.inner_level(opened)?;
        let mut cases = vec![];
        while let Some(line) = self.lines.get(self.at).filter(|l| l.level >= level) {
            if line.level > level && line.fault.is_none() {
                return Err(unexpected_indent(line));
            }
            cases.push(self.case(line)?);
        }
        Ok(cases)
    }

    fn case(&mut self, line: &Line) -> Parsed<Case> {
        self.at += 1;
        if let Some(fault) = &line.fault {
            return Err(fault.clone());
        }
        let place = Span::new(line.span.start, line.span.end);
        let tokens = self.script.tokens_of(line);
        if line.kind != LineKind::Python || tokens.first().is_none_or(|t| t.text(self.script.text) != "case") {
            return Err(Refusal::new(place, "invalid syntax").label("a case of the match above must stand here"));
        }
        let text = self.script.blanked.get(line.span.clone()).unwrap_or("");
        let node = grammar::case(text).map_err(|stop| explain::line(self.script, line, stop))?;
        let read = Lower::new(line.span.start).case(&node)?;
        let span = Span { start: place.start, end: read.colon.end };
        let number = self.script.line_number(line.span.start);
        let mut opened = Opened { noun: "'case' statement", suite: read.suite, span, level: line.level, line: number };
        Ok(Case { pattern: read.pattern, guard: read.guard, body: self.suite(&mut opened)? })
    }

    fn try_statement(&mut self, mut opened: Opened) -> Parsed<StmtKind> {
        let (start, level) = (opened.span, opened.level);
        let body = self.suite(&mut opened)?;
        let mut handlers: Vec<Handler> = Vec::new();
        let (mut orelse, mut finally) = (vec![], vec![]);
        while let Some((header, mut opened)) = self.following(level, &["except"])? {
            let span = opened.span;
            let body = self.suite(&mut opened)?;
            let Header::Except(class, name) = header else { return Err(explain::stray_clause(span)) };
            if let Some(bare) = handlers.last().filter(|h| h.class.is_none()) {
                return Err(Refusal::new(bare.span, "default 'except:' must be last"));
            }
            let end = body.last().map_or(span, |s| s.span);
            handlers.push(Handler { class, name, body, span: span.to(end) });
        }
        if !handlers.is_empty() {
            orelse = self.orelse(level)?;
        }
        if let Some((_, mut opened)) = self.following(level, &["finally"])? {
            finally = self.suite(&mut opened)?;
        }
        if handlers.is_empty() && finally.is_empty() {
            if let Some(fault) = self.lines.get(self.at).and_then(|l| l.fault.clone()) {
                return Err(fault);
            }
            let place = self.lines.get(self.at).map_or(start, |l| Span::new(l.span.start, l.span.end));
            return Err(Refusal::new(place, "expected 'except' or 'finally' block").missing(self.at_end()));
        }
        Ok(StmtKind::Try { body, handlers, orelse, finally })
    }
}

fn function(params: Params, body: Block, start: Span) -> Function {
    let end = body.last().map_or(start, |s| s.span);
    Function { params, doc: lower::doc_of(&body), body, span: start.to(end) }
}

/// Where the last block of a compound statement ends.
fn last_of(kind: &StmtKind) -> Option<Span> {
    let last = |block: &Block| block.last().map(|s| s.span);
    match kind {
        StmtKind::While { body, orelse, .. } | StmtKind::For { body, orelse, .. } => last(orelse).or(last(body)),
        StmtKind::With { body, .. } => last(body),
        StmtKind::Try { body, handlers, orelse, finally } => {
            last(finally).or(last(orelse)).or(handlers.last().map(|h| h.span)).or(last(body))
        }
        StmtKind::Match { cases, .. } => cases.last().and_then(|c| last(&c.body)),
        StmtKind::Def { function, .. } => last(&function.body),
        StmtKind::Class { class, .. } => last(&class.body),
        _ => None,
    }
}
