//! Rows that compute element by element.

pub mod arithmetic;
pub mod bitwise;
pub mod blend;
mod c99;
mod c_arcs;
mod c_steps;
pub mod compare;
pub mod complex;
mod complex_log;
pub mod division;
mod halves;
pub mod math;
pub mod power;
pub mod round;
