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
