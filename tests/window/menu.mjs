// What the menu of the window does, item by item, in the real window: screens, looks, zone, size, editing, files in and out,
// where the data lies, and a link that opens outside. The menu is used as a screen reader uses it, and by its keys.
//
//   xvfb-run -a dbus-run-session -- node tests/window/menu.mjs [BINARY]

import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Desk, program, reader } from "./desk.mjs";
import { inWindow, pictures, scratch, until } from "./driver.mjs";

const binary = resolve(process.argv[2] ?? "target/debug/reprise-desktop");

const MENU = {
  File: ["Import a log …", "Save case file …", "Close window", "Quit"],
  Edit: ["Undo", "Redo", "Cut", "Copy", "Paste", "Select all"],
  View: ["Timeline", "Events", "Posts", "Why twice?", "Test", "Settings", "Search, or do something", "Larger", "Smaller", "Usual size", "Light looks", "Dark looks", "Looks of the system", "Next zone for times"],
  Help: ["Keys", "Where the data lies", "About Reprise"],
};

const hash = (window) => window.run("return location.hash");
const width = (window) => window.run("return innerWidth");

async function screens(window) {
  for (const [item, to] of [["Events", "events"], ["Posts", "posts"], ["Why twice?", "why"], ["Test", "test"], ["Settings", "settings"], ["Timeline", "timeline"]]) {
    await reader("choose", "View", item);
    await until(`${item} is shown`, async () => (await hash(window)).startsWith(`#/${to}`));
  }
  await reader("choose", "View", "Search, or do something");
  await until("the search is open", () => window.run(`return document.activeElement?.getAttribute("role") === "combobox"`));
  await window.press("Escape");
  await reader("choose", "Help", "Keys");
  await until("the keys are shown", () => window.run(`return document.querySelector("[role=dialog], dialog") !== null`));
  await window.press("Escape");
}

async function looks(window) {
  const theme = () => window.run("return document.documentElement.dataset.theme");
  for (const [item, to] of [["Dark looks", "dark"], ["Light looks", "light"], ["Looks of the system", "light"]]) {
    await reader("choose", "View", item);
    await until(`${item} are on`, async () => (await theme()) === to);
  }
  const zone = () => window.run(`return document.querySelector("header [role=radio][aria-checked=true]").innerText`);
  const before = await zone();
  await reader("choose", "View", "Next zone for times");
  await until("the zone is another", async () => (await zone()) !== before);
  assert.match(await zone(), /^UTC/);
}

/** Larger and smaller by the menu and by its keys; the page is told by having less or more room. */
async function size(window, desk) {
  const usual = await width(window);
  const is = (what, factor) => until(what, async () => Math.abs((await width(window)) - usual / factor) < 3);
  await reader("choose", "View", "Larger");
  await is("larger", 1.1);
  await desk.keys("ctrl+equal");
  await is("larger by its keys", 1.21);
  await desk.keys("ctrl+minus");
  await is("smaller by its keys", 1.1);
  await reader("choose", "View", "Smaller");
  await is("as usual", 1);
  await reader("choose", "View", "Smaller");
  await is("smaller", 1 / 1.1);
  await desk.keys("ctrl+0");
  await is("usual by its keys", 1);
  for (let n = 0; n < 12; n += 1) await reader("choose", "View", "Larger");
  await is("no larger than three times", 3);
  await reader("choose", "View", "Usual size");
  await is("usual again", 1);
}

/** Edits a field by the menu alone. */
async function editing(window) {
  await window.run(`location.hash = "#/events"`);
  const field = `document.querySelector("main input[type=search]")`;
  await until("the field", () => window.run(`return ${field} !== null`));
  await window.run(`${field}.focus()`);
  const value = () => window.run(`return ${field}.value`);
  for (const letter of "po_1") await window.press(letter);
  const edit = (item) => reader("choose", "Edit", item);
  const is = (text) => until(`the field says '${text}'`, async () => (await value()) === text);
  await is("po_1");
  await edit("Select all");
  await edit("Cut");
  await is("");
  await edit("Paste");
  await is("po_1");
  await edit("Undo");
  await is("");
  await edit("Redo");
  await is("po_1");
  await edit("Select all");
  await edit("Copy");
  await window.run(`${field}.setSelectionRange(4, 4)`);
  await edit("Paste");
  await is("po_1po_1");
  await edit("Select all");
  await edit("Cut");
  await is("");
}

/** A file or folder of this computer chosen by keys, in the desktop's own dialog: its slash opens a field for the path. */
async function chooses(desk, title, path) {
  const field = async () => (await reader("dialog", title))?.fields.find((text) => text.startsWith("/"));
  await desk.focus(title);
  await until(`the dialog '${title}' takes a path`, async () => {
    if (await field()) return true;
    await desk.type("/");
    return false;
  });
  await desk.type(path.slice(1));
  await until(`the dialog '${title}' holds '${path}'`, async () => (await field())?.replace(/\/$/, "").endsWith(path));
  await desk.keys("Return");
  await until(`the dialog '${title}' is done`, async () => (await reader("dialog", title)) === null);
}

const line = (text) => `${JSON.stringify({ kind: "note", at: "2026-04-07T10:00:00Z", post: "po_1", action: "comment", text })}\n`;

async function filesIn(window, desk, home) {
  const chosen = join(home, "chosen.jsonl");
  writeFileSync(chosen, line("chosen"));
  await desk.keys("ctrl+o");
  await chooses(desk, "Import a log", chosen);
  await window.says(/Logs from elsewhere[^]*chosen\.jsonl/);
  await window.press("Escape");
  await until("the import is closed", () => window.run(`return document.querySelector("dialog[open]") === null`));

  writeFileSync(join(home, "handed.jsonl"), line("handed"));
  const second = program({ binary, home, name: "second", args: ["handed.jsonl"], cwd: home });
  assert.equal(await second.ended(), 0, "the second start hands over and ends");
  await window.says(/Logs from elsewhere[^]*handed\.jsonl[^]*Log lines/);
  await window.screenshot(join(pictures, "handed-over.png"));
  await window.press("Escape");
}

/** The case of the story's double post, kept in a folder that a person chooses. */
async function caseFile(window, desk, home) {
  await window.run(`location.hash = "#/posts"`);
  await reader("choose", "File", "Save case file …");
  await window.says(/No case is open\./);
  const rows = (await window.call("posts", {})).rows;
  const post = rows.find((row) => row.post)?.post;
  assert.ok(post, "the story has sent a post");
  await window.run(`location.hash = "#/why"`);
  await until("the box", () => window.run(`return document.querySelector("main input, main textarea") !== null`));
  await window.run(`document.querySelector("main input, main textarea").focus()`);
  for (const letter of post) await window.press(letter);
  await window.press("Enter");
  await window.click("Find the cause");
  await window.says(/Case file/);
  const folder = join(home, "to send on");
  mkdirSync(folder);
  await reader("choose", "File", "Save case file …");
  await chooses(desk, "Save the case file into", folder);
  await window.says(/Saved in .*to send on/);
  const names = readdirSync(folder);
  assert.equal(names.length, 2, `a page and a log: ${names}`);
  const page = names.find((name) => name.endsWith(".html"));
  assert.ok(readFileSync(join(folder, page), "utf8").includes(post), "the page is about the post");

  // Leaving the dialog keeps nothing and says nothing.
  await reader("choose", "File", "Save case file …");
  await desk.focus("Save the case file into");
  await desk.keys("Escape");
  await until("the dialog is gone", async () => (await reader("dialog", "Save the case file into")) === null);
  assert.equal(readdirSync(folder).length, 2);
}

async function help(window, desk, opened, home) {
  await reader("choose", "Help", "About Reprise");
  await desk.focus("About Reprise");
  const about = await until("what Reprise is", () => reader("dialog", "About Reprise"));
  assert.match(about.texts.join(" "), /Reprise \d+\.\d+\.\d+/);
  await reader("press", "About Reprise", about.buttons[0]);
  await until("it is closed", async () => (await reader("dialog", "About Reprise")) === null);

  await reader("choose", "Help", "Where the data lies");
  await desk.focus("Where the data lies");
  const where = await until("where the data lies", () => reader("dialog", "Where the data lies"));
  const { data_dir } = await window.call("status");
  assert.ok(where.texts.join(" ").includes(join(home, "data")), `the folder is named: ${where.texts}`);
  await reader("press", "Where the data lies", "Show the folder");
  await until("the folder is shown outside", () => opened().find((address) => data_dir.startsWith(address) && address.startsWith(home)));
}

/** The post's own page opens in the person's browser, and nothing of it in the window. */
async function link(window, opened) {
  await window.run(`location.hash = "#/posts"`);
  await window.clickRow("The lantern walk");
  const before = opened().length;
  const here = await window.run("return location.origin");
  await window.click("Open on LinkedIn");
  const address = await until("a browser was started", () => opened()[before]);
  assert.match(address, /^https?:\/\//);
  assert.equal(await window.run("return location.origin"), here, "the window stays where it is");
}

await scratch("menu", async (home) => {
  // What a desktop starts for an address: it writes down what it was given.
  const tools = join(home, "tools");
  const log = join(home, "opened");
  mkdirSync(tools);
  writeFileSync(join(tools, "xdg-open"), `#!/bin/sh\nprintf '%s\\n' "$1" >> '${log}'\n`);
  chmodSync(join(tools, "xdg-open"), 0o755);
  const opened = () => (existsSync(log) ? readFileSync(log, "utf8").split("\n").filter(Boolean) : []);
  const desk = await Desk.open();
  try {
    await inWindow({ binary, home, name: "menu", env: { PATH: `${tools}:${process.env.PATH}` } }, async (window) => {
      await window.says(/Sandbox\./);
      await desk.windows(1);
      assert.deepEqual(await until("the menu", () => reader("items").catch(() => null)), MENU);
      await screens(window);
      await looks(window);
      await size(window, desk);
      await editing(window);
      await filesIn(window, desk, home);
      await caseFile(window, desk, home);
      await help(window, desk, opened, home);
      await link(window, opened);
    });
    await desk.windows(0);
    // Practice has nothing to receive: closing by the menu's key is the end, and so is its Quit.
    for (const [name, end] of [["closed", () => desk.keys("ctrl+w")], ["quit", () => reader("choose", "File", "Quit")]]) {
      const only = program({ binary, home, name });
      await desk.said("the tray", (said) => said.tray);
      await desk.windows(1);
      await until("it has its menu", () => reader("items").catch(() => null));
      await end();
      assert.equal(await only.ended(), 0, `${name} in order`);
      await desk.windows(0);
    }
  } finally {
    desk.end();
  }
});
console.log("menu: all seen");
