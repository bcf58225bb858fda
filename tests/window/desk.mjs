// The desktop around the window (desk.py), the sandbox behind it, and the program without a driver: what the tests of
// habits need besides the window itself.

import { execFile, spawn } from "node:child_process";
import { openSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { until } from "./driver.mjs";

/** Reads one JSON object a line from a program's output. */
function lines(child, take) {
  createInterface({ input: child.stdout }).on("line", (line) => take(JSON.parse(line)));
}

/** The tray and the notices of this session, and the close button. */
export class Desk {
  #child;
  #said = [];

  static async open() {
    const desk = new Desk();
    desk.#child = spawn("/usr/bin/python3", [resolve("tests/window/desk.py")], { stdio: ["pipe", "pipe", "inherit"] });
    lines(desk.#child, (said) => desk.#said.push(said));
    await desk.said("the desktop is there", (said) => said.ready);
    return desk;
  }

  /** Waits for something said that fits, now or before; it is taken, so that the next wait finds the next one. */
  async said(what, fits, ms = 20_000) {
    try {
      const at = await until(what, () => this.#said.findIndex(fits) + 1, ms);
      return this.#said.splice(at - 1, 1)[0];
    } catch (problem) {
      throw new Error(`${problem.message}; said: ${JSON.stringify(this.#said)}`, { cause: problem });
    }
  }

  /** Tells it what to do; gives its answer. */
  async #tell(what, key) {
    this.#child.stdin.write(`${JSON.stringify(what)}\n`);
    const answer = await this.said(`an answer to ${what.do}`, (said) => key in said || "problem" in said);
    if (answer.problem) throw new Error(`${what.do}: ${answer.problem}`);
    return answer[key];
  }

  /** What the tray's menu says, top to bottom. */
  async menu() {
    return (await this.#tell({ do: "menu" }, "menu")).map((item) => item.label);
  }

  choose(label) {
    return this.#tell({ do: "choose", label }, "chosen");
  }

  /** Clicks a notice. Nobody does so in the very moment in which it appears, and the program listens only after it. */
  async click(notice) {
    await pause(1000);
    return this.#tell({ do: "click", notice }, "clicked");
  }

  /** Presses the close button of the window. */
  closeWindow() {
    return this.#tell({ do: "close" }, "closed");
  }

  /** Waits until so many windows of the program are on the screen. */
  windows(count) {
    return until(`${count} windows on the screen`, async () => (await this.#tell({ do: "windows" }, "windows")) === count);
  }

  /** Where the window is: `[x, y, width, height]`. */
  rect() {
    return this.#tell({ do: "rect" }, "rect");
  }

  /** Puts the window there. */
  place(...rect) {
    return this.#tell({ do: "place", rect }, "placed");
  }

  /** Gives the keyboard to the window with this title, once it is there. */
  focus(title) {
    return until(`a window '${title}'`, () => this.#tell({ do: "focus", title }, "focused"));
  }

  /** Presses keys of the keyboard together: `ctrl+equal`. */
  keys(keys) {
    return this.#tell({ do: "keys", keys }, "pressed");
  }

  /** Types a text. */
  type(text) {
    return this.#tell({ do: "type", text }, "typed");
  }

  /** Drags with the mouse between two points of the screen. */
  drag(from, to) {
    return this.#tell({ do: "drag", from, to }, "dragged");
  }

  /** Holds files ready to be dragged from another program; gives where they lie on the screen. */
  hold(...files) {
    return this.#tell({ do: "hold", files }, "held");
  }

  /** The notice with this headline. */
  notice(summary) {
    return this.said(`a notice '${summary}'`, (said) => said.summary?.startsWith(summary));
  }

  end() {
    this.#child.kill();
  }
}

/** What a screen reader finds in the menu and the dialogs of the window (menu.py). A program that hangs is no answer. */
export async function reader(...what) {
  const { stdout } = await promisify(execFile)("/usr/bin/python3", [resolve("tests/window/menu.py"), ...what], { timeout: 15_000, killSignal: "SIGKILL" });
  const answer = JSON.parse(stdout);
  if (answer?.problem) throw new Error(`${what.join(" ")}: ${answer.problem}`);
  return answer;
}

/** A small Pozy on a port of its own. */
export async function sandbox() {
  const child = spawn("target/debug/reprise", ["--json", "sandbox", "--on", "127.0.0.1:0"], { stdio: ["ignore", "pipe", "inherit"] });
  const first = await new Promise((done, fail) => {
    lines(child, done);
    child.once("exit", (code) => fail(new Error(`the sandbox ended with ${code}`)));
  });
  return {
    ...first,
    async ask(method, path, body, headers = {}) {
      const answer = await fetch(first.pozy + path, {
        method,
        headers: { "Content-Type": "application/json", Authorization: `Bearer ${first.api_key}`, ...headers },
        body: JSON.stringify(body),
      });
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
      return answer.json();
    },
    end: () => child.kill(),
  };
}

/** The program in its own world, started as a person does, without a driver. */
export function program({ binary, args = [], home, name, cwd }) {
  const out = openSync(join(home, `${name}.log`), "w");
  const child = spawn(binary, args, { cwd, stdio: ["ignore", out, out], env: { ...process.env, ...world(home) } });
  const ended = new Promise((done) => child.once("exit", (code, signal) => done(code ?? signal)));
  return {
    child,
    /** Its exit code, or the signal that ended it; fails if it goes on. */
    ended: (ms = 15_000) => Promise.race([ended, pause(ms, undefined, { ref: false }).then(() => Promise.reject(new Error(`${name} goes on`)))]),
  };
}

/** Every folder the program may write to. */
export function world(home) {
  return {
    HOME: home,
    XDG_DATA_HOME: join(home, "data"),
    XDG_CONFIG_HOME: join(home, "config"),
    XDG_CACHE_HOME: join(home, "cache"),
    XDG_RUNTIME_DIR: join(home, "run"),
  };
}
