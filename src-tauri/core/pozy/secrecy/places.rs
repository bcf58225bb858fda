//! Secrets in headers and addresses. Pure.

use std::borrow::Cow;

use super::{
    Mask, Piece, is_masked,
    names::{is_open_header, is_secret_name},
    pieces,
    text::unpercented,
};

/// Masks headers in place: the whole value of a secret one, secrets inside any other; names and order stay.
pub fn mask_headers(headers: &mut [(String, String)], mask: &mut Mask) {
    for (name, value) in headers {
        if let Some(masked) = masked_header(name, value, mask) {
            *value = masked;
        }
    }
}

/// The masked value of one header; none if it holds no secret.
pub fn masked_header(name: &str, value: &str, mask: &mut Mask) -> Option<String> {
    if is_open_header(name) {
        mask.sweep(value, true)
    } else if is_secret_name(name) {
        (!value.is_empty()).then(|| mask.cover(&format!("header {name}"), value))
    } else {
        mask.text(value, 1)
    }
}

/// A header as everybody sees it, whoever numbered its secrets: without the value of a secret one, and with an empty
/// mark where a secret stood in another.
#[must_use]
pub fn shape_of_header<'a>(name: &str, value: &'a str) -> Cow<'a, str> {
    if is_secret_name(name) {
        return Cow::Borrowed("");
    }
    match masked_header(name, value, &mut Mask::default()) {
        None => Cow::Borrowed(value),
        Some(masked) => {
            let shape = pieces(&masked).into_iter().map(|piece| match piece {
                Piece::Text(text) => text,
                Piece::Masked(_) => "[masked]",
            });
            Cow::Owned(shape.collect())
        }
    }
}

/// Masks secrets of a URL: parameters in query and fragment, a password before its host, and known values in its path
/// apart from ids.
#[must_use]
pub fn mask_url(url: &str, mask: &mut Mask) -> String {
    let (rest, fragment) = match url.split_once('#') {
        Some((rest, fragment)) => (rest, Some(fragment)),
        None => (url, None),
    };
    let (place, query) = match rest.split_once('?') {
        Some((place, query)) => (place, Some(query)),
        None => (rest, None),
    };
    let mut masked = mask_place(place, mask);
    for (sign, part) in [('?', query), ('#', fragment)] {
        if let Some(part) = part {
            masked.push(sign);
            masked.push_str(&mask_parameters(part, mask));
        }
    }
    // A person's own secret may hold what parts an address.
    let whole = mask.known.find(&masked, true);
    mask.covered(&masked, whole).unwrap_or(masked)
}

/// Parts of a path before an id, which is evidence.
const BEFORE_ID: [&str; 4] = ["posts", "accounts", "webhooks", "profiles"];

fn mask_path(place: &str, mask: &mut Mask) -> String {
    if !mask.known.stand_in(place) && !is_masked(place) {
        return place.to_owned();
    }
    let mut before = "";
    let parts = place.split('/').map(|part| {
        let id = BEFORE_ID.contains(&std::mem::replace(&mut before, part));
        mask.sweep(part, id).unwrap_or_else(|| part.to_owned())
    });
    parts.collect::<Vec<_>>().join("/")
}

/// `scheme://user:password@host` keeps its user only.
fn mask_place(place: &str, mask: &mut Mask) -> String {
    if let Some((scheme, rest)) = place.split_once("://") {
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        if let Some((user, host)) = authority.rsplit_once('@')
            && let Some((name, password)) = user.split_once(':')
        {
            let name = mask_path(name, mask);
            let password = mask.cover("password in an address", password);
            let scheme = mask_path(scheme, mask);
            return format!("{scheme}://{name}:{password}@{}{}", mask_path(host, mask), mask_path(path, mask));
        }
    }
    mask_path(place, mask)
}

fn mask_parameters(text: &str, mask: &mut Mask) -> String {
    let parameters = text.split('&').map(|parameter| match parameter.split_once('=') {
        Some((name, value)) => {
            let plain = unpercented(name);
            let plain = plain.as_deref().unwrap_or(name);
            let masked = if is_secret_name(plain) {
                Some(mask.cover(&format!("parameter {plain}"), value))
            } else {
                mask.text(value, 1)
            };
            let name = mask.sweep(name, false).unwrap_or_else(|| name.to_owned());
            format!("{name}={}", masked.as_deref().unwrap_or(value))
        }
        None => mask.text(parameter, 1).unwrap_or_else(|| parameter.to_owned()),
    });
    parameters.collect::<Vec<_>>().join("&")
}
