//! Search: what was typed, what a word is, and whether a row fits. All of it is pure. The index and the scan both go by
//! [`words`], so that a text is found by the index exactly if reading it would find it.

pub mod excerpt;
pub mod fit;
pub mod typed;
pub mod words;
