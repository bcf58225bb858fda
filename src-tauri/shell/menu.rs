//! The menu of the window. What an item does is a [`Go`] for the page, or something only the window can do.

use reprise_core::commands::wire::Go;
use tauri::{
    AppHandle, Manager as _, Wry,
    menu::{Menu, MenuBuilder, MenuItem, MenuItemBuilder, Submenu, SubmenuBuilder},
};
use tauri_plugin_dialog::{DialogExt as _, MessageDialogButtons};

use crate::{border::Border, going, host};

/// How far the page may be enlarged, and by what a step multiplies.
const ZOOM: std::ops::RangeInclusive<f64> = 0.5..=3.0;
const ZOOM_STEP: f64 = 1.1;

/// How large the page is shown; 1 is as designed.
pub(crate) struct Zoom(std::sync::Mutex<f64>);

impl Zoom {
    pub(crate) const fn new() -> Self {
        Self(std::sync::Mutex::new(1.0))
    }
}

/// The whole menu.
pub(crate) fn menu(app: &AppHandle<Wry>) -> tauri::Result<Menu<Wry>> {
    MenuBuilder::new(app).items(&[&file(app)?, &edit(app)?, &view(app)?, &help(app)?]).build()
}

fn item(app: &AppHandle<Wry>, id: &str, text: &str, keys: Option<&str>) -> tauri::Result<MenuItem<Wry>> {
    let builder = MenuItemBuilder::with_id(id, text);
    match keys {
        Some(keys) => builder.accelerator(keys).build(app),
        None => builder.build(app),
    }
}

fn file(app: &AppHandle<Wry>) -> tauri::Result<Submenu<Wry>> {
    SubmenuBuilder::new(app, "&File")
        .item(&item(app, "import", "Import a &log …", Some("CmdOrCtrl+O"))?)
        .item(&item(app, "save_case", "&Save case file …", None)?)
        .separator()
        .item(&item(app, "close", "&Close window", Some("CmdOrCtrl+W"))?)
        .item(&item(app, "quit", "&Quit", Some("CmdOrCtrl+Q"))?)
        .build()
}

/// The page hears these keys itself; the menu only shows that they exist. On Linux the system's own items reach no page,
/// so WebKit is asked by name.
fn edit(app: &AppHandle<Wry>) -> tauri::Result<Submenu<Wry>> {
    let menu = SubmenuBuilder::new(app, "&Edit");
    #[cfg(target_os = "linux")]
    {
        let mut menu = menu;
        for (command, text) in [
            ("Undo", "&Undo"),
            ("Redo", "&Redo"),
            ("Cut", "Cu&t"),
            ("Copy", "&Copy"),
            ("Paste", "&Paste"),
            ("SelectAll", "Select &all"),
        ] {
            menu = menu.item(&item(app, &format!("edit.{command}"), text, None)?);
        }
        menu.build()
    }
    #[cfg(not(target_os = "linux"))]
    menu.undo().redo().separator().cut().copy().paste().select_all().build()
}

/// Screens by the names in their addresses, in the order of the rail.
const SCREENS: [(&str, &str); 6] = [
    ("timeline", "&Timeline"),
    ("events", "&Events"),
    ("posts", "&Posts"),
    ("why", "&Why twice?"),
    ("test", "Te&st"),
    ("settings", "Settin&gs"),
];

fn view(app: &AppHandle<Wry>) -> tauri::Result<Submenu<Wry>> {
    let mut menu = SubmenuBuilder::new(app, "&View");
    for (screen, text) in SCREENS {
        menu = menu.item(&item(app, &format!("screen.{screen}"), text, None)?);
    }
    menu.item(&item(app, "palette", "Search, or &do something", None)?)
        .separator()
        .item(&item(app, "zoom.in", "&Larger", Some("CmdOrCtrl+Equal"))?)
        .item(&item(app, "zoom.out", "S&maller", Some("CmdOrCtrl+Minus"))?)
        .item(&item(app, "zoom.usual", "&Usual size", Some("CmdOrCtrl+0"))?)
        .separator()
        .item(&item(app, "theme.light", "L&ight looks", None)?)
        .item(&item(app, "theme.dark", "D&ark looks", None)?)
        .item(&item(app, "theme.system", "Looks of the s&ystem", None)?)
        .item(&item(app, "zone", "Next &zone for times", None)?)
        .build()
}

fn help(app: &AppHandle<Wry>) -> tauri::Result<Submenu<Wry>> {
    SubmenuBuilder::new(app, "&Help")
        .item(&item(app, "keys", "&Keys", None)?)
        .item(&item(app, "folder", "Where the &data lies", None)?)
        .item(&item(app, "about", "&About Reprise", None)?)
        .build()
}

/// Does what the item of that name says.
pub(crate) fn chosen(app: &AppHandle<Wry>, id: &str) {
    match id {
        "import" => host::pick_for_import(app),
        "quit" => app.exit(0),
        "close" => close(app),
        "about" => about(app),
        "folder" => folder(app),
        "show" => going::raise(app),
        _ => {
            if let Some(go) = leads_to(id) {
                going::go(app, go);
            } else if let Some(by) = id.strip_prefix("zoom.") {
                zoom(app, by);
            } else if let Some(command) = id.strip_prefix("edit.") {
                edits(app, command);
            }
        }
    }
}

/// Where the item of that name leads the page.
fn leads_to(id: &str) -> Option<Go> {
    Some(match (id, id.split_once('.')) {
        (_, Some(("screen", screen))) => Go::Screen { id: screen.to_owned() },
        (_, Some(("theme", theme))) => Go::Theme { id: theme.to_owned() },
        ("zone", _) => Go::Zone {},
        ("keys", _) => Go::Keys {},
        ("palette", _) => Go::Palette {},
        ("save_case", _) => Go::SaveCase {},
        _ => return None,
    })
}

fn close(app: &AppHandle<Wry>) {
    if let Some(window) = app.get_webview_window("main")
        && let Err(cause) = window.close()
    {
        tracing::warn!(%cause, "the window does not close");
    }
}

fn zoom(app: &AppHandle<Wry>, by: &str) {
    let Some(window) = app.get_webview_window("main") else { return };
    let zoom = app.state::<Zoom>();
    let mut size = zoom.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let wanted = match by {
        "in" => *size * ZOOM_STEP,
        "out" => *size / ZOOM_STEP,
        _ => 1.0,
    };
    *size = wanted.clamp(*ZOOM.start(), *ZOOM.end());
    if let Err(cause) = window.set_zoom(*size) {
        tracing::warn!(%cause, "the page keeps its size");
    }
}

#[cfg(target_os = "linux")]
fn edits(app: &AppHandle<Wry>, command: &str) {
    use webkit2gtk::WebViewExt as _;
    let Some(window) = app.get_webview_window("main") else { return };
    let command = command.to_owned();
    if let Err(cause) = window.with_webview(move |page| page.inner().execute_editing_command(&command)) {
        tracing::warn!(%cause, "the page was not asked to edit");
    }
}

#[cfg(not(target_os = "linux"))]
fn edits(_: &AppHandle<Wry>, _: &str) {}

fn about(app: &AppHandle<Wry>) {
    let says = format!(
        "Reprise {}\n\nWhy was this posted twice? A local log of webhooks and posts that can prove it.\n\nApache-2.0",
        env!("CARGO_PKG_VERSION")
    );
    app.dialog().message(says).title("About Reprise").show(|_| {});
}

fn folder(app: &AppHandle<Wry>) {
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        let border = app.state::<Border>();
        let says = match border.desk(&app).await {
            Ok(desk) => format!("The log and everything Reprise keeps lies in\n{}", desk.data_folder().display()),
            Err(problem) => problem.message,
        };
        let shower = app.clone();
        app.dialog()
            .message(says)
            .title("Where the data lies")
            .buttons(MessageDialogButtons::OkCancelCustom("Show the folder".to_owned(), "Close".to_owned()))
            .show(move |show| {
                if show {
                    host::show_folder(&shower);
                }
            });
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_screen_of_the_rail_is_in_the_menu() {
        let screens = include_str!("../../ui/src/state/desk.svelte.ts");
        let list = screens.split("SCREENS = [").nth(1).and_then(|rest| rest.split(']').next()).expect("the screens");
        let rail: Vec<&str> = list.split('\'').skip(1).step_by(2).collect();
        assert_eq!(rail, SCREENS.map(|(screen, _)| screen));
    }

    #[test]
    fn items_of_the_view_lead_where_they_say() {
        assert_eq!(leads_to("screen.posts"), Some(Go::Screen { id: "posts".into() }));
        assert_eq!(leads_to("theme.dark"), Some(Go::Theme { id: "dark".into() }));
        assert_eq!(leads_to("zoom.in"), None);
        assert_eq!(leads_to("edit.Copy"), None);
    }
}
