// Rows g, j, l, o and p of the forecast in the real window: whatever the keys of both verbs and Enter alone do, the sandbox
// makes no post. The log is prepared by `reprise serve` at earlier times, the window looks at it in the present.
//
//   xvfb-run -a dbus-run-session -- node tests/window/posts.mjs [BINARY]

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { inWindow, until } from "./driver.mjs";

const binary = resolve(process.argv[2] ?? "target/debug/reprise-desktop");
const headless = join(dirname(binary), "reprise");
const pictures = resolve("target/window");
const HOUR = 3_600_000;

/** Presses a key where the focus is. */
function press(window, key) {
  const value = key === "Enter" ? "\uE007" : key;
  const actions = [{ type: "keyDown", value }, { type: "keyUp", value }];
  return window.ask("POST", `${window.session}/actions`, { actions: [{ type: "key", id: "keys", actions }] });
}

/** Clicks the row that holds these words. */
async function clickRow(window, words) {
  const xpath = `//*[@role='row' and contains(., '${words}')]`;
  const element = await until(`a row '${words}'`, async () => (await window.find(xpath))[0]);
  await window.ask("POST", `${window.session}/element/${element}/click`, {});
}

/** The folders of the window's world, so that the program beside it finds and leaves the same secrets. */
const world = (home) => ({
  ...process.env,
  HOME: home,
  XDG_DATA_HOME: join(home, "data"),
  XDG_CONFIG_HOME: join(home, "config"),
  XDG_CACHE_HOME: join(home, "cache"),
  XDG_RUNTIME_DIR: join(home, "run"),
});

/** Starts the headless program; gives its first line and the way to end it. */
async function start(env, ...args) {
  const child = spawn(headless, ["--json", ...args], { env, stdio: ["ignore", "pipe", "inherit"] });
  const gone = new Promise((done) => child.once("exit", done));
  const line = await new Promise((done, fail) => {
    createInterface({ input: child.stdout }).once("line", done);
    child.once("exit", (code) => fail(new Error(`reprise ${args.join(" ")} ended with ${code}`)));
  });
  return {
    line: JSON.parse(line),
    end() {
      child.kill("SIGTERM");
      return gone;
    },
  };
}

async function answered(answer) {
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${answer.url}: ${answer.status} ${text}`);
  return text === "" ? null : JSON.parse(text);
}

/** Serves the log at a time while `run` calls it. */
async function at(env, data, time, run) {
  const program = await start(env, "--data", data, "--now", time, "serve", "--receive-on", "127.0.0.1:0");
  try {
    const link = new URL(program.line.ui);
    const first = await fetch(link, { redirect: "manual" });
    const cookie = first.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    await run(async (name, args) =>
      answered(await fetch(`${link.origin}/call/${name}`, { method: "POST", headers: { cookie, "content-type": "application/json" }, body: JSON.stringify(args) })),
    );
  } finally {
    await program.end();
  }
}

let forms = 0;
const post = (content) => ({ content, targets: [{ platform: "linkedin", account: "ac_li_04" }], media_urls: [], form: `window ${(forms += 1)}` });

/** Everything that Enter alone could start: after each verb's key, and in the reason behind the link. */
async function enterAlone(window, verbs = ["a", "p"]) {
  for (const verb of verbs) {
    await press(window, verb);
    for (let i = 0; i < 3; i += 1) await press(window, "Enter");
  }
  const link = `//article[@data-verb='again']//button[contains(., 'Do it anyway') or contains(., 'Post again …')]`;
  await window.run(`document.evaluate(arguments[0], document, null, XPathResult.FIRST_ORDERED_NODE_TYPE).singleNodeValue?.focus()`, link);
  await press(window, "Enter");
  const onField = await until("the reason has the keyboard", () => window.run(`return document.activeElement instanceof HTMLInputElement`));
  assert.ok(onField);
  for (const letter of "why") await press(window, letter);
  for (let i = 0; i < 3; i += 1) await press(window, "Enter");
}

/** The card of Post again, as a person reads it. */
const card = (window) => window.run(`return document.querySelector("[data-verb=again]")?.innerText ?? ""`);

mkdirSync(pictures, { recursive: true });
const home = mkdtempSync(join(tmpdir(), "reprise-posts-"));
try {
  for (const folder of ["data", "config", "cache", "run"]) mkdirSync(join(home, folder), { mode: 0o700 });
  const env = world(home);
  const data = join(home, "log");
  const now = Date.now();
  const time = (hoursAgo) => new Date(now - hoursAgo * HOUR).toISOString();
  const sandbox = await start(env, "sandbox", "--on", "127.0.0.1:0", "--now", time(26));
  const { pozy, api_key, webhook_secret } = sandbox.line;
  const control = async (step, args) => answered(await fetch(`${pozy}/sandbox/${step}`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(args) }));
  const posts = async () => (await answered(await fetch(`${pozy}/sandbox/ledger`))).posts;
  const lose = async () => {
    await control("faults", { on: "POST /v1/posts", do: "cut_before" });
    await control("faults", { on: "POST /v1/posts", do: "status", status: 503, retry_after: 80_000 });
  };
  const workspace = { name: "Harbour Events", base_url: pozy, provider: "pozy", api_key, webhook_secret };
  try {
    await at(env, data, time(26), async (call) => {
      await call("save_workspace", workspace);
      await call("submit", post("Row g: live for a day and more"));
      await lose();
      await call("submit", post("Row o: nobody knows since yesterday"));
      await until("row o was asked twice", async () => (await call("posts", {})).rows.some((row) => row.tries.length === 2));
      await control("clock", { advance_s: 60 });
      await until("row g is live", async () => (await call("posts", {})).rows.some((row) => row.post_status === "published"));
    });
    await control("clock", { advance_s: 23 * 3600 - 60 });
    await at(env, data, time(3), async (call) => {
      await call("submit", post("Row l: live for some hours now"));
      await call("submit", post("Row j: live through another workspace"));
      await lose();
      await call("submit", post("Row p: nobody knows for three hours"));
      await until("row p was asked twice", async () => (await call("posts", {})).rows.some((row) => row.text.startsWith("Row p") && row.tries.length === 2));
      await control("clock", { advance_s: 60 });
    });
    await control("clock", { advance_s: 3 * 3600 - 60 });
    const before = (await posts()).length;
    assert.equal(before, 3);

    await inWindow({ binary, args: ["--data", data], home, name: "posts" }, async (window) => {
      await window.says(/Harbour Events/);
      await window.run(`location.hash = "#/posts"`);
      for (const [row, says, verbs] of [
        ["Row g", /Would make a second live post\./, ["a", "p"]],
        ["Row o", /Cannot tell\./, ["a", "p"]],
        // Asking again is the safe way out of row p, and makes the one post; here it is about the other verb.
        ["Row p", /Cannot tell\. If the first try is still running, both may go live\./, ["p"]],
      ]) {
        await clickRow(window, row);
        await until(`${row} is foretold`, async () => says.test(await card(window)));
        assert.match(await card(window), /Blocked/, row);
        await enterAlone(window, verbs);
        assert.equal((await posts()).length, before, `${row}: Enter alone made no post`);
        await window.screenshot(join(pictures, `posts-${row.at(-1)}.png`));
      }

      await clickRow(window, "Row l");
      await until("row l is foretold", async () => /Already there\./.test(await card(window)));
      await enterAlone(window);
      await window.run(`document.querySelector("[data-verb=again] textarea").focus()`);
      await press(window, "!");
      await until("changed words slip past", async () => /Would slip past the check\./.test(await card(window)));
      assert.match(await card(window), /Blocked/);
      await window.run(`document.querySelector("[data-verb=again] input:not([type])").focus()`);
      for (let i = 0; i < 3; i += 1) await press(window, "Enter");
      assert.equal((await posts()).length, before, "row l: Enter alone made no post");
      await window.screenshot(join(pictures, "posts-l.png"));

      // The same sandbox by another name is another workspace.
      await window.runAsync(
        `const done = arguments[1];
         __TAURI_INTERNALS__.invoke("call", { name: "save_workspace", args: arguments[0] }).then(() => done(true), (problem) => done(JSON.stringify(problem)));`,
        { ...workspace, name: "Harbour Shop", base_url: pozy.replace("127.0.0.1", "localhost") },
      );
      await window.says(/Harbour Shop/);
      await clickRow(window, "Row j");
      await until("row j is foretold", async () => /Keys belong to one workspace\./.test(await card(window)));
      assert.match(await card(window), /Blocked/);
      await enterAlone(window);
      assert.equal((await posts()).length, before, "row j: Enter alone made no post");
      await window.screenshot(join(pictures, "posts-j.png"));
    });
  } finally {
    await sandbox.end();
  }
} finally {
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
}
console.log("posts: nothing was started by Enter alone");
