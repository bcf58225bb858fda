//! Filters of the Events that a person gave a name. They are settings of the log, so that the window and every browser
//! show the same ones.

use super::wire::{FilterArgs, Nothing, SaveFilterArgs, SavedFilter, SavedFilters};
use crate::{
    desk::Desk,
    error::{Error, Result},
    settings,
};

/// Longest name, characters.
const LONGEST: usize = 60;
/// Most filters of a log.
const MOST: usize = 50;
/// Most bytes of the terms of one.
const MOST_BYTES: usize = 4_096;

pub(super) async fn list(desk: &Desk, _: Nothing) -> Result<SavedFilters> {
    let room = desk.room().await;
    let filters = settings::get(room.store.pool(), settings::FILTERS).await?.unwrap_or_default();
    Ok(SavedFilters { filters })
}

pub(super) async fn save(desk: &Desk, args: SaveFilterArgs) -> Result<SavedFilters> {
    let room = desk.room().await;
    let fresh = room.clock.new_id();
    change(desk, move |filters| put(filters, args, fresh)).await
}

pub(super) async fn delete(desk: &Desk, args: FilterArgs) -> Result<SavedFilters> {
    change(desk, move |filters| {
        let before = filters.len();
        filters.retain(|filter| filter.id != args.id);
        if filters.len() == before { Err(gone()) } else { Ok(()) }
    })
    .await
}

/// Changes the list in one piece of write work.
async fn change(
    desk: &Desk,
    work: impl FnOnce(&mut Vec<SavedFilter>) -> Result<()> + Send + 'static,
) -> Result<SavedFilters> {
    let room = desk.room().await;
    let change = room.store.write(move |connection| {
        let mut filters: Vec<SavedFilter> = settings::written(connection, settings::FILTERS)?.unwrap_or_default();
        work(&mut filters)?;
        settings::set(connection, settings::FILTERS, &filters)?;
        Ok(filters)
    });
    let filters = change.await?;
    desk.tell();
    Ok(SavedFilters { filters })
}

/// Adds a filter or changes one; the list stays in the order of the names.
fn put(filters: &mut Vec<SavedFilter>, args: SaveFilterArgs, fresh: String) -> Result<()> {
    let name = args.name.split_whitespace().collect::<Vec<_>>().join(" ");
    if name.is_empty() {
        return Err(Error::usage("A filter needs a name."));
    }
    if name.chars().count() > LONGEST {
        return Err(Error::usage(format!("The name of a filter has at most {LONGEST} characters.")));
    }
    let taken = |filter: &SavedFilter| {
        filter.name.to_lowercase() == name.to_lowercase() && Some(&filter.id) != args.id.as_ref()
    };
    if filters.iter().any(taken) {
        return Err(Error::refused("There is a filter of that name already. Choose another name, or delete that one."));
    }
    let size = |terms: &std::collections::BTreeMap<String, String>| {
        terms.iter().map(|(term, value)| term.len() + value.len()).sum::<usize>()
    };
    if args.terms.as_ref().is_some_and(|terms| terms.is_empty() || size(terms) > MOST_BYTES) {
        return Err(Error::usage("There is nothing in this filter that could be kept."));
    }
    match args.id {
        Some(id) => {
            let filter = filters.iter_mut().find(|filter| filter.id == id).ok_or_else(gone)?;
            filter.name = name;
            filter.terms = args.terms.unwrap_or_else(|| std::mem::take(&mut filter.terms));
        }
        None if filters.len() >= MOST => {
            return Err(Error::refused(format!("There are {MOST} filters, and no more fit. Delete one first.")));
        }
        None => {
            let terms =
                args.terms.ok_or_else(|| Error::usage("There is nothing in this filter that could be kept."))?;
            filters.push(SavedFilter { id: fresh, name, terms });
        }
    }
    filters.sort_by_key(|filter| filter.name.to_lowercase());
    Ok(())
}

fn gone() -> Error {
    Error::not_found("That filter is not there any more.")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(id: Option<&str>, name: &str, text: Option<&str>) -> SaveFilterArgs {
        let terms = text.map(|text| [("text".to_owned(), text.to_owned())].into());
        SaveFilterArgs { id: id.map(str::to_owned), name: name.to_owned(), terms }
    }

    #[test]
    fn filters_are_kept_renamed_and_told_apart_by_their_names() {
        let mut filters = Vec::new();
        put(&mut filters, args(None, "  Late  ones ", Some("hay")), "a".into()).unwrap();
        put(&mut filters, args(None, "Fair", Some("fair")), "b".into()).unwrap();
        assert_eq!(filters.iter().map(|filter| filter.name.as_str()).collect::<Vec<_>>(), ["Fair", "Late ones"]);
        assert!(put(&mut filters, args(None, "late ones", Some("x")), "c".into()).is_err(), "the name is taken");
        put(&mut filters, args(Some("a"), "late ones", None), "c".into()).unwrap();
        assert_eq!((filters[1].name.as_str(), filters[1].terms["text"].as_str()), ("late ones", "hay"));
        assert!(put(&mut filters, args(Some("z"), "Other", None), "c".into()).is_err(), "that one is gone");
        for (name, text) in [(" ", Some("x")), (&*"n".repeat(61), Some("x")), ("Nothing", None)] {
            assert!(put(&mut filters, args(None, name, text), "c".into()).is_err());
        }
        assert_eq!(filters.len(), 2);
    }

    #[test]
    fn no_more_than_a_menu_holds() {
        let mut filters = Vec::new();
        for n in 0..MOST {
            put(&mut filters, args(None, &format!("f{n}"), Some("x")), n.to_string()).unwrap();
        }
        assert!(put(&mut filters, args(None, "one more", Some("x")), "z".into()).is_err());
    }
}
