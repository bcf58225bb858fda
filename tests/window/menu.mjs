// The menu, its keys and what they open, in the real window: every item does what it says. Also the size that a window is
// opened with again, the folder that a case file is kept in, a live post opened outside, and a log handed over by the menu
// and by a second start.
//
//   xvfb-run -a dbus-run-session -- node tests/window/menu.mjs [BINARY]

import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Desk, program } from "./desk.mjs";
import { inWindow, pictures, scratch, until } from "./driver.mjs";

const binary = resolve(process.argv[2] ?? "target/debug/reprise-desktop");
const APP = "Reprise";

const hash = (window) => window.run("return location.hash");

/**
 * Chooses the item at a place of a menu by the keyboard alone, its letter and then so many steps down, until it did what
 * it says. Keys that came before the menu was open are pressed anew, on a menu that is closed again.
 */
async function choose(desk, letter, steps, what, did) {
  await until(what, async () => {
    await desk.keys(APP, `alt+${letter}`, ...Array(steps).fill("Down"), "Return");
    if (await until(what, did, 4_000).then(() => true, () => false)) return true;
    await desk.keys(APP, "Escape", "Escape");
    return false;
  }, 40_000);
}

/** View leads to the screens, enlarges, changes the looks and the zone. */
async function view(window, desk) {
  for (const [at, screen] of ["timeline", "events", "posts", "why", "test", "settings"].entries()) {
    await choose(desk, "v", at, `View leads to ${screen}`, async () => (await hash(window)).startsWith(`#/${screen}`));
  }
  await choose(desk, "v", 6, "the command box", () => window.run(`return document.querySelector("[role=combobox]") !== null`));
  await window.press("Escape");

  const width = () => window.run("return innerWidth");
  const usual = await width();
  await desk.keys(APP, "ctrl+equal");
  await until("Ctrl = enlarges", async () => (await width()) < usual);
  await desk.keys(APP, "ctrl+minus", "ctrl+minus");
  await until("Ctrl - makes smaller", async () => (await width()) > usual);
  await desk.keys(APP, "ctrl+0");
  await until("Ctrl 0 is the usual size", async () => (await width()) === usual);

  const looks = () => window.run("return document.documentElement.dataset.theme");
  await choose(desk, "v", 11, "dark looks", async () => (await looks()) === "dark");
  await choose(desk, "v", 10, "light looks", async () => (await looks()) === "light");
  const zone = () => window.run(`return document.querySelector("header [role=radio][aria-checked=true]")?.innerText ?? ""`);
  const before = await zone();
  await choose(desk, "v", 13, "the next zone", async () => (await zone()) !== before);
}

/** Help shows the keys, where the data lies, and what this is. */
async function help(window, desk) {
  await choose(desk, "h", 0, "the keys", async () => /Next zone for all times/.test(await window.words()));
  await window.press("Escape");
  for (const [at, title] of [[1, "Where the data lies"], [2, "About Reprise"]]) {
    await choose(desk, "h", at, title, () => desk.isThere(title));
    await desk.keys(title, "Escape");
    await desk.noWindow(title);
  }
}

const LINE = {
  kind: "arrival",
  at: "2026-04-07T10:00:00Z",
  answer: 204,
  body: {
    id: "ev_theirs",
    event: "post.platform.published",
    timestamp: "2026-04-07T09:59:59Z",
    post: { id: "po_late", content: "Late buses", status: "published" },
    platform: { name: "linkedin", status: "published", publishedUrl: "https://social.example/late-buses" },
    account: { accountId: "ac_bus", platform: "linkedin" },
  },
};

/** File asks for a log, and the import shows it. */
async function byMenu(window, desk, log) {
  await desk.keys(APP, "ctrl+o");
  await desk.answer("Import a log", log);
  await window.says(/Logs from elsewhere[^]*theirs\.jsonl/);
  await window.run(`document.querySelector("input[type=radio][value=log]").click()`);
  await until("it can be imported", () => window.run(`const start = document.querySelector("dialog .btn.main:not(:disabled)"); start?.click(); return start !== null`));
  await window.says(/1 line read: 1 new/);
  await window.press("Escape");
}

/** A verdict is kept as files in the folder that a person chooses, and nothing is kept if none is chosen. */
async function caseFile(window, desk, folder) {
  await window.run(`location.hash = "#/why"`);
  await until("the box", () => window.run(`const box = document.querySelector("form input[type=text]"); box?.focus(); return document.activeElement === box`));
  for (const letter of "po_late") await window.press(letter);
  await window.press("Enter");
  await window.says(/Save case file/);
  const title = "Save the case file into";
  await choose(desk, "f", 1, title, () => desk.isThere(title));
  await desk.keys(title, "Escape");
  await desk.noWindow(title);
  assert.equal(readdirSync(folder).length, 0);
  await choose(desk, "f", 1, title, () => desk.isThere(title));
  await desk.answer(title, `${folder}/`);
  await window.says(/Saved in /);
  const kept = readdirSync(folder);
  assert.deepEqual(kept.map((name) => name.replace(/^.*\./, "")).toSorted(), ["html", "jsonl"]);
  await window.screenshot(join(pictures, "case-file.png"));
}

/** A live post opens in the person's own browser, by the address of the log. */
async function outside(window, opened) {
  await window.run(`__TAURI_INTERNALS__.invoke("host", { ask: { do: "open", post: "po_late", account: "ac_bus" } })`);
  await until("the browser was asked", () => existsSync(opened));
  assert.equal(readFileSync(opened, "utf8").trim(), "https://social.example/late-buses");
}

await scratch("menu", async (home) => {
  const log = join(home, "theirs.jsonl");
  writeFileSync(log, `${JSON.stringify(LINE)}\n`);
  const folder = join(home, "kept");
  mkdirSync(folder);
  // Whatever opens addresses on this computer is this script.
  const [tools, opened] = [join(home, "tools"), join(home, "opened")];
  mkdirSync(tools);
  writeFileSync(join(tools, "xdg-open"), `#!/bin/sh\nprintf '%s\\n' "$1" > '${opened}'\n`);
  chmodSync(join(tools, "xdg-open"), 0o755);
  process.env.PATH = `${tools}:${process.env.PATH}`;

  const desk = await Desk.open();
  try {
    await inWindow({ binary, home, name: "menu" }, async (window) => {
      await window.says(/Sandbox\./);
      await desk.windows(1);
      await view(window, desk);
      await help(window, desk);
      await byMenu(window, desk, log);
      await caseFile(window, desk, folder);
      await outside(window, opened);
      await window.ask("POST", `${window.session}/window/rect`, { width: 1111, height: 777 });
      const second = program({ binary, args: [log], home, name: "second" });
      assert.equal(await second.ended(), 0);
      await window.says(/Logs from elsewhere[^]*theirs\.jsonl/);
      await window.press("Escape");
    });
    await desk.windows(0);
    await inWindow({ binary, home, name: "again" }, async (window) => {
      await window.says(/Sandbox\./);
      const { width, height } = await window.ask("GET", `${window.session}/window/rect`);
      assert.deepEqual([width, height], [1111, 777], "as large as it was");
    });
  } finally {
    desk.end();
  }
});
console.log("menu: all seen");
