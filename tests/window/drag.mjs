// What is dragged in the real window: a row onto Why twice?, and files from another program onto the window.
//
//   xvfb-run -a dbus-run-session -- node tests/window/drag.mjs [BINARY]

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Desk } from "./desk.mjs";
import { inWindow, pictures, scratch, until } from "./driver.mjs";

const binary = resolve(process.argv[2] ?? "target/debug/reprise-desktop");

/** The middle of an element as a point of the screen: the page stands below the menu, in a window at the corner. */
async function middle(window, xpath) {
  return until(`where ${xpath} is`, () =>
    window.run(
      `const found = document.evaluate(arguments[0], document, null, XPathResult.FIRST_ORDERED_NODE_TYPE).singleNodeValue;
       if (!found) return null;
       const { left, top, width, height } = found.getBoundingClientRect();
       return width > 0 ? [left + Math.min(width / 2, 200), top + height / 2 + (outerHeight - innerHeight)] : null;`,
      xpath,
    ),
  );
}

async function row(window, desk) {
  await window.run(`location.hash = "#/posts"`);
  await window.says(/lantern walk/, 30_000);
  // The story goes on meanwhile and may push the row down on its way; then it is dragged from where it is now.
  await until("the row is asked about", async () => {
    const from = await middle(window, "//*[@role='row' and contains(., 'lantern walk')]");
    const to = await middle(window, "//nav//a[@title='Why twice?']");
    await desk.drag(from, to);
    const asked = () => window.run(`return document.querySelector("[aria-label='Asked about'] li") !== null`);
    return until("it is asked about", asked, 5_000).then(() => true, () => false);
  }, 60_000);
  assert.match(await window.run("return location.hash"), /^#\/why/, "the drop leads there");
  await window.screenshot(join(pictures, "dragged.png"));
}

async function files(window, desk, log) {
  const from = await desk.hold(log);
  await until("the file is taken", async () => {
    await desk.drag(from, [600, 400]);
    return window.says(/Logs from elsewhere[^]*dropped\.jsonl/, 5_000).then(() => true, () => false);
  }, 60_000);
}

await scratch("drag", async (home) => {
  const log = join(home, "dropped.jsonl");
  writeFileSync(log, `${JSON.stringify({ kind: "note", at: "2026-04-07T10:00:00Z", post: "po_1", action: "comment", text: "seen" })}\n`);
  const desk = await Desk.open();
  try {
    await inWindow({ binary, home, name: "drag" }, async (window) => {
      await window.says(/Sandbox\./);
      await desk.windows(1);
      await row(window, desk);
      await files(window, desk, log);
    });
  } finally {
    desk.end();
  }
});
console.log("drag: all seen");
