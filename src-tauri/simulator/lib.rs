//! A small Pozy over real HTTP. It shares no code with the core: a double that shares its client's code agrees with
//! its client's mistakes.
