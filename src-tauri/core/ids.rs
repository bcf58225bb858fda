//! Ids as types of their own, so that a post is never taken for a job. All are text from outside, kept as it came.

/// Declares a newtype over text: equal if the text is equal, and plain text on the wire (serde writes a newtype as what it holds).
macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(
            Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize, ts_rs::TS,
        )]
        #[ts(export_to = "wire.ts")]
        pub struct $name(String);

        impl $name {
            /// Takes the text as it is.
            pub fn new(text: impl Into<String>) -> Self {
                Self(text.into())
            }

            /// The text as it came.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

text_id! {
    /// A post at Pozy: `_id` in answers, `post.id` in events.
    PostId
}
text_id! {
    /// The name of a job that people and imports use; unique in a log.
    JobMark
}
text_id! {
    /// The name of a bulk: many jobs that are asked or posted again together; unique in a log.
    BulkMark
}
text_id! {
    /// The `id` of a webhook body: the same on every retry and redelivery, different per event (R1).
    EventId
}
text_id! {
    /// A connected account at Pozy.
    AccountId
}
text_id! {
    /// Where state lives: `post:<id>`, `post:<id>/<accountId>`, `account:<id>`, `other:...` (design 1).
    Lane
}
text_id! {
    /// What an event is about: `post:<id>`, `account:<id>`, else `other:<family>:<id>` (design 1).
    Resource
}

/// Declares a newtype over a row number of this log; it is no proof of anything outside it.
macro_rules! row_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(
            Clone,
            Copy,
            Debug,
            PartialEq,
            Eq,
            PartialOrd,
            Ord,
            Hash,
            serde::Serialize,
            serde::Deserialize,
            ts_rs::TS,
        )]
        #[ts(export_to = "wire.ts")]
        pub struct $name(pub i64);
    };
}

row_id! {
    /// An arrival, in the order in which this log wrote them down.
    Seq
}
row_id! {
    /// A time in which a receiver listened.
    SessionId
}
row_id! {
    /// One file that was imported.
    ImportId
}
row_id! {
    /// A fetch of Pozy's state.
    ObservationId
}
row_id! {
    /// A job.
    JobId
}
row_id! {
    /// One try of a job.
    AttemptId
}
row_id! {
    /// A bulk.
    BulkId
}
row_id! {
    /// A workspace; keys are scoped to it (R12).
    WorkspaceId
}

impl Lane {
    /// The roll-up lane of a post.
    #[must_use]
    pub fn post(post: &PostId) -> Self {
        Self(format!("post:{post}"))
    }

    /// The lane of one target of a post (T1: post and account, not post alone).
    #[must_use]
    pub fn target(post: &PostId, account: &AccountId) -> Self {
        Self(format!("post:{post}/{account}"))
    }

    /// The lane of a connected account.
    #[must_use]
    pub fn account(account: &AccountId) -> Self {
        Self(format!("account:{account}"))
    }
}

impl Resource {
    /// A post with all its targets.
    #[must_use]
    pub fn post(post: &PostId) -> Self {
        Self(format!("post:{post}"))
    }

    /// A connected account.
    #[must_use]
    pub fn account(account: &AccountId) -> Self {
        Self(format!("account:{account}"))
    }

    /// Anything else; `family` is the first part of the event's name.
    #[must_use]
    pub fn other(family: &str, id: &str) -> Self {
        Self(format!("other:{family}:{id}"))
    }
}
