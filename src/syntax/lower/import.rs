//! `import` and `from … import`.

use super::{Lower, is, normal};
use crate::syntax::ast::{Alias, Ident, StmtKind};
use crate::syntax::grammar::{Node, Rule, inside};
use crate::syntax::refusal::Parsed;

impl Lower {
    /// `a.b as c`.
    pub(super) fn alias(&self, node: &Node) -> Alias {
        let mut inner = inside(node);
        let name = inner.next().map_or_else(|| self.dotted(node), |n| self.dotted(&n));
        Alias { name, alias: inner.next().map(|n| self.ident(&n)) }
    }

    /// A dotted name as one identifier, blanks left out.
    fn dotted(&self, node: &Node) -> Ident {
        let text: String = node.as_str().split_whitespace().collect();
        Ident { name: normal(&text), span: self.span(node) }
    }

    pub(super) fn import_from(&self, node: &Node) -> Parsed<StmtKind> {
        let mut inner = inside(node);
        let module = self.child(&mut inner, self.span(node))?;
        let module = self.dotted(&module);
        let names = inner.filter(|n| !is(n, &[Rule::import_all])).map(|n| self.alias(&n)).collect();
        Ok(StmtKind::FromImport { module, names })
    }
}
