// A mark of the Timeline chosen by mouse and by keyboard in the real window, on the story of practice mode.
//
//   xvfb-run -a dbus-run-session -- node tests/window/timeline.mjs [BINARY]

import assert from "node:assert/strict";
import { join } from "node:path";
import { inWindow, pictures, scratch, until } from "./driver.mjs";

const binary = join(process.cwd(), process.argv[2] ?? "target/debug/reprise-desktop");

const sentence = (window) => window.run(`return document.querySelector("[data-testid=mark-sentence]")?.innerText ?? ""`);

async function byKeyboard(window) {
  await window.run(`document.querySelector("[role=application]").focus()`);
  await window.press("ArrowLeft");
  const first = await until("a mark is chosen", () => sentence(window));
  assert.match(first, /The lantern walk starts at six\./);
  assert.match(first, /\d\d:\d\d:\d\d GMT/, "its time has a zone");
  await window.press("ArrowDown");
  const next = await until("the next lane", async () => (await sentence(window)) !== first && sentence(window));
  assert.match(next, /The lantern walk|Sent from here/);
  await window.press("Enter");
  const inside = await window.run(`return document.activeElement?.getAttribute("aria-label")`);
  assert.equal(inside, "Selected mark", "Enter leads to the detail");
  await window.press("Escape");
}

/** Points at the lane of the post until the pointer says that a mark is under it, then clicks there. */
async function byMouse(window) {
  await window.run(`document.querySelector("[role=application]").focus()`);
  await window.press("Escape");
  assert.equal(await sentence(window), "", "nothing is chosen");
  const box = await window.run(
    `const { left, top, width, height } = document.querySelector(".picture canvas").getBoundingClientRect();
     return { left, top, width, height };`,
  );
  for (let y = box.top + 50; y < box.top + Math.min(box.height, 160); y += 6) {
    for (let x = box.left + box.width - 8; x > box.left + box.width / 2; x -= 8) {
      await window.point(Math.round(x), Math.round(y));
      if (!(await window.run(`return document.querySelector(".picture canvas").classList.contains("pointed")`))) continue;
      await window.point(Math.round(x), Math.round(y), true);
      await window.says(/The lantern walk/);
      assert.notEqual(await sentence(window), "", "the mark under the pointer is chosen");
      await window.screenshot(join(pictures, "timeline.png"));
      return;
    }
  }
  assert.fail("no mark was found under the pointer");
}

await scratch("timeline", (home) =>
  inWindow({ binary, home, name: "timeline" }, async (window) => {
    await window.says(/Sandbox\./);
    await window.run(`location.hash = "#/timeline"`);
    await until("a lane", () => window.run(`return document.querySelector(".lane.target") !== null`), 30_000);
    await byKeyboard(window);
    await byMouse(window);
  }),
);
console.log("timeline: all seen");
