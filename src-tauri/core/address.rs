//! Which addresses never leave this computer. What has no secret of its own, or shows everything, listens on those alone.

use std::net::{IpAddr, SocketAddr};

use crate::error::{Error, Result};

/// True for an address that nobody but this computer can reach.
#[must_use]
pub fn stays_here(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

/// Holds if `on` stays on this computer; `why` is the sentence that says why it has to.
///
/// # Errors
/// `Usage` if it can be reached from elsewhere.
pub fn only_here(on: SocketAddr, why: &str) -> Result<()> {
    if stays_here(on.ip()) {
        return Ok(());
    }
    Err(Error::usage(format!("{why} {on} can be reached from elsewhere; choose 127.0.0.1 or [::1] and a port.")))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("127.0.0.1:0", true)]
    #[case("127.9.9.9:80", true)]
    #[case("[::1]:80", true)]
    #[case("[::ffff:127.0.0.1]:80", true)]
    #[case("0.0.0.0:80", false)]
    #[case("[::]:80", false)]
    #[case("[::ffff:0.0.0.0]:80", false)]
    #[case("192.0.2.7:80", false)]
    #[case("[fe80::1]:80", false)]
    #[case("[fd00::1]:80", false)]
    fn only_loopback_stays_here(#[case] on: &str, #[case] here: bool) {
        let on: SocketAddr = on.parse().unwrap();
        assert_eq!((stays_here(on.ip()), only_here(on, "It is shown here only.").is_ok()), (here, here));
    }
}
