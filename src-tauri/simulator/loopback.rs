//! What belongs to this machine: the sandbox has controls without a secret and delivers whatever it is told to, so it
//! neither listens nor delivers beyond.

use std::net::IpAddr;

/// True for an address that only this machine can reach.
pub(crate) fn is_loopback(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

/// True for a host, by name or number, that is this machine; IPv6 may stand in its brackets.
pub(crate) fn is_own_host(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    bare.eq_ignore_ascii_case("localhost") || bare.parse().is_ok_and(is_loopback)
}
