// The window stands where it was left, in the size it had; where the screen has become smaller, it is made to fit.
//
//   xvfb-run -a dbus-run-session -- node tests/window/place.mjs [BINARY]

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Desk, program, reader } from "./desk.mjs";
import { scratch, until } from "./driver.mjs";

const binary = resolve(process.argv[2] ?? "target/debug/reprise-desktop");

/** The screen of this session: `-screen 0 1280x900x24`. */
const SCREEN = [1280, 900];

/** Starts the program, looks at its window with `look`, and ends it in order. */
async function once(home, desk, name, look) {
  const only = program({ binary, home, name });
  try {
    await desk.windows(1);
    // The size that is kept is taken up before anything answers in the window.
    await until("it has its menu", () => reader("items").catch(() => null));
    await look();
    await reader("choose", "File", "Quit");
    assert.equal(await only.ended(), 0, `${name} ends in order`);
    await desk.windows(0);
  } finally {
    only.child.kill("SIGKILL");
  }
}

const stands = (desk, what, fits) => {
  let seen;
  return until(what, async () => fits(...(seen = await desk.rect()))).catch((problem) => {
    throw new Error(`${problem.message}; it stands at ${seen}`, { cause: problem });
  });
};

const within = (x, y, width, height) => x >= 0 && y >= 0 && x + width <= SCREEN[0] && y + height <= SCREEN[1];

await scratch("place", async (home) => {
  const desk = await Desk.open();
  // What the program keeps of its window, as another session may have left it.
  const kept = join(home, "config", "app.reprise.desktop", ".window-state.json");
  const left = (change) => {
    const state = JSON.parse(readFileSync(kept, "utf8"));
    writeFileSync(kept, JSON.stringify({ ...state, main: { ...state.main, ...change } }));
  };
  try {
    await once(home, desk, "first", async () => {
      await stands(desk, "all of the new window is in sight", within);
      await desk.place(60, 40, 1100, 790);
      await stands(desk, "it was moved", (x, y, width, height) => [x, y, width, height].join() === "60,40,1100,790");
    });
    await once(home, desk, "second", () =>
      stands(desk, "it stands where it was left", (x, y, width, height) => [x, y, width, height].join() === "60,40,1100,790"),
    );
    left({ x: 4000, y: 3000, width: 1100, height: 740 });
    await once(home, desk, "gone", () => stands(desk, "the monitor it was on is gone, and it is in sight", (x, y, width, height) => within(x, y, width, height) && width === 1100 && height === 740));
    left({ x: 30, y: 20, width: 3800, height: 2100 });
    await once(home, desk, "smaller", () => stands(desk, "the monitor is smaller, and all of it is in sight", within));
    await desk.windows(0);
  } finally {
    desk.end();
  }
});
console.log("place: all seen");
