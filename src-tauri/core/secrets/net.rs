//! The last net under every way out: the person's own secrets, and whatever looks like a secret in words for people who
//! look for a mistake. A host hangs it under its log, its output and its panics; the desk fills it.

use std::{
    borrow::Cow,
    io::{self, Write},
    sync::{Arc, PoisonError, RwLock},
};

use crate::{
    error::Error,
    pozy::secrecy::{self, Own},
};

/// Knows the secrets of the workspaces that were opened. Cheap to clone; all clones know the same.
#[derive(Clone, Debug, Default)]
pub struct Net(Arc<RwLock<Own>>);

impl Net {
    /// Knows these from now on.
    pub fn learn(&self, own: &Own) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).join(own);
    }

    /// What it knows.
    #[must_use]
    pub fn own(&self) -> Own {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A line with the own secrets covered and all else as it is.
    #[must_use]
    pub fn line<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let own = self.0.read().unwrap_or_else(PoisonError::into_inner);
        own.covered(text).map_or(Cow::Borrowed(text), Cow::Owned)
    }

    /// Words about a mistake, with everything covered that looks like a secret.
    #[must_use]
    pub fn words(&self, text: &str) -> String {
        secrecy::masked_words(text, &self.own())
    }

    /// An error with its words covered, and those of its cause.
    #[must_use]
    pub fn error(&self, error: Error) -> Error {
        error.in_other_words(|text| self.words(text))
    }

    /// A writer that covers what goes through it to `to`. Words must come in one piece, as those of a log do.
    pub const fn over<W: Write>(&self, to: W) -> Covered<'_, W> {
        Covered { net: self, to }
    }
}

/// See [`Net::over`].
#[derive(Debug)]
pub struct Covered<'a, W> {
    net: &'a Net,
    to: W,
}

impl<W: Write> Write for Covered<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.to.write_all(self.net.words(&String::from_utf8_lossy(bytes)).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::{error::Code, secrets::Secret};

    #[test]
    fn nothing_secret_passes() {
        let net = Net::default();
        let mut own = Own::default();
        own.add(&Secret::new("sk_own_plum").unwrap());
        net.clone().learn(&own);
        let mut written = Vec::new();
        net.over(&mut written).write_all(b"sent sk_own_plum with authorization: Bearer fig_1234\n").unwrap();
        assert_eq!(String::from_utf8(written).unwrap(), "sent [masked 1] with authorization: Bearer [masked 2]\n");
        assert_eq!(net.line("a sk_own_plum, token=x"), "a [masked], token=x");
        let error = Error::caused(Code::Storage, "Not sk_own_plum.", "password=pear");
        assert_eq!(net.error(error).to_string(), "Not [masked 1]. (password=[masked 1])");
    }
}
