//! `%info x`, `%show x`, `%heat x`: the values of one tensor in short, in slabs, as an image; `%views x`: other sizes for them.

use super::reader::Reader;
use super::{Call, usage};
use crate::diag::{Diagnostic, ErrorClass};
use crate::show::picture::{self, Named};
use crate::value::{Outcome, Raise};

pub(super) fn info(call: &mut Call) -> Outcome<()> {
    let named = tensor(call, "info")?;
    let doc = picture::info(&named, call.width())?;
    call.print(&doc);
    Ok(())
}

pub(super) fn show(call: &mut Call) -> Outcome<()> {
    let named = dense(tensor(call, "show")?, "show")?;
    if named.tensor.ndim() > picture::FACETS {
        return Err(too_many(&named, "show", picture::FACETS));
    }
    let doc = picture::facets(&named, call.width())?;
    call.print(&doc);
    Ok(())
}

pub(super) fn heat(call: &mut Call) -> Outcome<()> {
    let named = dense(tensor(call, "heat")?, "heat")?;
    if named.tensor.ndim() > 2 {
        return Err(too_many(&named, "heat", 2));
    }
    // Two pixels in a character are nothing but colour: elsewhere the character says it, too.
    let render = call.shell.look.get().render;
    let blocks = render.color && !render.ascii && !render.narrate && call.kept.is_none();
    let doc = picture::heat(&named, blocks, call.width())?;
    call.print(&doc);
    Ok(())
}

pub(super) fn views(call: &mut Call) -> Outcome<()> {
    let named = tensor(call, "views")?;
    if named.tensor.is_sparse() {
        let message = format!("a sparse tensor has no strides, and {} is one", named.name);
        let help = format!("%views {}.to_dense()", picture::atom(&named.name));
        return Err(Diagnostic::new(ErrorClass::ValueError, message).help(help).into());
    }
    let doc = picture::views(&named, call.width());
    call.print(&doc);
    Ok(())
}

/// The refusal of a tensor with more dimensions than a command draws.
fn too_many(named: &Named, command: &str, most: usize) -> Raise {
    let ndim = named.tensor.ndim();
    let index = vec!["0"; ndim - most].join(", ");
    let message = format!("%{command} draws up to {most} dims, and {} has {ndim}", named.name);
    let help = format!("say which part: %{command} {}[{index}]", picture::atom(&named.name));
    Diagnostic::new(ErrorClass::ValueError, message).help(help).into()
}

/// The tensor that a command is about.
fn tensor(call: &mut Call, command: &str) -> Outcome<Named> {
    if call.rest.is_empty() {
        return Err(usage(command, &format!("%{command} needs a tensor")));
    }
    let reader = Reader::new(command, call.rest);
    let expr = reader.expression()?;
    reader.tensor(call, &expr)
}

/// The tensor, unless it is sparse.
fn dense(named: Named, command: &str) -> Outcome<Named> {
    if !named.tensor.is_sparse() {
        return Ok(named);
    }
    let message = format!("%{command} draws every element, and {} is sparse", named.name);
    let help = format!("%{command} {}.to_dense()", picture::atom(&named.name));
    Err(Diagnostic::new(ErrorClass::ValueError, message).help(help).into())
}
