//! Classes.

use super::survey::Survey;
use super::tree::*;
use super::{Compiler, Result};
use crate::syntax::ast::{self, ClassBody, Expr, ExprKind, Ident, Name, StmtKind};
use std::rc::Rc;

impl Compiler<'_> {
    /// A class to be made where it is defined. Its body runs once, in a frame of its own.
    pub fn class(&mut self, name: &Ident, class: &ClassBody, decorators: &[Expr]) -> Result<Kind> {
        let decorators = self.exprs(decorators)?;
        let bases = self.args(&class.bases)?;
        let survey = Survey::class(class).of_class();
        let loops = std::mem::take(&mut self.loops);
        self.scopes.push_class();
        self.around.push(format!("{}.", name.name));
        let class_around = self.class_name.replace(name.name.clone());
        let cell_params = self.scopes.declare_function(&survey, &[]);
        let body = self.block(&class.body);
        let annotated = self.annotated(&class.body);
        let frame = self.scopes.pop_frame();
        self.class_name = class_around;
        self.around.pop();
        self.loops = loops;
        let code = self.code(name.name.clone(), Params::default(), Body::Block(body?), frame, cell_params, class.doc.clone());
        let target = self.name_target(&name.name);
        Ok(Kind::Class(Box::new(MakeClass { code: Rc::new(code), bases, annotated: annotated?, target, decorators })))
    }

    /// The names that are written with a type, and the types, in order.
    fn annotated(&mut self, body: &[ast::Stmt]) -> Result<Box<[(Name, Node)]>> {
        let mut found = vec![];
        for stmt in body {
            if let StmtKind::AnnAssign { target: Expr { kind: ExprKind::Name(name), .. }, annotation, .. } = &stmt.kind {
                found.push((name.clone(), self.expr(annotation)?));
            }
        }
        Ok(found.into())
    }

    /// The name that an attribute has where this is written.
    pub fn member(&self, name: &Name) -> Name {
        match &self.class_name {
            Some(class) => private(class, name),
            None => name.clone(),
        }
    }
}

/// A name that begins with two underscores belongs to the class that it is written in: `_Class__name`.
pub fn private(class: &Name, name: &Name) -> Name {
    match name.starts_with("__") && !name.ends_with("__") {
        true => format!("_{}{name}", class.trim_start_matches('_')).into(),
        false => name.clone(),
    }
}
