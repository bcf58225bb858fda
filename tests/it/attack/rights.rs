//! What the window's page may do at all. Anything more than this is a decision, not an accident.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use serde_json::{Value, json};

fn read(file: &str) -> Value {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).expect(file);
    serde_json::from_str(&text).expect(file)
}

fn policy(text: &str) -> BTreeMap<&str, Vec<&str>> {
    let parts = text.split(';').map(str::trim).filter(|part| !part.is_empty());
    parts
        .map(|part| part.split_once(' ').map_or((part, vec![]), |(name, from)| (name, from.split(' ').collect())))
        .collect()
}

#[test]
fn the_page_loads_its_own_files_alone_and_runs_nothing_else() {
    let settings = read("tauri.conf.json");
    let security = &settings["app"]["security"];
    let names: Vec<&str> = security.as_object().expect("an object").keys().map(String::as_str).collect();
    assert_eq!(names, ["capabilities", "csp"], "no switch that loosens anything");
    let own = policy(security["csp"].as_str().expect("a policy"));
    let wanted: BTreeMap<&str, Vec<&str>> = [
        ("default-src", vec!["'none'"]),
        ("script-src", vec!["'self'"]),
        ("style-src", vec!["'self'"]),
        ("img-src", vec!["'self'", "data:"]),
        ("font-src", vec!["'self'"]),
        ("connect-src", vec!["'self'", "ipc:", "http://ipc.localhost"]),
        ("base-uri", vec!["'none'"]),
        ("form-action", vec!["'none'"]),
        ("frame-ancestors", vec!["'none'"]),
    ]
    .into();
    assert_eq!(own, wanted);
    assert!(settings["plugins"].is_null(), "no plugin is opened by a setting");
    assert_eq!(settings["app"]["withGlobalTauri"], Value::Null, "nothing of Tauri lies about on the page");
    for window in settings["app"]["windows"].as_array().expect("windows") {
        assert!(window["url"].is_null(), "it shows our own page: {window}");
    }
}

#[test]
fn the_page_may_call_listen_and_nothing_more() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src-tauri/capabilities");
    let files: Vec<String> = fs::read_dir(folder)
        .expect("a folder")
        .map(|file| file.expect("a file").file_name().to_string_lossy().into_owned())
        .collect();
    assert_eq!(files, ["main.json"]);
    let mut main = read("src-tauri/capabilities/main.json");
    main.as_object_mut().expect("an object").remove("description");
    assert_eq!(
        main,
        json!({
            "identifier": "main",
            "local": true,
            "windows": ["main"],
            "permissions": ["allow-call", "allow-host", "core:event:allow-listen", "core:event:allow-unlisten"]
        }),
        "no page from elsewhere, no further window, no further right"
    );
    assert_eq!(read("tauri.conf.json")["app"]["security"]["capabilities"], json!(["main"]));
}

/// Only one file of the screens speaks to Tauri, and none turns text into elements or code.
#[test]
fn no_text_becomes_a_part_of_the_page() {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("ui/src")];
    let mut seen = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.display().to_string();
            if name.ends_with(".test.ts") || !(name.ends_with(".ts") || name.ends_with(".svelte")) {
                continue;
            }
            seen += 1;
            let text = fs::read_to_string(&path).expect("a file");
            for word in [
                "{@html",
                "innerHTML",
                "outerHTML",
                "insertAdjacentHTML",
                "document.write",
                "eval(",
                "new Function",
                "srcdoc",
            ] {
                assert!(!text.contains(word), "{name} has {word}");
            }
            assert!(name.ends_with("host/tauri.ts") || !text.contains("@tauri-apps"), "{name} speaks to Tauri");
        }
    }
    assert!(seen > 50, "{seen} files were read");
}

/// Nothing is built in that is not locked by its hash, from where packages usually come, and nothing runs at installing.
#[test]
fn every_package_is_locked_by_its_hash() {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.lock")).expect("a lock");
    let packages: Vec<&str> = text.split("[[package]]").skip(1).collect();
    assert!(packages.len() > 400, "{} packages", packages.len());
    let ours =
        |package: &&&str| package.contains("name = \"reprise-desktop\"") || package.contains("name = \"pozy-sandbox\"");
    assert_eq!(packages.iter().filter(ours).count(), 2);
    let mut sources = BTreeSet::new();
    for package in packages.iter().filter(|package| !ours(package)) {
        assert!(package.contains("checksum = \""), "{package}");
        sources.insert(package.split("source = ").nth(1).and_then(|rest| rest.lines().next()).expect("a source"));
    }
    assert!(sources.len() == 1 && sources.iter().all(|from| from.starts_with("\"registry+")), "{sources:?}");
    let lock = read("ui/package-lock.json");
    let packages = lock["packages"].as_object().expect("packages");
    assert!(packages.len() > 100, "{} packages", packages.len());
    for (name, package) in packages.iter().filter(|(name, _)| !name.is_empty()) {
        assert!(package["integrity"].as_str().is_some_and(|hash| hash.starts_with("sha512-")), "{name} has no hash");
        assert!(package["hasInstallScript"].is_null() && package["link"].is_null(), "{name}");
    }
}
