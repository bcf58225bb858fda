//! The settings of a provider, one data file each: header names, signature, ladder, key life, known events. What
//! `pozy.md` tags as assumed stands in these files and nowhere in the code (T7).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::error::{Error, Result};

/// Everything about a provider that may turn out to be otherwise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contract {
    /// Name of the file and of the setting that chooses it.
    pub provider: String,
    /// Base address without `/v1`.
    pub base_url: String,
    /// How arrivals are signed.
    pub signature: Signature,
    /// Header that repeats the event's id; it only warns (design 3.4).
    pub event_id_header: String,
    /// An answer later than this counts as failed at the other side (R2), milliseconds.
    pub answer_deadline_ms: i64,
    /// Copies up to this long after the first may be retries (R3), hours.
    pub retries_span_h: i64,
    /// From here on a copy was surely redelivered by hand, hours ("about 33" in the seeds).
    pub by_hand_sure_h: i64,
    /// Up to this long after a good answer a copy is the retry of a lost answer, seconds.
    pub lost_answer_within_s: i64,
    /// A key is remembered this long (R12), hours.
    pub key_life_h: i64,
    /// Nothing is sent by itself in the last hours of a key (design 4.4), hours.
    pub key_margin_h: i64,
    /// On either side of the end of a key or of the content check nothing is foretold for sure (contract "Jobs"),
    /// minutes.
    pub too_close_min: i64,
    /// The same content is refused this long after publishing (R10), hours.
    pub content_window_h: i64,
    /// A nearly equal text is a second post while another is planned or published this long ago, hours.
    pub near_window_h: i64,
    /// Texts are nearly equal up to this part of the longer one, percent of its characters.
    pub near_text_percent: usize,
    /// Longest key (R12), characters.
    pub key_max: usize,
    /// Header that carries the key (R7).
    pub key_header: String,
    /// `code` of the 409 that means "still running" (R9).
    pub conflict_code: String,
    /// Paths known to take a key; anything else is never sent a second time by itself (design 4.4).
    pub keyed_paths: Vec<String>,
    /// Paths where a repeat gives the first post back whatever the body (R7); on other keyed paths it is a 422 (R8).
    pub replaying_paths: Vec<String>,
    /// Known event names and what each is about.
    pub events: BTreeMap<String, Kind>,
}

/// How a provider signs a webhook.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Signature {
    /// Header with the signature; looked up without regard to case.
    pub header: String,
    /// How the HMAC-SHA256 is written.
    pub encoding: Encoding,
    /// Text before the signature that may be there or not, such as `sha256=`.
    #[serde(default)]
    pub prefix: String,
}

/// What a person changed of a provider's settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changes {
    /// How arrivals are signed.
    pub signature: Signature,
    /// Header that repeats the event's id.
    pub event_id_header: String,
}

/// Spelling of a signature's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "wire.ts")]
pub enum Encoding {
    /// Hexadecimal, either case.
    Hex,
    /// Base64, standard alphabet.
    Base64,
}

/// What an event is about and what it says there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kind {
    /// Whose state it carries.
    pub about: About,
    /// The state it stands for if its body names none.
    #[serde(default)]
    pub status: Option<String>,
}

/// Whose state an event carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum About {
    /// A whole post and every target in `platforms[]`.
    Rollup,
    /// One target of a post; carries the post's `status` along.
    Target,
    /// A connected account.
    Account,
    /// Known, but no change of state.
    Nothing,
    /// A test, whatever its body says.
    Test,
}

impl Contract {
    /// The providers whose settings ship with the program.
    pub const SHIPPED: [&str; 2] = ["pozy", "zernio"];

    /// The settings that ship under `provider`.
    ///
    /// # Errors
    /// `Usage` if none ship under that name.
    pub fn shipped(provider: &str) -> Result<Self> {
        let text = match provider {
            "pozy" => include_str!("pozy.json"),
            "zernio" => include_str!("zernio.json"),
            _ => return Err(Error::usage(format!("There are no settings for a provider `{provider}`: pozy, zernio."))),
        };
        Self::read(text)
    }

    /// The same settings with what a person changed.
    #[must_use]
    pub fn with(self, changes: Option<Changes>) -> Self {
        match changes {
            Some(Changes { signature, event_id_header }) => Self { signature, event_id_header, ..self },
            None => self,
        }
    }

    /// True if `path` is known to take a key, so that a second send is told from a new order (design 4.4).
    #[must_use]
    pub fn takes_key(&self, path: &str) -> bool {
        self.keyed_paths.iter().any(|keyed| is_same_call(keyed, path))
    }

    /// True if a repeat to `path` gives the first post back whatever the body (R7).
    #[must_use]
    pub fn replays(&self, path: &str) -> bool {
        self.replaying_paths.iter().any(|replaying| is_same_call(replaying, path))
    }

    /// Settings from the text of a data file.
    ///
    /// # Errors
    /// `Usage` with the place if a field is missing, unknown or of the wrong kind.
    pub fn read(text: &str) -> Result<Self> {
        serde_json::from_str(text)
            .map_err(|cause| Error::caused(crate::error::Code::Usage, "The provider settings cannot be read.", cause))
    }
}

/// True if `path` leads to the call at `known` as servers read addresses: the query says nothing of it, nor do capitals
/// or slashes that are doubled or trail. No spelling may hide a new post from what is checked before it is sent.
fn is_same_call(known: &str, path: &str) -> bool {
    let steps = |path| str::split(path, '/').filter(|step| !step.is_empty());
    let path = path.split('?').next().unwrap_or_default();
    steps(known).map(str::to_ascii_lowercase).eq(steps(path).map(str::to_ascii_lowercase))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("/v1/posts", true)]
    #[case("/v1/posts?dryRun=no", true)]
    #[case("/v1/posts/", true)]
    #[case("/v1//posts", true)]
    #[case("/V1/Posts", true)]
    #[case("/v1/posts/po_1", false)]
    #[case("/v1/postscripts", false)]
    #[case("/v2/posts", false)]
    fn a_call_is_known_however_its_path_is_spelt(#[case] path: &str, #[case] is: bool) {
        let pozy = Contract::shipped("pozy").unwrap();
        assert_eq!((pozy.takes_key(path), pozy.replays(path)), (is, is));
    }

    #[test]
    fn every_shipped_file_reads_and_names_itself() {
        for name in Contract::SHIPPED {
            assert_eq!(Contract::shipped(name).unwrap().provider, name);
        }
        assert!(Contract::shipped("nobody").is_err());
    }

    #[test]
    fn the_four_names_of_the_seeds_are_known() {
        let pozy = Contract::shipped("pozy").unwrap();
        for name in ["post.platform.published", "post.partial", "account.connected", "account.disconnected"] {
            assert!(pozy.events.contains_key(name), "{name}");
        }
    }
}
