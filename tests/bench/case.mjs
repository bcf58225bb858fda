// The page of a case of 5000 rows: made, opened, printed. Started by case.sh.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'

const { chromium } = createRequire(new URL('../../ui/package.json', import.meta.url))('@playwright/test')

const [POSTS, EVENTS, ARRIVALS] = [20, 31, 8]
const ROUNDS = 5
/** Longest time to open, milliseconds. */
const LIMIT = 2000
/** What A4 leaves between margins of 14 mm, CSS pixels. */
const PAPER = Math.floor(((210 - 28) / 25.4) * 96)

const start = Date.parse('2026-05-04T08:00:00Z')
const at = (s) => new Date(start + s * 1000).toISOString()

/** One job with a key for every try, and all that was heard of the posts this made. */
function log() {
  const lines = []
  for (let n = 1; n <= POSTS; n += 1) {
    const post = `post_press_with_a_rather_long_name_${n}`
    const body = { content: `The presses run tonight, edition ${n}, all nine of them.`, platforms: [{ platform: 'linkedin', accountId: 'acc_press' }] }
    const answer = { kind: 'answered', at: at(n * 60 + 1), status: 201, headers: { 'set-cookie': `session-${n}` }, body: { post: { _id: post, status: 'scheduled' } } }
    lines.push({ kind: 'attempt', at: at(n * 60), job: 'press', n, method: 'POST', path: '/v1/posts', workspace: 'north', key: `key-${n}-${'x'.repeat(40)}`, request_id: null, body, result: answer })
    for (let e = 0; e < EVENTS; e += 1) {
      for (let a = 0; a < ARRIVALS; a += 1) {
        lines.push({
          kind: 'arrival',
          at: at(n * 60 + 5 + e * 40 + a * 7),
          took_ms: 20,
          answer: 204,
          headers: { authorization: `Bearer relay-${n}` },
          body: { id: `evt_${n}_${e}`, event: 'post.platform.published', timestamp: at(n * 60 + 4 + e), post: { id: post, status: 'published' }, platform: { name: 'linkedin', status: 'published' }, account: { accountId: 'acc_press' } },
        })
      }
    }
    lines.push({ kind: 'observation', at: at(n * 60 + 4000), workspace: 'north', path: `/v1/posts/${post}`, status: 200, body: { post: { _id: post, status: 'published', platforms: [{ platform: 'linkedin', accountId: 'acc_press', status: 'published' }] } } })
  }
  return lines
}

const folder = mkdtempSync(join(tmpdir(), 'reprise-case-'))
try {
  const lines = log()
  writeFileSync(join(folder, 'log.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  const reprise = (...args) => execFileSync(process.env.REPRISE, ['--data', join(folder, 'data'), '--json', ...args], { encoding: 'utf8', maxBuffer: 1 << 28 })
  reprise('import', join(folder, 'log.jsonl'))
  const file = join(folder, 'case.html')
  const begun = performance.now()
  const answer = JSON.parse(reprise('why', '--job', 'press', '--html', file, '--case', join(folder, 'case.jsonl')))
  const made = performance.now() - begun

  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-sync'] })
  const opened = []
  let rows = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, offline: true })
    const from = performance.now()
    await page.goto(`file://${file}`)
    // Drawn, not only loaded.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
    opened.push(performance.now() - from)
    rows = await page.locator('tbody tr').count()
    await page.close()
  }
  opened.sort((a, b) => a - b)

  const page = await browser.newPage({ viewport: { width: PAPER, height: 1000 } })
  await page.emulateMedia({ media: 'print' })
  await page.goto(`file://${file}`)
  const cut = await page.evaluate(() => {
    const wide = document.documentElement.clientWidth
    const outside = [...document.querySelectorAll('main *')].filter((e) => e.getClientRects().length > 0 && (e.getBoundingClientRect().right > wide + 1 || e.scrollWidth > e.clientWidth + 1) && getComputedStyle(e).display !== 'inline')
    return outside.map((e) => e.outerHTML.slice(0, 120))
  })
  const pdf = await page.pdf({ format: 'A4', ...(process.env.PDF ? { path: process.env.PDF } : {}) })
  const pages = (pdf.toString('latin1').match(/\/Type\s*\/Page[^s]/g) ?? []).length
  await browser.close()

  const median = opened[Math.floor(ROUNDS / 2)]
  console.log(`Rows in the log: ${lines.length}. Verdict: ${answer.verdict}, ${answer.confidence}. Rows in the page: ${rows}, ${Math.round(statSync(file).size / 1024)} KiB, asked and written in ${Math.round(made)} ms.`)
  console.log(`Opened in Chromium: median ${Math.round(median)} ms (${Math.round(opened[0])} to ${Math.round(opened[ROUNDS - 1])}), limit ${LIMIT} ms.`)
  console.log(`Printed on A4: ${pages} pages, ${cut.length} parts cut.`)
  if (cut.length > 0) console.log(cut.slice(0, 5).join('\n'))
  if (median >= LIMIT || cut.length > 0 || rows < 5000) process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
