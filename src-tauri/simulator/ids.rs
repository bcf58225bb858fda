//! Names of things, one type each, so that a post is never looked up by an account's name.

use serde::{Deserialize, Serialize};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub String);

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }
    )*};
}

ids! {
    /// A post, as `_id` in reads and `id` in webhooks.
    PostId;
    /// A connected account. The sandbox accepts every one; the first use makes it.
    AccountId;
    /// A webhook registration.
    WebhookId;
    /// An event: one thing that happened, the same id in every delivery of it (R1).
    EventId;
    /// A workspace, to which idempotency keys, posts and webhooks are scoped (R12).
    WorkspaceId;
}
