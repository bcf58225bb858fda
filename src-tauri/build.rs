//! Build steps: the placeholder page the window needs to compile, Tauri's code, and the linker flag that keeps our
//! SQLite apart from the one WebKit uses.

use std::{fs, path::Path};

fn main() {
    println!("cargo:rerun-if-changed=src-tauri/build.rs");
    println!("cargo:rerun-if-changed=src-tauri/core/store/migrations");
    println!("cargo:rerun-if-changed=src-tauri/capabilities");
    println!("cargo:rerun-if-changed=src-tauri/permissions");
    println!("cargo:rerun-if-changed=tauri.conf.json");

    // `generate_context!` and `serve` embed ui/dist; without the folder nothing compiles. A built UI is never touched.
    let page = Path::new("ui/dist/index.html");
    if !page.exists() {
        fs::create_dir_all("ui/dist").expect("ui/dist can be created");
        fs::write(
            page,
            "<!doctype html><title>Reprise</title><p>The screens are not built yet: npm --prefix ui run build</p>\n",
        )
        .expect("ui/dist/index.html can be written");
    }

    // WebKit loads the system's SQLite; if the program exported its own `sqlite3_*`, WebKit's calls would land there.
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo:rustc-link-arg-bins=-Wl,--exclude-libs,ALL");
    }

    #[cfg(feature = "desktop")]
    {
        // A pattern of our own, since the default folder would be written by the build and so build everything twice.
        let attributes = tauri_build::Attributes::new()
            .app_manifest(tauri_build::AppManifest::new().permissions_path_pattern("src-tauri/permissions/*.toml"))
            .capabilities_path_pattern("src-tauri/capabilities/*.json");
        tauri_build::try_build(attributes).expect("tauri.conf.json and the capabilities are well formed");
    }
}
