//! When an output fits what a scenario wants. Pure: values in, a sentence out.
//!
//! An object fits if every key it names is right; other keys are free, and `null` fits a key that is not there. Two
//! RFC 3339 times fit if they are the same instant, however written (R5). In place of a value may stand an object with
//! these keys, all of which must hold:
//!
//! | key | holds if |
//! |---|---|
//! | `$some` | `true`: neither null nor empty; `false`: null, empty or not there |
//! | `$has` | the text holds this text, or the list an element for each of these |
//! | `$starts` | the text starts so |
//! | `$len` | text, list or object is so long |
//! | `$from`, `$to` | the number or time lies there, the end included |
//! | `$any` | one of these fits |
//! | `$not` | this does not fit |

use chrono::DateTime;
use serde_json::Value;

const RULES: [&str; 8] = ["$some", "$has", "$starts", "$len", "$from", "$to", "$any", "$not"];

/// True if `got` is what `want` asks for.
pub(crate) fn fits(want: &Value, got: &Value) -> bool {
    match (want, got) {
        (Value::Object(rules), _) if is_rules(rules) => rules.iter().all(|(rule, arg)| obeys(rule, arg, got)),
        (Value::Object(want), Value::Object(got)) => {
            want.iter().all(|(key, part)| fits(part, got.get(key).unwrap_or(&Value::Null)))
        }
        (Value::Array(want), Value::Array(got)) => {
            want.len() == got.len() && want.iter().zip(got).all(|(want, got)| fits(want, got))
        }
        (Value::String(a), Value::String(b)) => a == b || instant(a).is_some_and(|at| instant(b) == Some(at)),
        _ => want == got,
    }
}

fn is_rules(object: &serde_json::Map<String, Value>) -> bool {
    object.keys().any(|key| key.starts_with('$'))
}

fn obeys(rule: &str, arg: &Value, got: &Value) -> bool {
    match rule {
        "$some" => Some(!is_empty(got)) == arg.as_bool(),
        "$has" => match (arg, got) {
            (Value::String(part), Value::String(text)) => text.contains(part.as_str()),
            (Value::Array(parts), Value::Array(items)) => {
                parts.iter().all(|part| items.iter().any(|item| fits(part, item)))
            }
            (part, Value::Array(items)) => items.iter().any(|item| fits(part, item)),
            _ => false,
        },
        "$starts" => arg.as_str().zip(got.as_str()).is_some_and(|(start, text)| text.starts_with(start)),
        "$len" => length(got).is_some_and(|length| fits(arg, &Value::from(length))),
        "$from" => compare(got, arg).is_some_and(std::cmp::Ordering::is_ge),
        "$to" => compare(got, arg).is_some_and(std::cmp::Ordering::is_le),
        "$any" => arg.as_array().is_some_and(|options| options.iter().any(|option| fits(option, got))),
        "$not" => !fits(arg, got),
        _ => false,
    }
}

fn is_empty(value: &Value) -> bool {
    value.is_null() || length(value) == Some(0)
}

fn length(value: &Value) -> Option<usize> {
    match value {
        Value::String(text) => Some(text.chars().count()),
        Value::Array(items) => Some(items.len()),
        Value::Object(map) => Some(map.len()),
        _ => None,
    }
}

fn compare(got: &Value, limit: &Value) -> Option<std::cmp::Ordering> {
    match (got, limit) {
        (Value::Number(got), Value::Number(limit)) => got.as_f64()?.partial_cmp(&limit.as_f64()?),
        (Value::String(got), Value::String(limit)) => Some(instant(got)?.cmp(&instant(limit)?)),
        _ => None,
    }
}

/// Nanoseconds since 1970 of an RFC 3339 time with an offset.
pub(crate) fn instant(text: &str) -> Option<i64> {
    DateTime::parse_from_rfc3339(text).ok()?.timestamp_nanos_opt()
}

/// A line of its own for each of `wanted`.
///
/// # Errors
/// The first of `wanted` for which no line is left, whichever way the others are given theirs.
pub(crate) fn assign<'a>(wanted: &'a [Value], lines: &[Value]) -> Result<Vec<usize>, &'a Value> {
    let mut owner = vec![None; lines.len()];
    for which in 0..wanted.len() {
        if !place(which, wanted, lines, &mut owner, &mut vec![false; lines.len()]) {
            return Err(&wanted[which]);
        }
    }
    let mut given = vec![0; wanted.len()];
    for (line, which) in owner.iter().enumerate() {
        if let Some(which) = *which {
            given[which] = line;
        }
    }
    Ok(given)
}

/// Gives a line to `which`, moving others to another of their lines where that makes room.
fn place(
    which: usize,
    wanted: &[Value],
    lines: &[Value],
    owner: &mut Vec<Option<usize>>,
    tried: &mut Vec<bool>,
) -> bool {
    for line in 0..lines.len() {
        if tried[line] || !fits(&wanted[which], &lines[line]) {
            continue;
        }
        tried[line] = true;
        if owner[line].is_none_or(|other| place(other, wanted, lines, owner, tried)) {
            owner[line] = Some(which);
            return true;
        }
    }
    false
}

/// Finds a rule that does not exist: a slip of the pen must not pass for a key of the output.
///
/// # Errors
/// A sentence that names it.
pub(crate) fn check_rules(value: &Value) -> Result<(), String> {
    match value {
        Value::Object(map) => {
            if let Some(odd) = map.keys().find(|key| key.starts_with('$') && !RULES.contains(&key.as_str())) {
                return Err(format!("there is no rule `{odd}`"));
            }
            if is_rules(map) && !map.keys().all(|key| key.starts_with('$')) {
                return Err(format!("rules and keys are mixed in {value}"));
            }
            map.values().try_for_each(check_rules)
        }
        Value::Array(items) => items.iter().try_for_each(check_rules),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;
    use serde_json::json;

    #[rstest]
    #[case(json!({"a": 1}), json!({"a": 1, "b": 2}), true)]
    #[case(json!({"a": 1}), json!({"a": 2}), false)]
    #[case(json!({"a": 1}), json!({"a": "1"}), false)]
    #[case(json!({"a": null}), json!({}), true)]
    #[case(json!({"a": null}), json!({"a": false}), false)]
    #[case(json!({"a": [1, 2]}), json!({"a": [1, 2, 3]}), false)]
    #[case(json!({"at": "2026-03-02T10:00:00Z"}), json!({"at": "2026-03-02T11:00:00.000+01:00"}), true)]
    #[case(json!({"at": "2026-03-02T10:00:00Z"}), json!({"at": "2026-03-02T10:00:00.001Z"}), false)]
    #[case(json!({"$some": true}), json!(""), false)]
    #[case(json!({"$some": true}), json!("x"), true)]
    #[case(json!({"$some": false}), json!([]), true)]
    #[case(json!({"$some": false}), json!(["x"]), false)]
    #[case(json!({"$has": "late"}), json!("7 min late"), true)]
    #[case(json!({"$has": "late"}), json!("in order"), false)]
    #[case(json!({"$has": ["a", "b"]}), json!(["b", "c", "a"]), true)]
    #[case(json!({"$has": ["a", "b"]}), json!(["a"]), false)]
    #[case(json!({"$has": "a"}), json!(["a"]), true)]
    #[case(json!({"$starts": "post:"}), json!("post:1"), true)]
    #[case(json!({"$starts": "post:"}), json!("a post:1"), false)]
    #[case(json!({"$len": 2}), json!([1, 2]), true)]
    #[case(json!({"$len": {"$from": 3}}), json!([1, 2]), false)]
    #[case(json!({"$from": 1, "$to": 2}), json!(2), true)]
    #[case(json!({"$from": 1, "$to": 2}), json!(3), false)]
    #[case(json!({"$to": "2026-03-02T10:00:00Z"}), json!("2026-03-02T10:59:59+01:00"), true)]
    #[case(json!({"$from": 1}), json!("9"), false)]
    #[case(json!({"$any": [1, {"$starts": "x"}]}), json!("xy"), true)]
    #[case(json!({"$any": [1, 2]}), json!(3), false)]
    #[case(json!({"$not": "failed"}), json!("failed"), false)]
    #[case(json!({"$not": "failed"}), json!("published"), true)]
    fn each_rule_takes_the_right_and_refuses_the_wrong(#[case] want: Value, #[case] got: Value, #[case] right: bool) {
        assert_eq!(fits(&want, &got), right);
    }

    #[test]
    fn every_wanted_line_needs_a_line_of_its_own() {
        let lines = [json!({"a": 1, "b": 1}), json!({"a": 1})];
        let (narrow, wide) = (json!({"b": 1}), json!({"a": 1}));
        assert_eq!(assign(&[wide.clone(), narrow.clone()], &lines), Ok(vec![1, 0]));
        let twice = [narrow.clone(), narrow.clone()];
        assert_eq!(assign(&twice, &lines), Err(&narrow));
    }

    #[test]
    fn a_misspelt_rule_is_found() {
        assert!(check_rules(&json!({"lines": [{"a": {"$form": 1}}]})).is_err());
        assert!(check_rules(&json!({"a": {"$from": 1, "b": 2}})).is_err());
        assert!(check_rules(&json!({"a": {"$from": 1, "$to": 2}, "b": [{"$some": true}]})).is_ok());
    }
}
