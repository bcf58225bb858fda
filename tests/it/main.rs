//! it
mod wire;
