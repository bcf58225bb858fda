//! Reads `GET /v1/accounts`: the connected accounts of a workspace (`pozy.md` 5.2). Field names are taken as they come;
//! what is missing is left out.

use serde_json::Value;

use crate::ids::AccountId;

/// One connected account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// Its id.
    pub id: AccountId,
    /// Platform name; empty if the answer has none.
    pub platform: String,
    /// What people call it; its id if the answer has no name.
    pub name: String,
    /// False if Pozy says that it is disconnected or wants to be connected anew.
    pub connected: bool,
}

/// Path of one page of accounts, counted from 1.
#[must_use]
pub fn path(page: u32) -> String {
    format!("/v1/accounts?page={page}&limit=100")
}

/// The accounts in the body of an answer, and whether a further page may follow.
#[must_use]
pub fn read(body: &[u8]) -> (Vec<Account>, bool) {
    let Ok(top) = serde_json::from_slice::<Value>(body) else { return (Vec::new(), false) };
    let accounts = top["accounts"].as_array().into_iter().flatten().filter_map(account).collect();
    let page = |name: &str| top["pagination"][name].as_u64();
    let more = top["pagination"]["hasMore"].as_bool().unwrap_or(page("page") < page("pages"));
    (accounts, more)
}

fn account(value: &Value) -> Option<Account> {
    let word = |name: &str| value[name].as_str().filter(|text| !text.trim().is_empty());
    let id = word("_id").or_else(|| word("id"))?;
    let wants_care = value["needsReconnection"] == true || value["isActive"] == false;
    Some(Account {
        id: AccountId::new(id),
        platform: word("platform").unwrap_or_default().to_owned(),
        name: word("displayName").or_else(|| word("username")).unwrap_or(id).to_owned(),
        connected: word("status").map_or(!wants_care, |status| status == "connected" && !wants_care),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fall_back_and_broken_ones_are_told() {
        let body = br#"{"accounts":[
            {"_id":"ac_1","platform":"linkedin","displayName":"Harbour","isActive":true},
            {"_id":"ac_2","platform":"instagram","username":"harbour","needsReconnection":true},
            {"id":"ac_3","status":"disconnected"},
            {"platform":"nowhere"}],
            "pagination":{"page":1,"pages":2}}"#;
        let (accounts, more) = read(body);
        let told: Vec<_> = accounts.iter().map(|one| (one.id.as_str(), one.name.as_str(), one.connected)).collect();
        assert_eq!(told, [("ac_1", "Harbour", true), ("ac_2", "harbour", false), ("ac_3", "ac_3", false)]);
        assert!(more);
        assert_eq!(read(b"<html>"), (Vec::new(), false));
        assert!(!read(br#"{"accounts":[],"pagination":{"hasMore":false,"page":1,"pages":9}}"#).1);
    }
}
