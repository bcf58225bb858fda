// Speaks WebDriver to WebKitWebDriver, which starts the real program and drives its window. Nothing but Node's own
// modules: `fetch` is all the protocol needs.

import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";

/** A port that was free a moment ago. */
async function freePort() {
  const server = createServer();
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

/**
 * The program in its own world: every folder it may write to lies under `home`, so that a test sees nothing of the
 * person's own log and leaves nothing behind. `run` gets the window; whatever happens, program and driver end.
 */
export async function inWindow({ binary, args = [], home, name }, run) {
  for (const folder of ["data", "config", "cache", "run"]) mkdirSync(join(home, folder), { recursive: true, mode: 0o700 });
  const log = join(home, `${name}.log`);
  const out = openSync(log, "w");
  const port = await freePort();
  // A group of its own, and no pipe: the program inherits both, and either would keep the test from ending.
  const driver = spawn("WebKitWebDriver", ["--host=127.0.0.1", `--port=${port}`], {
    detached: true,
    stdio: ["ignore", out, out],
    env: {
      ...process.env,
      HOME: home,
      XDG_DATA_HOME: join(home, "data"),
      XDG_CONFIG_HOME: join(home, "config"),
      XDG_CACHE_HOME: join(home, "cache"),
      XDG_RUNTIME_DIR: join(home, "run"),
      TAURI_WEBVIEW_AUTOMATION: "true",
    },
  });
  const broken = new Promise((_, reject) => driver.once("error", reject));
  const window = new Window(`http://127.0.0.1:${port}`);
  try {
    await Promise.race([window.open(binary, args), broken]);
    await run(window);
  } catch (problem) {
    await window.screenshot(join(home, `${name}-failed.png`)).catch(() => {});
    throw new Error(`${problem.message}\n--- ${log}\n${readFileSync(log, "utf8").slice(-4000)}`, { cause: problem });
  } finally {
    await window.close().catch(() => {});
    // The driver asks the program to end; killed at once it would leave it behind.
    await pause(1000);
    try {
      process.kill(-driver.pid, "SIGKILL");
    } catch {
      // It ended by itself.
    }
  }
}

class Window {
  constructor(base) {
    this.base = base;
  }

  async ask(method, path, body) {
    const answer = await fetch(this.base + path, {
      method,
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(60_000),
    });
    const { value } = await answer.json();
    if (!answer.ok) throw new Error(`${method} ${path}: ${value.error}: ${value.message}`);
    return value;
  }

  async open(binary, args) {
    await until("the driver listens", () => this.ask("GET", "/status").catch(() => null));
    const { sessionId } = await this.ask("POST", "/session", {
      capabilities: { alwaysMatch: { "webkitgtk:browserOptions": { binary, args } } },
    });
    this.session = `/session/${sessionId}`;
  }

  close() {
    return this.session ? this.ask("DELETE", this.session) : Promise.resolve();
  }

  /** Runs the body of a function in the page. */
  run(script, ...args) {
    return this.ask("POST", `${this.session}/execute/sync`, { script, args });
  }

  /** Like `run`; the last argument of the body is the function that takes the result. */
  runAsync(script, ...args) {
    return this.ask("POST", `${this.session}/execute/async`, { script, args });
  }

  /** The words on the screen, as a person reads them. */
  words() {
    return this.run("return document.body.innerText");
  }

  /** Waits until the screen says what `pattern` matches; gives the match. */
  async says(pattern, ms = 20_000) {
    let seen = "";
    try {
      return await until(String(pattern), async () => (seen = await this.words()).match(pattern), ms);
    } catch (problem) {
      throw new Error(`${problem.message}; the screen says:\n${seen}`, { cause: problem });
    }
  }

  async find(xpath) {
    const found = await this.ask("POST", `${this.session}/elements`, { using: "xpath", value: xpath });
    return found.map((each) => each[ELEMENT]);
  }

  /** Clicks the button or link that begins with these words or is labelled with them. */
  async click(words) {
    const named = `starts-with(normalize-space(.), '${words}') or starts-with(@aria-label, '${words}')`;
    const xpath = `//*[(self::button or self::a) and (${named})]`;
    const element = await until(`a button '${words}'`, async () => (await this.find(xpath))[0]);
    await this.ask("POST", `${this.session}/element/${element}/click`, {});
  }

  /** Waits for what was asserted to be painted, then writes a PNG of the page. */
  async screenshot(path) {
    await this.runAsync("const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done(true)))");
    writeFileSync(path, Buffer.from(await this.ask("GET", `${this.session}/screenshot`), "base64"));
  }
}

/** Asks again until there is an answer. */
export async function until(what, ask, ms = 20_000) {
  const end = Date.now() + ms;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > end) throw new Error(`Not within ${ms / 1000} s: ${what}`);
    await pause(50);
  }
}
