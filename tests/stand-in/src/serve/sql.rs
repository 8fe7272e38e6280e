//! SQL text as the protocol layer sees it: words, and the few statements that never reach the engine.

pub(crate) mod scanner;
pub(crate) mod statement;

pub(crate) use statement::{ShowWhat, Statement};
