// Speaks WebDriver to WebKitWebDriver, which starts the real program and drives its window. Nothing but Node's own
// modules: `fetch` is all the protocol needs.

import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { cpSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

/** Keys as the protocol writes them. */
const KEYS = { Enter: "\uE006", Escape: "\uE00C", ArrowLeft: "\uE012", ArrowUp: "\uE013", ArrowRight: "\uE014", ArrowDown: "\uE015", Tab: "\uE004" };

const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";

/** Where pictures of the window land. */
export const pictures = resolve("target/window");

/** A port that was free a moment ago. */
export async function freePort() {
  const server = createServer();
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

/**
 * The program in its own world: every folder it may write to lies under `home`, so that a test sees nothing of the
 * person's own log and leaves nothing behind. `env` is added to its environment. `run` gets the window; whatever happens,
 * program and driver end.
 */
export async function inWindow({ binary, args = [], home, name, env = {} }, run) {
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
      ...env,
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

  /** A call of the core, as the page makes it. */
  async call(name, args = {}) {
    const { answer, problem } = await this.runAsync(
      `const [name, args, done] = arguments;
       __TAURI_INTERNALS__.invoke("call", { name, args }).then((answer) => done({ answer }), (problem) => done({ problem }));`,
      name,
      args,
    );
    if (problem) throw new Error(`${name}: ${JSON.stringify(problem)}`);
    return answer;
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
    await this.clickAt(`//*[(self::button or self::a) and (${named})]`);
  }

  /**
   * Clicks what this path finds, once it is there and has come to rest: what still loads beside it moves it, and a click goes
   * to where it was.
   */
  async clickAt(xpath) {
    let before = null;
    const element = await until(`${xpath} at rest`, async () => {
      const found = (await this.find(xpath))[0];
      const place = found && (await this.place(found));
      const rests = place && place === before;
      before = place;
      return rests && found;
    });
    await this.ask("POST", `${this.session}/element/${element}/click`, {});
  }

  /** Where an element is once it is scrolled to; null if it has left the page. */
  async place(element) {
    return this.runAsync(
      `const [element, done] = arguments;
       element.scrollIntoView({ block: "nearest", inline: "nearest" });
       setTimeout(() => {
         const { x, y, width, height } = element.getBoundingClientRect();
         done(element.isConnected ? [x, y, width, height].join(" ") : null);
       }, 100);`,
      { [ELEMENT]: element },
    ).catch((problem) => {
      if (problem.message.includes("stale element")) return null;
      throw problem;
    });
  }

  /** Clicks the row that holds these words. */
  async clickRow(words) {
    await this.clickAt(`//*[@role='row' and contains(., '${words}')]`);
  }

  /** Chooses one of the choices of a group. */
  async clickRadio(group, words) {
    await this.clickAt(`//*[@role='radiogroup' and @aria-label='${group}']//*[contains(., '${words}')]`);
  }

  /** Presses a key where the focus is: a letter, or the name of a key. */
  press(key) {
    const value = KEYS[key] ?? key;
    const actions = [{ type: "keyDown", value }, { type: "keyUp", value }];
    return this.ask("POST", `${this.session}/actions`, { actions: [{ type: "key", id: "keys", actions }] });
  }

  /** Moves the mouse there, and clicks if asked to. */
  point(x, y, click = false) {
    const press = [{ type: "pointerDown", button: 0 }, { type: "pointerUp", button: 0 }];
    const actions = [{ type: "pointerMove", x, y, duration: 0 }, ...(click ? press : [])];
    const mouse = { type: "pointer", id: "mouse", parameters: { pointerType: "mouse" }, actions };
    return this.ask("POST", `${this.session}/actions`, { actions: [mouse] });
  }

  /** Waits for what was asserted to be painted, then writes a PNG of the page. */
  async screenshot(path) {
    await this.runAsync("const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done(true)))");
    writeFileSync(path, Buffer.from(await this.ask("GET", `${this.session}/screenshot`), "base64"));
  }
}

/** Runs a test in a folder of its own that is gone afterwards; what it said and showed is kept if it failed. */
export async function scratch(name, run) {
  mkdirSync(pictures, { recursive: true });
  const home = mkdtempSync(join(tmpdir(), `reprise-${name}-`));
  for (const folder of ["data", "config", "cache", "run"]) mkdirSync(join(home, folder), { mode: 0o700 });
  try {
    await run(home);
  } catch (problem) {
    cpSync(home, join(pictures, `${name}-failed`), { recursive: true, filter: (from) => from === home || /\.(png|log)$/.test(from) });
    // A program that did not end may go on writing there; what went wrong is said by the problem itself.
    await removed(home).catch(() => {});
    throw problem;
  }
  await removed(home);
}

/** Removes a folder, of which parts of a program that has just ended may still write. */
function removed(folder) {
  return until(`${folder} is removed`, () => {
    try {
      rmSync(folder, { recursive: true, force: true });
      return true;
    } catch (problem) {
      if (problem.code === "ENOTEMPTY") return false;
      throw problem;
    }
  });
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
