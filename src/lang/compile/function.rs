//! Functions and lambdas.

use super::survey::Survey;
use super::tree::*;
use super::{Compiler, Result};
use crate::syntax::ast::{self, Function, Name};
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
        let survey = Survey::function(function);
        self.check_nonlocals(&survey, function)?;
        let loops = std::mem::take(&mut self.loops);
        self.scopes.push_frame();
        self.functions.push(name.clone());
        let names = parameter_names(&function.params);
        let cell_params = self.scopes.declare_function(&survey, &names);
        let body = self.body(function);
        let frame = self.scopes.pop_frame();
        self.loops = loops;
        let params = parameters(&function.params);
        let code = self.code(name.clone(), params, body?, frame, cell_params, function.doc.clone());
        self.functions.pop();
        Ok(MakeFunction { code: Rc::new(code), defaults: defaults.into() })
    }

    /// A body that only returns a value is that expression.
    fn body(&mut self, function: &Function) -> Result<Body> {
        match function.body.as_slice() {
            [ast::Stmt { kind: ast::StmtKind::Return(Some(value)), .. }] => Ok(Body::Value(self.expr(value)?)),
            block => Ok(Body::Block(self.block(block)?)),
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
