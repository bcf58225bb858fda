//! What must hold whatever bytes come in, one function for each place where bytes of strangers are read. None may panic
//! by itself, hang, or take what it must refuse. They are pure and quick, so that both LLVM's fuzzer (`tests/fuzz.sh`)
//! and the replay of the kept inputs in `./test` drive them.

mod answers;
mod arrivals;
mod imports;
mod looking;
mod sending;
mod settings;
mod ways_out;

use std::sync::{Arc, LazyLock};

use reprise_core::{clock::Moment, pozy::contract::Contract};

/// A place where bytes of strangers are read.
pub(crate) struct Target {
    /// Name of the target and of its folder of kept inputs.
    pub(crate) name: &'static str,
    /// Holds for any bytes.
    pub(crate) holds: fn(&[u8]),
}

/// All of them.
pub(crate) const ALL: [Target; 16] = [
    Target { name: "envelope", holds: arrivals::envelope },
    Target { name: "signature", holds: arrivals::signature },
    Target { name: "log_lines", holds: imports::log_lines },
    Target { name: "har", holds: imports::har },
    Target { name: "table", holds: imports::table },
    Target { name: "delivery_log", holds: imports::delivery_log },
    Target { name: "curl", holds: imports::curl },
    Target { name: "requests", holds: imports::requests },
    Target { name: "n8n", holds: imports::n8n },
    Target { name: "answer", holds: answers::answer },
    Target { name: "contract", holds: settings::contract },
    Target { name: "address", holds: settings::address },
    Target { name: "many_posts", holds: sending::many_posts },
    Target { name: "search", holds: looking::search },
    Target { name: "secrecy", holds: ways_out::secrecy },
    Target { name: "curl_command", holds: ways_out::curl_command },
];

/// A secret of our own that may be found in no way out; the words of the fuzzer hold it.
const OWN_SECRET: &str = "sk_millstone_5Qw8zK2t";

/// The moment at which all of this happens.
const NOW: Moment = Moment::from_millis(1_772_442_000_000);

/// The settings that ship.
static CONTRACTS: LazyLock<Vec<Arc<Contract>>> =
    LazyLock::new(|| Contract::SHIPPED.iter().map(|name| Arc::new(Contract::shipped(name).unwrap())).collect());

/// What stands before the first of these bytes, and what after it; all and nothing where there is none.
fn split_at(bytes: &[u8], sign: u8) -> (&[u8], &[u8]) {
    let mut parts = bytes.splitn(2, |byte| *byte == sign);
    (parts.next().unwrap_or_default(), parts.next().unwrap_or_default())
}
