//! What the window and the command line may ask for. Thin: each command reads or acts through the rooms below and
//! turns the answer into wire types. Acting commands are a list of their own, apart from reading ones (design 9).

pub mod wire;
