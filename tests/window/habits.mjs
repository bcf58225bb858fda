// The habits of the desktop, in the real window on a real session bus: notices that lead to their place, a close button
// that keeps receiving, the tray and back, a second start that hands over, and an end that is one.
//
//   xvfb-run -a dbus-run-session -- node tests/window/habits.mjs [BINARY]

import assert from "node:assert/strict";
import { join } from "node:path";
import { Desk, program, sandbox } from "./desk.mjs";
import { freePort, inWindow, pictures, scratch, until } from "./driver.mjs";

const binary = join(process.cwd(), process.argv[2] ?? "target/debug/reprise-desktop");

/** Leaves the sandbox inside the program for one outside, as a person does for Pozy; gives where it listens. */
async function connect(window, pozy) {
  await window.says(/Sandbox\./);
  await window.call("save_receiver", { port: await freePort() });
  await window.call("save_workspace", {
    name: "Harbour Events",
    base_url: pozy.pozy,
    provider: "pozy",
    api_key: pozy.api_key,
    webhook_secret: pozy.webhook_secret,
  });
  await window.says(/Harbour Events/);
  return (await window.call("status")).receiver.url;
}

const target = { platform: "linkedin", accountId: "ac_li_04" };

/** Has the sandbox publish a post; its signed webhooks reach our receiver. */
const publish = (pozy, content) => pozy.ask("POST", "/v1/posts", { content, platforms: [target], publishNow: true }, { "Idempotency-Key": crypto.randomUUID() });

const lastArrival = async (window) => (await window.call("status")).receiver.last_arrival?.ms ?? 0;

/** Asks again from the keyboard, in the real window: the first post comes back. */
async function askAgain(window, pozy) {
  await pozy.ask("POST", "/sandbox/faults", { on: "POST /v1/posts", do: "cut_after" });
  await pozy.ask("POST", "/sandbox/faults", { on: "POST /v1/posts", do: "status", status: 503, retry_after: 600 });
  await window.call("submit", { content: "Market day: forty stalls", media_urls: [], form: "walk", targets: [{ platform: "linkedin", account: "ac_li_04" }] });
  await window.click("Posts");
  await window.says(/Waiting/);
  await window.clickRow("Market day");
  await window.says(/next try/);
  // The forecast has to be there before its act can be started.
  await until("A leads to the act", async () => {
    await window.press("a");
    return window.run(`return document.activeElement?.dataset.act === "ask"`);
  });
  await window.press("Enter");
  await window.says(/Market day[^]*(Live|On its way|Accepted)/);
  const { posts } = await pozy.ask("GET", "/sandbox/ledger");
  assert.equal(posts.length, 1, "asked again, posted once");
}

/** Three wrong signatures call a person, and the notice leads to what was set aside. */
async function signatures(window, desk, receiver) {
  for (let n = 0; n < 3; n += 1) {
    const answer = await fetch(receiver, { method: "POST", body: `{"id":"ev_forged_${n}"}`, headers: { "X-Pozy-Signature": "00" } });
    assert.equal(answer.status, 401);
  }
  const notice = await desk.notice("Signatures wrong");
  assert.match(notice.body, /^3 messages within 10 min were kept aside/);
  assert.ok(!JSON.stringify(notice).includes("ev_forged"), "nothing of a message is in a notice");
  await desk.click(notice.notice);
  await window.says(/Signature wrong/);
  await window.run("return location.hash").then((hash) => assert.match(hash, /^#\/events(\?|$)/));
  await until("the tray lists it", async () => (await desk.menu()).includes("Signatures wrong"));
}

/** The close button hides the window, messages still come in, and the tray brings it back. */
async function closeAndBack(window, desk, pozy) {
  await desk.windows(1);
  const before = await lastArrival(window);
  assert.equal(await desk.closeWindow(), 1);
  const notice = await desk.notice("Reprise keeps receiving");
  assert.match(notice.body, /Quit ends it/);
  await desk.windows(0);
  await publish(pozy, "Doors open at 9.");
  await until("a message came in behind the closed window", async () => (await lastArrival(window)) > before);
  await until("the tray says that it listens", async () => (await desk.menu()).some((line) => /^Listening, last message .* \w+$/.test(line)));
  await desk.choose("Show Reprise");
  await desk.windows(1);
  await window.run(`location.hash = "#/timeline"`);
  await window.says(/Doors open at 9/);
  await window.screenshot(join(pictures, "back.png"));
}

/** Without a driver around it: a second start is the first one's, and Quit is the end. */
async function secondStartAndEnd(home, desk) {
  const first = program({ binary, home, name: "first" });
  await desk.said("the tray", (said) => said.tray);
  await desk.windows(1);
  await until("it listens", async () => (await desk.menu()).some((line) => line.startsWith("Listening")));
  assert.equal(await desk.closeWindow(), 1);
  await desk.windows(0);
  const second = program({ binary, home, name: "second" });
  assert.equal(await second.ended(), 0, "the second start ends at once");
  await desk.windows(1);
  await desk.choose("Quit");
  assert.equal(await first.ended(), 0, "Quit ends it in order");
  await desk.windows(0);
}

/** With the habit switched off, the close button is the end. */
async function closingEnds(home, desk) {
  const only = program({ binary, home, name: "only" });
  await desk.said("the tray", (said) => said.tray);
  await desk.windows(1);
  await until("it listens", async () => (await desk.menu()).some((line) => line.startsWith("Listening")));
  assert.equal(await desk.closeWindow(), 1);
  assert.equal(await only.ended(), 0, "closing ends it");
}

await scratch("habits", async (home) => {
  const desk = await Desk.open();
  const pozy = await sandbox();
  try {
    await inWindow({ binary, home, name: "habits" }, async (window) => {
      const receiver = await connect(window, pozy);
      await askAgain(window, pozy);
      await signatures(window, desk, receiver);
      await closeAndBack(window, desk, pozy);
    });
    await desk.windows(0);
    await secondStartAndEnd(home, desk);
    await inWindow({ binary, home, name: "switched" }, async (window) => {
      await window.says(/Harbour Events/);
      await window.run(`location.hash = "#/settings"`);
      // What is read for the parts above moves it down, maybe from under the click.
      await until("it is kept", async () => {
        await window.clickRadio("Closing the window", "Ends Reprise");
        return !(await window.call("habits")).keep_receiving;
      });
    });
    await desk.windows(0);
    await closingEnds(home, desk);
  } finally {
    pozy.end();
    desk.end();
  }
});
console.log("habits: all seen");
