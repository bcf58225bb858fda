//! The headers of a log line, in their order (design 7).

use std::fmt;

use serde::{
    Deserialize, Serialize,
    de::{MapAccess, Visitor},
};

/// Headers as name and value, in order; a name that came twice holds a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Headers(pub Vec<(String, String)>);

impl Headers {
    /// True if there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<'de> Deserialize<'de> for Headers {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        // A map of its own would put them into another order.
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Headers;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of names and values")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut pairs: A) -> Result<Headers, A::Error> {
                let mut headers = Vec::new();
                while let Some((name, value)) = pairs.next_entry::<String, serde_json::Value>()? {
                    match value {
                        serde_json::Value::Array(values) => {
                            headers.extend(values.into_iter().map(|value| (name.clone(), text_of(value))));
                        }
                        value => headers.push((name, text_of(value))),
                    }
                }
                Ok(Headers(headers))
            }
        }
        from.deserialize_map(InOrder)
    }
}

fn text_of(value: serde_json::Value) -> String {
    match value {
        serde_json::Value::String(text) => text,
        other => other.to_string(),
    }
}

impl Serialize for Headers {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut grouped: Vec<(&str, Vec<&str>)> = Vec::new();
        for (name, value) in &self.0 {
            match grouped.iter_mut().find(|(known, _)| known.eq_ignore_ascii_case(name)) {
                Some((_, values)) => values.push(value),
                None => grouped.push((name, vec![value])),
            }
        }
        to.collect_map(grouped.into_iter().map(|(name, values)| match values.as_slice() {
            [one] => (name, serde_json::Value::from(*one)),
            many => (name, serde_json::Value::from(many.to_vec())),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_that_came_twice_stays_twice() {
        let headers = Headers(vec![("X-A".into(), "1".into()), ("B".into(), "2".into()), ("x-a".into(), "3".into())]);
        let text = serde_json::to_string(&headers).unwrap();
        assert_eq!(text, r#"{"X-A":["1","3"],"B":"2"}"#);
        let back: Headers = serde_json::from_str(&text).unwrap();
        assert_eq!(back.0.len(), 3);
    }
}
