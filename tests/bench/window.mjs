// The real window over a short and a long log: how soon it can be used, how its frames go while messages pour in and
// somebody pans and zooms, how soon a message is on the screen, and how much memory all of its processes take.
// Started by window.sh.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort, inWindow, until } from '../window/driver.mjs'
import { budget, range, sorted } from './budget.mjs'

const BINARY = resolve(process.env.REPRISE_DESKTOP)
/** The driver of the ingest benchmark, which sends messages with real-looking texts at a steady pace. */
const SENDER = resolve(process.env.BENCH_INGEST)
const FOLDER = process.env.BENCH_SCRATCH
const ROUNDS = Number(process.env.ROUNDS ?? 3)
/** Frames of one walk. */
const FRAMES = Number(process.env.FRAMES ?? 600)
const PER_SECOND = 300
/** Starts of which each log's is timed. */
const STARTS = Number(process.env.STARTS ?? 5)
/** Messages whose way to the screen is timed. */
const MESSAGES = Number(process.env.MESSAGES ?? 30)
/** After this long a window that nobody touches has done what it does by itself, milliseconds. */
const SETTLED = 5000

const logs = [
  { name: 'short', data: process.env.BENCH_SHORT },
  { name: 'long', data: process.env.BENCH_LONG },
]

const said = (words) => process.stderr.write(`${words}\n`)
const stat = (pid) => {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return { parent: Number(fields[1]), started: Number(fields[19]) }
}
const running = () => readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number)

/** The program that shows the log in `data`. */
function program(data) {
  return running().find((pid) => {
    try {
      return readlinkSync(`/proc/${pid}/exe`) === BINARY && readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(data)
    } catch {
      return false
    }
  })
}

/** When the process was started, milliseconds since 1970, to a hundredth of a second. */
function startOf(pid) {
  const up = Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0])
  return Date.now() - (up - stat(pid).started / 100) * 1000
}

/** Memory of a program and all it started, each with its own share of what several use (PSS), MiB. */
function memory(pid) {
  const parents = new Map()
  for (const other of running()) {
    try {
      parents.set(other, stat(other).parent)
    } catch {
      // It has just ended.
    }
  }
  const family = [pid]
  for (const member of family) for (const [child, parent] of parents) if (parent === member) family.push(child)
  let kib = 0
  for (const member of family) {
    try {
      kib += Number(readFileSync(`/proc/${member}/smaps_rollup`, 'utf8').match(/^Pss:\s+(\d+)/m)[1])
    } catch {
      // It has just ended.
    }
  }
  return { mib: kib / 1024, processes: family.length }
}

/**
 * Waits in the page until something can be done in it, and gives that instant, milliseconds since 1970. The page looks by
 * itself, so that the instant does not hang on how often it is asked; it is told to anew in case it was loaded meanwhile.
 */
const usable = (window) =>
  until('the Timeline is drawn', () =>
    window.run(
      `if (!window.looksForUse) {
         window.looksForUse = true;
         const look = () => {
           const picture = document.querySelector(".picture canvas");
           const shown = picture && picture.getBoundingClientRect().width > 0 && document.querySelector(".lane");
           if (shown) requestAnimationFrame(() => requestAnimationFrame(() => (window.usableSince = Date.now())));
           else setTimeout(look, 5);
         };
         look();
       }
       return window.usableSince ?? null;`,
    ),
  )

/** One window over a log, in a world that lives as long as the log's other windows. */
function shown(log, name, run) {
  return inWindow({ binary: BINARY, args: ['--data', log.data], home: log.home, name, env: { LANG: 'en_US.UTF-8' } }, async (window) => {
    const pid = await until('the program runs', () => program(log.data))
    await run(window, pid)
  })
}

/** The first window: past what a new person is asked, with a port for the receiver that nobody else has. */
async function settle(log) {
  await shown(log, 'settle', async (window) => {
    // Nothing is ever asked of this address; with a workspace the program opens at the log, as it does for whoever uses it.
    await until('it answers', () => window.call('status').catch(() => null))
    await window.call('save_workspace', { name: 'Bench', base_url: `http://127.0.0.1:${await freePort()}`, provider: 'pozy', api_key: 'none', webhook_secret: null })
    await window.run(`location.hash = "#/timeline"`)
    await usable(window)
    // Ageing out would run beside what is looked at.
    await window.call('save_retention', { bodies_days: null, log_mb: null })
    await window.call('save_receiver', { port: await freePort() })
    await until('it listens', async () => (await window.call('status')).receiver.url)
  })
}

/** From the start of the process until its Timeline is drawn, milliseconds. */
async function start(log, n) {
  let took
  await shown(log, `start-${n}`, async (window, pid) => {
    took = (await usable(window)) - startOf(pid)
  })
  return took
}

/** Turns the wheel once a frame; in parts, since a page that draws slowly would otherwise not answer in time. */
async function walk(window, turn) {
  const part = 50
  for (let from = 0; from < FRAMES; from += part) await steps(window, turn, from, Math.min(from + part, FRAMES))
}

function steps(window, turn, from, to) {
  return window.runAsync(
    `const [turn, from, to, done] = arguments;
     const canvas = document.querySelector(".picture canvas");
     const box = canvas.getBoundingClientRect();
     let n = from;
     const step = () => {
       n += 1;
       if (n > to) return done(true);
       const there = Math.floor(n / 75) % 2 === 0 ? 1 : -1;
       const init = { bubbles: true, cancelable: true, clientX: box.left + box.width / 2, clientY: box.top + 60 };
       const what = turn === "pan and zoom" ? (n % 2 === 0 ? "zoom" : "pan") : turn;
       if (what === "pan") canvas.dispatchEvent(new WheelEvent("wheel", { ...init, deltaX: -24 * there }));
       if (what === "zoom") canvas.dispatchEvent(new WheelEvent("wheel", { ...init, ctrlKey: true, deltaY: 12 * there }));
       requestAnimationFrame(step);
     };
     requestAnimationFrame(step);`,
    turn,
    from,
    to,
  )
}

/** Shift and F9, the key of the panel with the figures. */
function panel(window) {
  const [shift, f9] = ['\uE008', '\uE039']
  const actions = [['keyDown', shift], ['keyDown', f9], ['keyUp', f9], ['keyUp', shift]].map(([type, value]) => ({ type, value }))
  return window.ask('POST', `${window.session}/actions`, { actions: [{ type: 'key', id: 'keys', actions }] })
}

/** The figures of the program's own recorder over one walk. */
async function recorded(window, turn) {
  await window.run(`document.querySelector("[data-testid=frames] button").click()`)
  await walk(window, turn)
  // The panel works its figures out a few times a second.
  await pause(500)
  const figures = await window.run(`return { ...document.querySelector("[data-testid=frames]").dataset }`)
  const number = (name) => {
    const value = Number(figures[name])
    if (!Number.isFinite(value)) throw new Error(`The recorder tells no ${name}: ${JSON.stringify(figures)}`)
    return value
  }
  if (number('frames') < FRAMES / 2) throw new Error(`Only ${figures.frames} frames were recorded of ${FRAMES}.`)
  return { median: number('median'), p95: number('p95'), p99: number('p99'), worst: number('worst'), over: number('over'), frames: number('frames'), updates: number('updates'), paint: number('paintP95') }
}

/** Sends messages at a steady pace until told to stop; fails if one was not accepted. */
function send(receiver) {
  const sender = spawn(SENDER, [], { env: { ...process.env, BENCH_SENDS_TO: receiver, BENCH_PACE: String(PER_SECOND) }, stdio: ['pipe', 'pipe', 'inherit'] })
  let words = ''
  sender.stdout.on('data', (part) => (words += part))
  const ended = once(sender, 'exit')
  return async () => {
    sender.stdin.end()
    const [status] = await ended
    if (status !== 0) throw new Error(`The sender ended with ${status}.`)
    return JSON.parse(words)
  }
}

/** Sends messages one by one and notes how long after its answer each stands in the lanes. */
async function toScreen(window, receiver) {
  const times = []
  for (let n = 0; n < MESSAGES; n += 1) {
    const words = `Timed ${process.pid} number ${Date.now()}.`
    const seen = window.runAsync(
      `const [words, done] = arguments;
       const there = () => [...document.querySelectorAll(".lane")].some((lane) => lane.textContent.includes(words));
       const look = new MutationObserver(() => {
         if (!there()) return;
         look.disconnect();
         requestAnimationFrame(() => requestAnimationFrame(() => done(Date.now())));
       });
       look.observe(document.body, { childList: true, subtree: true, characterData: true });`,
      words,
    )
    const id = `timed_${process.pid}_${Date.now()}`
    const body = { id, event: 'post.platform.published', timestamp: new Date().toISOString(), post: { id: `po_${id}`, content: words, status: 'publishing' }, platform: { name: 'linkedin', status: 'published' }, account: { accountId: 'ac_1', platform: 'linkedin' } }
    const answer = await fetch(receiver, { method: 'POST', body: JSON.stringify(body) })
    if (answer.status !== 204) throw new Error(`The receiver answered ${answer.status}.`)
    const answered = Date.now()
    times.push(Math.max(0, (await seen) - answered))
  }
  return sorted(times)
}

/** Everything that is looked at in a window that stays open. */
async function look(log) {
  const found = { walks: [], lags: [], idle: [], after: [] }
  for (let round = 1; round <= ROUNDS; round += 1) {
    await shown(log, `look-${round}`, async (window, pid) => {
      await usable(window)
      await pause(SETTLED)
      found.idle.push(memory(pid))
      const { url } = (await window.call('status')).receiver
      await window.run(`document.querySelector("[role=application]").focus()`)
      await panel(window)
      await until('the panel of frames', () => window.run(`return document.querySelector("[data-testid=frames]") !== null`))
      for (const [place, key] of [['the newest hours', null], ['the whole log', '0']]) {
        if (key) await window.press(key)
        await pause(1500)
        found.walks.push({ round, place, turn: 'pan and zoom', sent: false, ...(await recorded(window, 'pan and zoom')) })
        const stop = send(url)
        await pause(1000)
        for (const turn of ['nothing', 'pan', 'zoom', 'pan and zoom']) found.walks.push({ round, place, turn, sent: true, ...(await recorded(window, turn)) })
        const { sent } = await stop()
        said(`${log.name} log, round ${round}, ${place}: ${sent} messages meanwhile`)
      }
      await panel(window)
      await window.run(`location.hash = "#/events"`)
      await pause(500)
      await window.run(`location.hash = "#/timeline"`)
      await usable(window)
      await pause(1000)
      found.lags.push(...(await toScreen(window, url)))
      found.after.push(memory(pid))
    })
  }
  return found
}

const folder = mkdtempSync(join(FOLDER, 'window-'))
try {
  for (const log of logs) {
    log.home = join(folder, log.name)
    mkdirSync(log.home, { mode: 0o700 })
    await settle(log)
    log.starts = []
    for (let n = 1; n <= STARTS; n += 1) log.starts.push(await start(log, n))
    said(`${log.name} log: usable after ${range(log.starts)} ms`)
    log.found = await look(log)
  }
  const [short, long] = logs
  console.log('| | short log | long log |\n|---|---|---|')
  console.log(`| start until the Timeline is drawn, ms, of ${STARTS} starts | ${range(short.starts)} | ${range(long.starts)} |`)
  const mib = (all) => range(all.map((one) => one.mib))
  console.log(`| memory of all its processes (PSS), untouched, MiB | ${mib(short.found.idle)} | ${mib(long.found.idle)} |`)
  console.log(`| the same after all walks, MiB | ${mib(short.found.after)} | ${mib(long.found.after)} |`)
  console.log(`| from an answer until two frames after its message stands in a lane, ms, of ${MESSAGES * ROUNDS} | ${range(short.found.lags)} | ${range(long.found.lags)} |`)
  console.log(`\nFrames by the program's own recorder, ${FRAMES} a walk, one turn of the wheel a frame, ${ROUNDS} rounds; messages come at ${PER_SECOND} a second where it says so.\n`)
  console.log('| log | shown | walk | messages | median ms | p95 ms | p99 ms | worst ms | over 33 ms, of frames | updates a frame, most | drawing p95 ms |')
  console.log('|---|---|---|---|---|---|---|---|---|---|---|')
  for (const log of logs) {
    const kinds = new Map()
    for (const one of log.found.walks) {
      const kind = `| ${log.name} | ${one.place} | ${one.turn} | ${one.sent ? 'come' : 'none'} |`
      kinds.set(kind, [...(kinds.get(kind) ?? []), one])
    }
    for (const [kind, walks] of kinds) {
      const of = (name) => range(walks.map((one) => one[name]))
      console.log(`${kind} ${of('median')} | ${of('p95')} | ${of('p99')} | ${of('worst')} | ${of('over')} of ${of('frames')} | ${of('updates')} | ${of('paint')} |`)
    }
  }
  if (process.env.BENCH_BUDGETS) {
    const walks = logs.flatMap((log) => log.found.walks).filter((one) => one.sent)
    const each = (name) => Array.from({ length: ROUNDS }, (_, n) => Math.max(...walks.filter((one) => one.round === n + 1).map((one) => one[name])))
    const ratio = (name) => long.found[name].map((one, n) => one.mib / short.found[name][n].mib)
    const share = (all, percent) => all[Math.ceil((all.length * percent) / 100) - 1]
    writeFileSync(
      process.env.BENCH_BUDGETS,
      [
        budget('P6', "memory of the window's processes, untouched: long log through short", { most: 1.1 }, '', ratio('idle')),
        budget('P6', 'the same after all walks', { most: 1.1 }, '', ratio('after')),
        budget('P7', 'start of the window until its Timeline is drawn, long log', { most: 1000 }, ' ms', long.starts),
        budget('P8', `worst frame of all walks of a round at ${PER_SECOND}/s`, { most: 33 }, ' ms', each('worst')),
        budget('P8', 'most updates in one frame', { most: 1 }, '', each('updates')),
        budget('P8', 'an arrival on screen after its answer, p95, long log', { most: 200 }, ' ms', [share(sorted(long.found.lags), 95)]),
      ].join(''),
    )
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
