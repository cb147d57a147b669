//! `%shapes relu(x @ w + b)`: what every part of an expression is, found by evaluating each part once.

use super::reader::Reader;
use super::{Call, usage};
use crate::lang::operators;
use crate::show::object::tuple;
use crate::show::picture::{self, Leaf, Shapes, Twig};
use crate::syntax;
use crate::syntax::ast::{Arg, Expr, ExprKind, StmtKind};
use crate::value::{CallArgs, Machine, Outcome, Value};
use unicode_width::UnicodeWidthStr;

pub(super) fn run(call: &mut Call) -> Outcome<()> {
    let wrong = || usage("shapes", "%shapes needs an expression");
    let reader = Reader::new("shapes", call.rest);
    let block = syntax::parse(&reader.source, &syntax::Options::default())?;
    let [statement] = block.as_slice() else { return Err(wrong()) };
    let (name, expr) = match &statement.kind {
        StmtKind::Expr(expr) => (None, expr),
        StmtKind::Assign { targets, value } => match targets.as_slice() {
            [Expr { kind: ExprKind::Name(name), .. }] => (Some(name.clone()), value),
            _ => return Err(wrong()),
        },
        _ => return Err(wrong()),
    };
    let mut tree = Tree { reader: &reader, leaves: vec![], twigs: vec![], failed: None };
    let result = tree.value(call, expr);
    let text = reader.source.text.trim();
    let shapes = Shapes { text, leaves: &tree.leaves, twigs: &tree.twigs, failed: tree.failed };
    let doc = picture::shapes(&shapes, call.width());
    call.print(&doc);
    // The picture says what failed.
    if let (Ok(value), Some(name)) = (result, name) {
        call.interp.globals.set(&name, value);
    }
    Ok(())
}

/// What was found so far.
struct Tree<'a> {
    reader: &'a Reader<'a>,
    leaves: Vec<Leaf>,
    twigs: Vec<Twig>,
    failed: Option<(String, String)>,
}

impl Tree<'_> {
    /// The value of a part, from the values of its parts. What does not evaluate all its parts is evaluated whole.
    fn value(&mut self, call: &mut Call, expr: &Expr) -> Outcome {
        let result = match &expr.kind {
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.value(call, a)?, self.value(call, b)?);
                operators::binary(call.interp, *op, &a, &b)
            }
            ExprKind::Unary(op, a) if !matches!(op, syntax::ast::UnaryOp::Not) => {
                let a = self.value(call, a)?;
                operators::unary(call.interp, *op, &a)
            }
            ExprKind::Compare(a, rest) if rest.len() == 1 => {
                let (a, b) = (self.value(call, a)?, self.value(call, &rest[0].1)?);
                operators::compare(call.interp, rest[0].0, &a, &b)
            }
            ExprKind::Subscript(base, index) => {
                let base = self.value(call, base)?;
                let index = self.reader.index(call, index).map_err(|raise| self.fail(expr, raise))?;
                call.interp.get_item(&base, &index)
            }
            ExprKind::Call { callee, args } if !args.iter().any(|arg| matches!(arg, Arg::DoubleStar(_))) => {
                self.called(call, expr, callee, args)?
            }
            ExprKind::List(items) | ExprKind::Tuple(items) if !items.iter().any(|i| matches!(i.kind, ExprKind::Starred(_))) => {
                let values = items.iter().map(|item| self.value(call, item)).collect::<Outcome<Vec<_>>>()?;
                let is_list = matches!(expr.kind, ExprKind::List(_));
                return Ok(if is_list { Value::list(values) } else { Value::tuple(values) });
            }
            _ => {
                let value = self.reader.value(call, expr).map_err(|raise| self.fail(expr, raise))?;
                self.leaf(expr, &value);
                return Ok(value);
            }
        };
        let value = result.map_err(|raise| self.fail(expr, raise))?;
        self.twigs.push(Twig { text: self.reader.text(expr).to_string(), kind: kind(&value) });
        Ok(value)
    }

    /// A call: the object of a method and the arguments are parts, a plain function is not.
    fn called(&mut self, call: &mut Call, expr: &Expr, callee: &Expr, args: &[Arg]) -> Outcome<Outcome> {
        let function = match &callee.kind {
            ExprKind::Attr(base, name) => {
                let object = self.value(call, base)?;
                call.interp.attr(&object, &name.name)
            }
            _ => self.reader.value(call, callee),
        };
        let function = function.map_err(|raise| self.fail(expr, raise))?;
        let mut given = CallArgs::default();
        for arg in args {
            match arg {
                Arg::Positional(expr) => given.positional.push(self.value(call, expr)?),
                Arg::Keyword(name, expr) => given.keyword.push((name.name.clone(), self.value(call, expr)?)),
                Arg::Star(star) => {
                    let value = self.value(call, star)?;
                    given.positional.extend(value.items().unwrap_or_default());
                }
                Arg::DoubleStar(_) => {}
            }
        }
        Ok(call.interp.call(&function, given))
    }

    /// Notes an operand, if it is a tensor.
    fn leaf(&mut self, expr: &Expr, value: &Value) {
        let Value::Tensor(_) = value else { return };
        let before = self.reader.source.text.trim_start().get(..expr.span.start as usize).unwrap_or_default();
        let label = format!("{} · {}", self.reader.text(expr), kind(value));
        self.leaves.push(Leaf { column: before.width(), label });
    }

    fn fail(&mut self, expr: &Expr, raise: crate::value::Raise) -> crate::value::Raise {
        let text = self.reader.text(expr).to_string();
        self.failed.get_or_insert_with(|| (text, raise.0.diagnostic.headline()));
        raise
    }
}

/// What a value is: dtype and size of a tensor, else its type.
fn kind(value: &Value) -> String {
    match value {
        Value::Tensor(tensor) => format!("{} {}", tensor.dtype().name(), tuple(&tensor.sizes())),
        other => other.type_name(),
    }
}
