//! Functions and lambdas.

use super::survey::Survey;
use super::tree::*;
use super::{Compiler, Result, quick, yields};
use crate::diag::Span;
use crate::syntax::ast::{self, Function, Name, StmtKind};
use crate::value::Value;
use std::rc::Rc;

impl Compiler<'_> {
    /// A function to be made where it is defined. Defaults belong to the scope around it.
    pub fn function(&mut self, name: &Name, function: &Function) -> Result<MakeFunction> {
        let mut defaults = vec![];
        for (place, param) in function.params.names.iter().enumerate() {
            if let Some(default) = &param.default {
                defaults.push((place as u32, self.expr(default)?));
            }
        }
        let annotations = self.annotations(&function.params)?;
        let mut survey = Survey::function(function);
        let spread = if survey.yields { yields::spread(function) } else { None };
        if let Some(function) = &spread {
            survey = Survey::function(function);
        }
        let function = spread.as_ref().unwrap_or(function);
        self.check_nonlocals(&survey, function)?;
        let (loops, yields) = (std::mem::take(&mut self.loops), std::mem::take(&mut self.yields));
        self.scopes.push_frame();
        self.around.push(format!("{name}.<locals>."));
        let names = parameter_names(&function.params);
        let cell_params = self.scopes.declare_function(&survey, &names);
        let body = self.body(function, survey.yields);
        let frame = self.scopes.pop_frame();
        (self.loops, self.yields) = (loops, yields);
        self.around.pop();
        let params = parameters(&function.params);
        let code = self.code(name.clone(), params, body?, frame, cell_params, function.doc.clone());
        Ok(MakeFunction { code: Rc::new(code), defaults: defaults.into(), annotations })
    }

    /// The types that parameters and the result are written with.
    fn annotations(&mut self, params: &ast::Params) -> Result<Box<[(Name, Node)]>> {
        let mut found = vec![];
        for param in &params.names {
            if let Some(annotation) = &param.annotation {
                found.push((param.ident.name.clone(), self.expr(annotation)?));
            }
        }
        if let Some(returns) = &params.returns {
            found.push(("return".into(), self.expr(returns)?));
        }
        Ok(found.into())
    }

    /// A body that only chooses what it returns is a conditional expression.
    fn body(&mut self, function: &Function, yields: bool) -> Result<Body> {
        if yields {
            return Ok(Body::Steps(self.block(&function.body)?));
        }
        let block = match function.body.as_slice() {
            [_, rest @ ..] if function.doc.is_some() => rest,
            block => block,
        };
        Ok(if chooses(block, MOST_CHOICES) {
            Body::Value(self.choice(block, function.span)?)
        } else {
            Body::Block(self.block(block)?)
        })
    }

    /// The expression for a block that [`chooses`].
    fn choice(&mut self, block: &[ast::Stmt], span: Span) -> Result<Node> {
        match block {
            [ast::Stmt { kind: StmtKind::Return(Some(value)), .. }] => self.expr(value),
            [ast::Stmt { kind: StmtKind::If { test, body, orelse }, span }, rest @ ..] => {
                let (test, body) = (self.expr(test)?, self.choice(body, *span)?);
                let orelse = self.choice(if orelse.is_empty() { rest } else { orelse }, *span)?;
                Ok(quick::wrap(Node { op: Op::IfElse(Box::new(IfElse { test, body, orelse })), span: *span }))
            }
            _ => Ok(Node { op: Op::Const(Value::None), span }),
        }
    }

    fn check_nonlocals(&mut self, survey: &Survey, function: &Function) -> Result<()> {
        self.scopes.push_frame();
        let missing = survey.nonlocals.iter().find(|name| !self.scopes.is_nonlocal(name)).cloned();
        self.scopes.pop_frame();
        match missing {
            Some(name) => {
                let span = declaration_of(&function.body, &name).unwrap_or(function.span);
                self.syntax_error(span, format!("no binding for nonlocal '{name}' found"))
            }
            None => Ok(()),
        }
    }
}

/// Conditions that may be nested in an expression made of a body.
const MOST_CHOICES: usize = 16;

/// True for a block that does nothing but return a value, which may depend on conditions.
fn chooses(block: &[ast::Stmt], most: usize) -> bool {
    match block {
        [ast::Stmt { kind: StmtKind::Return(Some(_)), .. }] => true,
        [ast::Stmt { kind: StmtKind::If { body, orelse, .. }, .. }, rest @ ..] if most > 0 => {
            let other = if orelse.is_empty() { rest } else { orelse };
            (orelse.is_empty() || rest.is_empty()) && chooses(body, most - 1) && chooses(other, most - 1)
        }
        _ => false,
    }
}

fn parameters(params: &ast::Params) -> Params {
    let count = params.names.len();
    let exact = params.keyword_only_from == count && params.star.is_none() && params.double_star.is_none();
    Params {
        names: params.names.iter().map(|p| p.ident.name.clone()).collect(),
        positional_only: params.positional_only,
        keyword_only_from: params.keyword_only_from,
        star: params.star.is_some(),
        double_star: params.double_star.is_some(),
        exact: exact.then_some(count as u32),
    }
}

/// The names in the order of their slots.
fn parameter_names(params: &ast::Params) -> Vec<Name> {
    let named = params.names.iter().map(|p| &p.ident);
    named.chain(&params.star).chain(&params.double_star).map(|i| i.name.clone()).collect()
}

fn declaration_of(block: &[ast::Stmt], name: &Name) -> Option<crate::diag::Span> {
    block.iter().find_map(|stmt| match &stmt.kind {
        ast::StmtKind::Nonlocal(names) => names.iter().find(|i| i.name == *name).map(|i| i.span),
        _ => None,
    })
}
