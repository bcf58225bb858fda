//! One parser under LLVM's fuzzer: `REPRISE_FUZZ` names the target, `tests/fuzz.sh` builds and drives this.
#![no_main]
#![allow(clippy::unwrap_used, reason = "what must hold is said by panics")]

mod targets;

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use targets::Target;

static TARGET: LazyLock<&Target> = LazyLock::new(|| {
    let name = std::env::var("REPRISE_FUZZ").unwrap_or_default();
    targets::ALL.iter().find(|target| target.name == name).unwrap_or_else(|| {
        let names: Vec<_> = targets::ALL.iter().map(|target| target.name).collect();
        panic!("REPRISE_FUZZ must name a target: {}", names.join(", "))
    })
});

fuzz_target!(|bytes: &[u8]| (TARGET.holds)(bytes));
