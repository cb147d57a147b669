//! `class`: its body runs as a function's does, and what its variables are at the end are the members.

use super::call::captures;
use super::raised::WithRaise;
use crate::diag::Span;
use crate::lang::classes::{self, Draft};
use crate::lang::compile::private;
use crate::lang::compile::tree::{Body, MakeClass};
use crate::lang::frame::{Frame, new_cells};
use crate::lang::interp::Interp;
use crate::value::Outcome;

impl Interp {
    pub(super) fn define_class(&mut self, f: &mut Frame, it: &MakeClass, span: Span) -> Outcome<()> {
        let decorators = it.decorators.iter().map(|d| self.eval(f, d)).collect::<Outcome<Vec<_>>>()?;
        let name = it.code.name.clone();
        let args = self.args(f, &it.bases, &|| name.to_string())?;
        let (free, mut cells) = (captures(f, &it.code), new_cells(&it.code));
        let base = self.stack.len();
        self.stack.resize(base + it.code.slots as usize, None);
        let mut body = Frame { code: &it.code, base, cells: &mut cells, free: &free };
        let ran = match &it.code.body {
            Body::Block(block) => self.block(&mut body, block).with_raise().map(|_| ()),
            _ => Ok(()),
        };
        let annotated: Outcome<Vec<_>> = match &ran {
            Ok(()) => it.annotated.iter().map(|(name, node)| Ok((name.clone(), self.written_type(&mut body, node)?))).collect(),
            Err(_) => Ok(vec![]),
        };
        let values = self.stack.split_off(base);
        ran?;
        let annotated = annotated?;
        let names = it.code.slot_names.iter().zip(values).filter_map(|(own, value)| Some((private(&name, own), value?)));
        let draft = Draft {
            name: name.clone(),
            qualname: it.code.qualname.clone(),
            doc: it.code.doc.clone(),
            names: names.collect(),
            annotated,
            module: self.defining.clone(),
            // The only cell is that of the class itself.
            cell: cells.first().cloned(),
        };
        let class = classes::make(self, draft, args).map_err(|r| self.locate(f, span, r))?;
        self.bind_decorated(f, &it.target, class, &decorators, &it.decorators)
    }
}
