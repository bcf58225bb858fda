// Frames of the Timeline while somebody pans and zooms, and how soon what arrives is on the screen. Started by frames.sh.

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const { chromium } = createRequire(new URL('../../ui/package.json', import.meta.url))('@playwright/test')

const ARRIVALS = Number(process.argv[2])
const PROGRAM = process.env.REPRISE
/** Frames of one walk. */
const FRAMES = 600
/** A frame that took longer is one that a person sees, ms (P8). */
const SEEN = 33
/** Messages whose way to the screen is timed. */
const MESSAGES = 30

const folder = mkdtempSync(join(tmpdir(), 'reprise-frames-'))
const data = join(folder, 'data')
let program
let browser

/** Five messages a post, each twentieth came again, each thirtieth late by minutes. */
async function write(file) {
  const out = createWriteStream(file)
  const begun = Date.now() - ARRIVALS * 9_000
  for (let n = 0; n < ARRIVALS; n += 1) {
    const post = Math.floor(n / 5)
    const id = n % 20 === 19 ? n - 1 : n
    const happened = begun + id * 9_000
    const at = begun + n * 9_000 + 1_200 + (n % 30 === 7 ? 400_000 : 0)
    const body = { id: `ev_${id}`, event: 'post.platform.published', timestamp: new Date(happened).toISOString(), post: { id: `po_${post}`, content: `Edition ${post} of the harbour news`, status: 'publishing' }, platform: { name: 'linkedin', status: 'published' }, account: { accountId: `ac_${id % 5}`, platform: 'linkedin' } }
    const line = { kind: 'arrival', at: new Date(at).toISOString(), took_ms: 30, answer: 204, signature: 'valid', headers: { 'content-type': 'application/json' }, body }
    if (!out.write(`${JSON.stringify(line)}\n`)) await once(out, 'drain')
  }
  out.end()
  await once(out, 'finish')
}

/** Turns the wheel once a frame and notes how long each frame took. */
async function walk(page, turn) {
  return page.evaluate(
    ({ turn, frames }) =>
      new Promise((done) => {
        const canvas = document.querySelector('.picture canvas')
        const box = canvas.getBoundingClientRect()
        const times = []
        let last = performance.now()
        const step = (now) => {
          times.push(now - last)
          last = now
          if (times.length === frames) return done(times.slice(1))
          const there = Math.floor(times.length / 75) % 2 === 0 ? 1 : -1
          const init = { bubbles: true, cancelable: true, clientX: box.left + box.width / 2, clientY: box.top + 60 }
          const both = turn === 'both' ? (times.length % 2 === 0 ? 'zoom' : 'pan') : turn
          if (both === 'pan') canvas.dispatchEvent(new WheelEvent('wheel', { ...init, deltaX: -24 * there }))
          else canvas.dispatchEvent(new WheelEvent('wheel', { ...init, ctrlKey: true, deltaY: 12 * there }))
          requestAnimationFrame(step)
        }
        requestAnimationFrame(step)
      }),
    { turn, frames: FRAMES },
  )
}

/** Sends messages one by one and notes how long after its answer each stands in the part of the page that `within` names. */
async function toScreen(page, receiver, within) {
  const times = []
  for (let n = 0; n < MESSAGES; n += 1) {
    const words = `Timed ${within.length} number ${n}.`
    const seen = page.evaluate(
      ({ within, words }) =>
        new Promise((done) => {
          const look = new MutationObserver(() => {
            if (![...document.querySelectorAll(within)].some((part) => part.textContent.includes(words))) return
            look.disconnect()
            requestAnimationFrame(() => requestAnimationFrame(() => done(Date.now())))
          })
          look.observe(document.body, { childList: true, subtree: true, characterData: true })
        }),
      { within, words },
    )
    const id = `${within.length}_${n}`
    const body = { id: `ev_t${id}`, event: 'post.platform.published', timestamp: new Date().toISOString(), post: { id: `po_t${id}`, content: words, status: 'publishing' }, platform: { name: 'linkedin', status: 'published' }, account: { accountId: 'ac_1', platform: 'linkedin' } }
    const answer = await fetch(receiver, { method: 'POST', body: JSON.stringify(body) })
    if (answer.status !== 204) throw new Error(`The receiver answered ${answer.status}.`)
    const answered = Date.now()
    times.push((await seen) - answered)
  }
  return times.sort((a, b) => a - b)
}

try {
  const file = join(folder, 'log.jsonl')
  await write(file)
  execFileSync(PROGRAM, ['--data', data, 'import', file], { stdio: 'ignore' })
  rmSync(file)
  program = spawn(PROGRAM, ['--json', '--data', data, 'serve', '--receive-on', '127.0.0.1:0'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(createInterface({ input: program.stdout }), 'line')
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-sync'] })
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  const { ui, receiver } = JSON.parse(line)
  await page.goto(`${ui}#/timeline`)
  await page.getByRole('button', { name: 'Look around without connecting' }).click()
  await page.keyboard.press('1')
  const picture = page.getByRole('application')
  await picture.waitFor()
  await picture.focus()
  // The whole log, then the newest hours of it.
  console.log(`${ARRIVALS} arrivals, ${FRAMES} frames a walk, one turn of the wheel a frame.\n`)
  console.log(`| shown | walk | median, ms | p95, ms | p99, ms | worst, ms | frames over ${SEEN} ms |`)
  console.log('|---|---|---|---|---|---|---|')
  for (const shown of ['the newest hours', 'the whole log']) {
    if (shown === 'the whole log') await page.keyboard.press('0')
    await page.waitForTimeout(1500)
    for (const turn of ['pan', 'zoom', 'both']) {
      const times = (await walk(page, turn)).sort((a, b) => a - b)
      const at = (share) => times[Math.floor(times.length * share)].toFixed(1)
      const over = times.filter((time) => time > SEEN).length
      console.log(`| ${shown} | ${turn === 'both' ? 'pan and zoom' : turn} | ${at(0.5)} | ${at(0.95)} | ${at(0.99)} | ${times.at(-1).toFixed(1)} | ${over} of ${times.length} |`)
    }
  }
  console.log(`\nFrom the answer to a message until two frames after it stands on the screen, ${MESSAGES} messages:\n`)
  console.log('| screen | median, ms | worst, ms | over 200 ms |')
  console.log('|---|---|---|---|')
  for (const [screen, key, within] of [['Timeline', '1', '.lane.post'], ['Events', '2', '[role=treegrid]']]) {
    await page.goto(`${new URL(ui).origin}/#/${screen.toLowerCase()}`)
    await page.keyboard.press(key)
    await page.waitForTimeout(1500)
    const times = await toScreen(page, receiver, within)
    console.log(`| ${screen} | ${times[Math.floor(times.length / 2)]} | ${times.at(-1)} | ${times.filter((time) => time > 200).length} of ${times.length} |`)
  }
  const heap = await page.evaluate(() => performance.memory?.usedJSHeapSize ?? 0)
  console.log(`\nMemory of the page's scripts: ${(heap / 1e6).toFixed(0)} MB.`)
} finally {
  await browser?.close()
  program?.kill('SIGTERM')
  if (program) await once(program, 'exit')
  rmSync(folder, { recursive: true, force: true })
}
