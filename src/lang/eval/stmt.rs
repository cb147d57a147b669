//! Statements.

use super::number::Number;
use super::raised::Swift;
use crate::diag::ErrorClass;
use crate::lang::compile::tree::*;
use crate::lang::exceptions;
use crate::lang::frame::Frame;
use crate::lang::interp::Interp;
use crate::value::{CallArgs, Outcome, Raise, Value};

/// How a statement ended.
pub enum Flow {
    /// The next one runs.
    Next,
    /// `break`.
    Break,
    /// `continue`.
    Continue,
    /// `return`; the value is given as by [`Interp::give`].
    Return(Option<Number>),
    /// `yield`: what is given waits in the generator's [`Resume`](super::resume::Resume).
    Yield,
}

impl Interp {
    /// Runs statements until one leaves.
    pub(in crate::lang) fn block(&mut self, f: &mut Frame, block: &[Stmt]) -> Swift<Flow> {
        for stmt in block {
            match self.stmt(f, stmt)? {
                Flow::Next => {}
                leave => return Ok(leave),
            }
        }
        Ok(Flow::Next)
    }

    pub(super) fn stmt(&mut self, f: &mut Frame, stmt: &Stmt) -> Swift<Flow> {
        match &stmt.kind {
            Kind::Expr(node) => {
                if self.give(f, node)?.is_none() {
                    drop(self.taken());
                    self.end_left();
                }
            }
            Kind::SetLocal(slot, node) => match self.quick_operand(f, node) {
                Some(number) => self.set_number(f, *slot, number),
                None => {
                    let given = self.give(f, node)?;
                    self.set_given(f, *slot, given);
                    if given.is_none() {
                        self.end_left();
                    }
                }
            },
            Kind::AugmentLocal(it) => self.augment_local(f, it, stmt.span)?,
            Kind::Assign(it) => {
                let given = self.give(f, &it.0)?;
                match &*it.1 {
                    [target] => self.assign_given(f, target, given)?,
                    targets => {
                        let value = self.received(given);
                        targets.iter().try_for_each(|target| self.assign(f, target, value.clone()))?;
                    }
                }
                self.end_left();
            }
            Kind::AssignEach(it) => self.assign_each(f, &it.0, &it.1)?,
            Kind::If(it) => {
                let branch = if self.test(f, &it.0)? { &it.1 } else { &it.2 };
                return self.block(f, branch);
            }
            Kind::While(it) => return self.while_loop(f, it),
            Kind::For(it) => {
                let flow = self.for_loop(f, it)?;
                self.end_left();
                return Ok(flow);
            }
            Kind::Return(node) => return Ok(Flow::Return(self.give(f, node)?)),
            Kind::Break => return Ok(Flow::Break),
            Kind::Continue => return Ok(Flow::Continue),
            Kind::Pass => {}
            Kind::With(it) => return Ok(self.with(f, it)?),
            Kind::Try(it) => return Ok(self.try_statement(f, it)?),
            Kind::Match(it) => return self.match_statement(f, it),
            _ => {
                self.simple(f, stmt)?;
                self.end_left();
            }
        }
        Ok(Flow::Next)
    }

    /// Statements that neither jump nor are what loops are made of.
    fn simple(&mut self, f: &mut Frame, stmt: &Stmt) -> Outcome<()> {
        match &stmt.kind {
            Kind::Echo(node) => {
                let value = self.eval(f, node)?;
                self.end_left();
                self.echo(&value).map_err(|r| self.locate(f, node.span, r))
            }
            Kind::Augment(it) => self.augment(f, it, stmt.span),
            Kind::Def(it) => self.define(f, it),
            Kind::Class(it) => self.define_class(f, it, stmt.span),
            Kind::Raise(it) => self.raise(f, it, stmt.span),
            Kind::Assert(it) => self.assert(f, it),
            Kind::Del(targets) => targets.iter().try_for_each(|t| self.delete(f, t, stmt.span)),
            Kind::Import(imports) => imports.iter().try_for_each(|i| self.import(f, i)),
            Kind::FromImport(it) => self.import_from(f, it),
            Kind::Shell(command) => {
                let result = self.shell_command(command);
                result.map_err(|r| self.locate(f, stmt.span, r))
            }
            _ => Ok(()),
        }
    }

    /// Decorators are evaluated before the function is made and applied from the innermost out.
    fn define(&mut self, f: &mut Frame, it: &Def) -> Outcome<()> {
        let decorators = it.decorators.iter().map(|d| self.eval(f, d)).collect::<Outcome<Vec<_>>>()?;
        let function = self.make_function(f, &it.function)?;
        self.bind_decorated(f, &it.target, function, &decorators, &it.decorators)
    }

    /// Gives a target what decorators make of a function or a class, from the innermost out.
    pub(super) fn bind_decorated(
        &mut self,
        f: &mut Frame,
        target: &Target,
        mut made: Value,
        decorators: &[Value],
        nodes: &[Node],
    ) -> Outcome<()> {
        for (decorator, node) in decorators.iter().zip(nodes).rev() {
            let args = CallArgs::positional(vec![made]);
            made = self.call_from(f, node.span, decorator, &Args::Plain(Box::default()), args)?;
        }
        self.assign(f, target, made)
    }

    fn assert(&mut self, f: &mut Frame, it: &(Node, Option<Node>)) -> Outcome<()> {
        if self.test(f, &it.0)? {
            return Ok(());
        }
        let args = it.1.iter().map(|n| self.eval(f, n)).collect::<Outcome<Vec<_>>>()?;
        let raise = exceptions::new(self, ErrorClass::AssertionError, args)?;
        Err(self.locate(f, it.0.span, Raise(raise)))
    }
}
