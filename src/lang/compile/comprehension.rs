//! Comprehensions and generator expressions.

use super::survey::Survey;
use super::tree::*;
use super::{Compiler, Result};
use crate::syntax::ast::{self, ComprehensionKind};
use std::rc::Rc;

impl Compiler<'_> {
    /// A comprehension. It runs in the frame it stands in, with variables of its own; a generator has a frame of its own.
    pub fn comprehension(&mut self, it: &ast::Comprehension) -> Result<Op> {
        if it.kind == ComprehensionKind::Generator {
            return self.generator(it);
        }
        let Some((first, rest)) = it.clauses.split_first() else {
            return Ok(Op::List(Box::default()));
        };
        let first_iter = self.expr(&first.iter)?;
        let (slots, fresh_cells) = self.scopes.push_comprehension(&Survey::comprehension(it));
        let parts = self.comprehension_parts(it, first, first_iter, rest);
        self.scopes.pop_comprehension();
        let (element, value, clauses) = parts?;
        let fresh_cells = fresh_cells.into();
        Ok(Op::Comprehension(Box::new(Comprehension { kind: it.kind, element, value, clauses, fresh_cells, slots })))
    }

    fn comprehension_parts(
        &mut self,
        it: &ast::Comprehension,
        first: &ast::ForClause,
        first_iter: Node,
        rest: &[ast::ForClause],
    ) -> Result<(Node, Option<Node>, Box<[Clause]>)> {
        let mut clauses = vec![self.clause(first, first_iter)?];
        for clause in rest {
            let iter = self.expr(&clause.iter)?;
            clauses.push(self.clause(clause, iter)?);
        }
        Ok((self.expr(&it.element)?, self.optional(it.value.as_ref())?, clauses.into()))
    }

    fn clause(&mut self, clause: &ast::ForClause, iter: Node) -> Result<Clause> {
        Ok(Clause { target: self.target(&clause.target)?, iter, tests: self.exprs(&clause.tests)? })
    }

    /// A generator's frame finds the outermost iterable, already evaluated, in slot 0.
    fn generator(&mut self, it: &ast::Comprehension) -> Result<Op> {
        let Some((first, rest)) = it.clauses.split_first() else {
            return Ok(Op::List(Box::default()));
        };
        let outermost = self.expr(&first.iter)?;
        self.scopes.push_frame();
        let hidden = ".0".into();
        self.scopes.frame().slot(&hidden);
        self.scopes.push_comprehension(&Survey::comprehension(it));
        let first_iter = Node { op: Op::Local(0), span: first.iter.span };
        let parts = self.comprehension_parts(it, first, first_iter, rest);
        self.scopes.pop_comprehension();
        let frame = self.scopes.pop_frame();
        let (element, _, clauses) = parts?;
        let code = self.code("<genexpr>".into(), Params::default(), Body::Generator(element, clauses), frame, vec![], None);
        Ok(Op::Generator(Box::new(MakeGenerator { code: Rc::new(code), first: outermost })))
    }
}
