//! What a person or a data file sets: a provider's settings, and addresses.

use std::{net::SocketAddr, sync::LazyLock};

use reprise_core::{
    address,
    inbound::verify::{Verified, verify},
    pozy::{
        client::{Client, base_address},
        contract::Contract,
        envelope,
    },
    secrets::Secret,
};
use reqwest::Url;

use super::{CONTRACTS, split_at};

const BODY: &[u8] =
    br#"{"id":"ev_1","event":"post.published","timestamp":"2026-03-02T09:00:00Z","post":{"id":"po_1"}}"#;

/// Settings that can be read can be written and read again, and everything works under them.
pub(super) fn contract(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(contract) = Contract::read(text) else { return };
    let written = serde_json::to_string(&contract).expect("settings have a JSON form");
    assert_eq!(Contract::read(&written).as_ref().ok(), Some(&contract));
    assert!(envelope::read(BODY, &contract).is_ok(), "settings make no body unreadable");
    let secret = [Secret::new("millstone").unwrap()];
    let header = contract.signature.header.clone();
    let verified = verify(&contract.signature, &secret, [(header.as_str(), "00")], BODY);
    assert_ne!(verified, Verified::Valid, "no settings make a wrong signature right");
    for path in contract.keyed_paths.iter().chain(&contract.replaying_paths).filter(|path| !path.contains('?')) {
        assert_eq!(contract.takes_key(&format!("{path}/?x")), contract.takes_key(path), "{path}");
    }
}

static CLIENT: LazyLock<Client> = LazyLock::new(|| {
    Client::new("https://api.pozy.example/base", Secret::new("sk_plum").unwrap(), &CONTRACTS[0]).unwrap()
});

/// A base address is https or stays on this computer, has one spelling and holds no password; a path never leads
/// elsewhere, nor is it another call than the one that is checked.
pub(super) fn address(bytes: &[u8]) {
    let (base, path) = split_at(bytes, b'\n');
    let (base, path) = (String::from_utf8_lossy(base), String::from_utf8_lossy(path));
    if let Ok(spelled) = base_address(&base) {
        assert_eq!(base_address(&spelled).ok().as_ref(), Some(&spelled), "one spelling");
        let url: Url = spelled.parse().expect("an address");
        assert!(url.username().is_empty() && url.password().is_none(), "{spelled}");
        if url.scheme() != "https" {
            let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']).to_owned();
            let here = host == "localhost" || host.parse().is_ok_and(address::stays_here);
            assert!(url.scheme() == "http" && here, "{spelled}");
        }
    }
    if let Ok(url) = CLIENT.url(&path) {
        assert_eq!(url.host_str(), Some("api.pozy.example"), "{path:?}");
        assert!(url.path().starts_with("/base/") && url.fragment().is_none(), "{path:?}: {url}");
        let call = &url.path()["/base".len()..];
        for contract in CONTRACTS.iter() {
            assert_eq!(contract.takes_key(call), contract.takes_key(&path), "{path:?} is sent as {call}");
            assert_eq!(contract.replays(call), contract.replays(&path), "{path:?} is sent as {call}");
        }
    }
    if let Ok(on) = base.trim().parse::<SocketAddr>() {
        let here = match on {
            SocketAddr::V4(on) => on.ip().octets()[0] == 127,
            SocketAddr::V6(on) => match on.ip().octets() {
                [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, first, ..] => first == 127,
                octets => octets == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
            },
        };
        assert_eq!(address::only_here(on, "It shows everything.").is_ok(), here, "{on}");
    }
}
