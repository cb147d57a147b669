//! From the syntax tree to the resolved tree.
//!
//! Done once per text: names become places, literals become values, and what only the evaluator would find out too late
//! (`return` outside a function, `nonlocal` without a variable) is refused here.

mod class;
mod comprehension;
mod expr;
mod function;
mod fuse;
mod pattern;
mod quick;
mod scope;
mod stmt;
mod survey;
mod target;
pub mod tree;
mod yields;

pub use class::private;

use super::globals::{Globals, Namespace};
use crate::diag::{Diagnostic, ErrorClass, Source, Span};
use crate::syntax::ast::{Name, Stmt, StmtKind};
use crate::value::Value;
use scope::Scopes;
use std::rc::Rc;
use std::sync::Arc;
use tree::{Body, Code, Node, Op, Params};

/// Deeper expressions than this are refused, as CPython does.
const MAX_DEPTH: usize = 3000;

/// What a text is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// A program: expression statements are silent.
    Program,
    /// The prompt: expression statements outside functions show their values.
    Prompt,
}

struct Compiler<'a> {
    scopes: Scopes<'a>,
    source: Arc<Source>,
    mode: Mode,
    /// The functions and classes around the statement, outermost first, each as names inside it begin: `f.<locals>.`, `A.`.
    around: Vec<String>,
    /// The class around the statement.
    class_name: Option<Name>,
    /// How many times the function stops at a `yield`, so far.
    yields: usize,
    /// Loops around the statement, within its function.
    loops: usize,
    /// Expressions around the expression.
    depth: usize,
}

type Result<T> = std::result::Result<T, Diagnostic>;

/// Compiles the statements of a program or a prompt entry.
pub fn module(block: &[Stmt], source: &Arc<Source>, globals: &mut Globals, mode: Mode) -> Result<Rc<Code>> {
    let mut compiler = Compiler::new(source, globals, Namespace::User, mode);
    let body = Body::Block(compiler.block(block)?);
    Ok(compiler.finish("<module>".into(), Params::default(), body))
}

/// Compiles a text of the library's with some names as local variables. Its value is that of its last expression statement.
pub fn snippet(block: &[Stmt], names: &[Name], source: &Arc<Source>, globals: &mut Globals) -> Result<Rc<Code>> {
    Compiler::new(source, globals, Namespace::Library, Mode::Program).with_names(
        "<operation>",
        block,
        names,
        survey::Survey::statements(block),
    )
}

/// Compiles one expression of the user's with some names as local variables. Fails with a `SyntaxError` on statements.
pub fn expression(block: &[Stmt], names: &[Name], source: &Arc<Source>, globals: &mut Globals) -> Result<Rc<Code>> {
    let compiler = Compiler::new(source, globals, Namespace::User, Mode::Program);
    match block {
        [Stmt { kind: StmtKind::Expr(_), .. }] => {
            let survey = survey::Survey::statements(block);
            // Without names of a function around it, what it binds are variables of the module.
            let survey = if names.is_empty() { survey.at_module() } else { survey };
            compiler.with_names("<module>", block, names, survey)
        }
        [first, ..] => compiler.syntax_error(first.span, "invalid syntax"),
        [] => compiler.syntax_error(Span::default(), "invalid syntax"),
    }
}

impl<'a> Compiler<'a> {
    fn new(source: &Arc<Source>, globals: &'a mut Globals, namespace: Namespace, mode: Mode) -> Compiler<'a> {
        Compiler {
            scopes: Scopes::new(globals, namespace),
            source: source.clone(),
            mode,
            around: vec![],
            class_name: None,
            yields: 0,
            loops: 0,
            depth: 0,
        }
    }

    /// A body whose parameters are the names and whose value is that of its last expression statement.
    fn with_names(mut self, title: &str, block: &[Stmt], names: &[Name], survey: survey::Survey) -> Result<Rc<Code>> {
        self.scopes.push_frame();
        let cell_params = self.scopes.declare_function(&survey, names);
        let body = match block {
            [Stmt { kind: StmtKind::Expr(value), .. }] => Body::Value(self.expr(value)?),
            [first @ .., Stmt { kind: StmtKind::Expr(value), span }] => {
                let mut stmts = self.block(first)?.into_vec();
                stmts.push(tree::Stmt { kind: tree::Kind::Return(self.expr(value)?), sleeps: false, span: *span });
                Body::Block(stmts.into())
            }
            _ => Body::Block(self.block(block)?),
        };
        let params = Params { names: names.into(), keyword_only_from: names.len(), ..Params::default() };
        let frame = self.scopes.pop_frame();
        Ok(Rc::new(self.code(title.into(), params, body, frame, cell_params, None)))
    }

    fn finish(mut self, name: Name, params: Params, body: Body) -> Rc<Code> {
        let frame = self.scopes.pop_frame();
        Rc::new(self.code(name, params, body, frame, vec![], None))
    }

    fn code(
        &self,
        name: Name,
        params: Params,
        body: Body,
        frame: scope::FramePlan,
        cell_params: Vec<(u32, u32)>,
        doc: Option<Rc<str>>,
    ) -> Code {
        Code {
            qualname: format!("{}{name}", self.around.concat()).into(),
            name,
            source: self.source.clone(),
            params,
            slots: frame.slots.len() as u32,
            slot_names: frame.slots.into(),
            cell_names: frame.cells.into(),
            cell_params: cell_params.into(),
            captures: frame.captures.into(),
            free_names: frame.free.into(),
            body,
            doc,
        }
    }

    fn syntax_error<T>(&self, span: Span, text: impl Into<String>) -> Result<T> {
        Err(Diagnostic::new(ErrorClass::SyntaxError, text).at(&self.source, span, ""))
    }
}

fn constant(value: Value, span: Span) -> Node {
    Node { op: Op::Const(value), span }
}
