// Quit is the end, whatever is under way: a request whose answer Pozy holds back, and an import. What was begun stands in
// the log, and the next start goes on from there without a second post.
//
//   xvfb-run -a dbus-run-session -- node tests/window/quit.mjs [BINARY]

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Desk, sandbox } from "./desk.mjs";
import { freePort, inWindow, scratch, until } from "./driver.mjs";

const binary = resolve(process.argv[2] ?? "target/debug/reprise-desktop");

/** Connects to the sandbox outside, as a person does to Pozy. */
async function connect(window, pozy) {
  await window.says(/Sandbox\./);
  await window.call("save_receiver", { port: await freePort() });
  await window.call("save_workspace", { name: "Harbour Events", base_url: pozy.pozy, provider: "pozy", api_key: pozy.api_key, webhook_secret: pozy.webhook_secret });
  await window.says(/Harbour Events/);
}

/** The process that has the log in `data`. */
const holder = (data) => Number(readFileSync(join(data, "owner.lock"), "utf8"));

function lives(holding) {
  try {
    return process.kill(holding, 0);
  } catch {
    return false;
  }
}

/** Quits by the tray and waits for the end of the process. */
async function quits(desk, data, what) {
  const holding = holder(data);
  assert.ok(lives(holding), `${holding} has the log`);
  await desk.choose("Quit");
  await until(`it ends although ${what}`, () => !lives(holding));
}

const posts = async (pozy) => (await pozy.ask("GET", "/sandbox/ledger")).posts.length;

/** Quits while Pozy holds an answer back for longer than a request may take. */
async function whileARequestHangs(window, desk, pozy, data) {
  // The plan asks again at once, and that answer is the one held back.
  await pozy.ask("POST", "/sandbox/faults", { on: "POST /v1/posts", do: "status", status: 503, retry_after: 1 });
  await pozy.ask("POST", "/sandbox/faults", { on: "POST /v1/posts", do: "stall", seconds: 600 });
  await window.run(
    `__TAURI_INTERNALS__.invoke("call", { name: "submit", args: { content: "Doors open at 9.", media_urls: [], form: "quit", targets: [{ platform: "linkedin", account: "ac_li_04" }] } }).catch(() => {});`,
  );
  await until("the post is made", async () => (await posts(pozy)) === 1);
  await quits(desk, data, "a request hangs");
}

/** The next start asks with the same key what became of the try, and there is one post. Then it quits while it imports. */
async function nextStart(window, desk, pozy, data, file) {
  await window.says(/Harbour Events/);
  await window.run(`location.hash = "#/posts"`);
  await window.says(/Doors open at 9[^]*(Live|On its way|Accepted)/);
  assert.equal(await posts(pozy), 1, "asked again, posted once");
  await window.call("import_start", { paths: [file], uploads: [] });
  await until("something is in", async () => ((await window.call("import_progress")).files[0].added ?? 0) > 0);
  assert.ok((await window.call("import_progress")).running, "and not all");
  await quits(desk, data, "an import runs");
}

/** What was in when it ended is in once; the rest follows. */
async function importGoesOn(window, file, lines) {
  await window.says(/Harbour Events/);
  await window.call("import_start", { paths: [file], uploads: [] });
  const done = await until("the import is through", async () => {
    const run = await window.call("import_progress");
    return run.running ? null : run.files[0];
  }, 120_000);
  assert.ok(done.known > 0, "part of it was in");
  assert.equal(done.known + done.added, lines);
}

/** So many messages as log lines. */
function written(file, count) {
  const line = (n) => {
    const at = new Date(1_772_445_600_000 + n * 20).toISOString();
    return JSON.stringify({
      kind: "arrival", at, answer: 204, took_ms: 30,
      body: { id: `ev_${n}`, event: "post.platform.published", timestamp: at, post: { id: `po_${n >> 1}`, content: "Lanterns" }, platform: { name: "linkedin", status: "published" }, account: { accountId: "ac_1" } },
    });
  };
  writeFileSync(file, Array.from({ length: count }, (_, n) => `${line(n)}\n`).join(""));
  return count;
}

await scratch("quit", async (home) => {
  const [desk, pozy] = [await Desk.open(), await sandbox()];
  const data = join(home, "log");
  const file = join(home, "long.jsonl");
  const lines = written(file, 15_000);
  const walk = (name, run) => inWindow({ binary, home, name, args: ["--data", data] }, run);
  try {
    await walk("hangs", async (window) => {
      await connect(window, pozy);
      await whileARequestHangs(window, desk, pozy, data);
    });
    await walk("imports", (window) => nextStart(window, desk, pozy, data, file));
    await walk("after", (window) => importGoesOn(window, file, lines));
  } finally {
    pozy.end();
    desk.end();
  }
});
console.log("quit: all seen");
