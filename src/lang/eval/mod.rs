//! Walking the resolved tree.

pub mod site;
