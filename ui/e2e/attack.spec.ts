import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

import type { Page } from '@playwright/test'

import { expect, faultsOf, ran, reachable, REPRISE, run, test } from './program'

/** Markup that runs or loads something wherever it is taken for markup. */
const MARKUP = [
  '<script>document.title="ran"</script>',
  '<img src=http://elsewhere.example/x.png onerror="document.title=\'ran\'">',
  '"><svg onload="document.title=\'ran\'">',
  '</pre></textarea></title><iframe srcdoc="<script>parent.document.title=\'ran\'</script>"></iframe>',
  '<style>@import "http://elsewhere.example/x.css";</style><a href="javascript:document.title=\'ran\'">click</a>',
]
/** Turns what follows around wherever it is not alone. */
const TURNED = 'paid \u202edeliaf saw ti'

/** A log in which every word that a stranger chooses is markup, or turns text around. */
function hostile(folder: string): string {
  const lines: unknown[] = []
  for (const [n, word] of [...MARKUP, TURNED].entries()) {
    const at = `2026-04-14T08:0${n}:00Z`
    const post = { id: `po_${n}`, content: `Words ${word}`, status: 'published', platforms: [{ platform: word, accountId: word, status: 'published' }] }
    const headers = { 'user-agent': word }
    const event = { id: `ev_${n}`, event: 'post.published', timestamp: at, post }
    const other = { ...event, id: `ev_odd_${n}`, event: `post.${word}`, platform: { name: word, publishedUrl: 'javascript:alert(1)' }, account: { accountId: word } }
    for (const body of [event, event, other]) lines.push({ kind: 'arrival', at, answer: 204, signature: 'unchecked', headers, body })
    lines.push({ kind: 'arrival', at, answer: 204, signature: 'unchecked', headers, body_text: word })
    const body = { content: `Words ${word}`, platforms: [{ platform: 'linkedin', accountId: word }] }
    for (const key of ['a', 'b']) {
      const result = { kind: 'answered', at, status: 201, headers: { 'x-said': word }, body: { post: { _id: `po_${n}${key}`, content: word }, error: word } }
      lines.push({ kind: 'attempt', at, job: `job_${n} ${word}`, n: key === 'a' ? 1 : 2, method: 'POST', path: '/v1/posts', workspace: `ws ${word}`, key: `k-${n}${key}`, request_id: null, body, result })
    }
    lines.push({ kind: 'note', at, post: `po_${n}`, action: 'comment', text: word })
  }
  const file = join(folder, 'log.jsonl')
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  return file
}

/** Requests that leave for somewhere else, and dialogs that open, as they come. */
function leaving(page: Page, own: string): string[] {
  const seen: string[] = []
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(own) && !url.startsWith('data:image/')) seen.push(url)
  })
  page.on('dialog', (dialog) => {
    seen.push(`dialog ${dialog.message()}`)
    void dialog.dismiss()
  })
  return seen
}

/** Nothing of the markup became a part of the page, and nothing ran. */
async function isText(page: Page, where: string): Promise<void> {
  const parts = await page.evaluate(() => document.querySelectorAll('script:not([src]), iframe, img[src^="http"], svg[onload], [onerror], a[href^="javascript:"], style').length)
  expect(parts, where).toBe(0)
  expect(await page.title(), where).not.toBe('ran')
}

test('words of others are text on every screen, and turn nothing around beside them', async ({ serve }) => {
  test.slow()
  const folder = mkdtempSync(join(tmpdir(), 'reprise-attack-'))
  try {
    await serve([hostile(folder)], async ({ page, call }) => {
      const seen = leaving(page, new URL(page.url()).origin)
      await page.getByRole('button', { name: 'Look around without connecting' }).click()
      const { rows } = await call('events', { limit: 100 })
      expect(rows.length).toBeGreaterThan(3 * MARKUP.length)
      for (const row of rows) {
        const place = row.event === null ? `seq=${row.seq}` : `event=${encodeURIComponent(row.event)}`
        await page.evaluate((to) => (location.hash = `#/events?${to}`), place)
        await expect(page.getByRole('region', { name: 'Selected message' })).toBeVisible()
        await isText(page, place)
      }
      await expect(page.getByRole('row', { name: MARKUP[0] ?? '' }).first()).toBeVisible()
      const cell = page.getByText(TURNED, { exact: false }).first()
      await expect(cell).toHaveCSS('unicode-bidi', /isolate|plaintext/)
      const jobs = (await call('posts', { limit: 100 })).rows
      expect(jobs.length).toBe(MARKUP.length + 1)
      for (const { job } of jobs) {
        for (const [screen, region] of [['posts', 'Selected post']] as const) {
          await page.evaluate((to) => (location.hash = to), `#/${screen}?job=${encodeURIComponent(job)}`)
          await expect(page.getByRole('region', { name: region }).getByRole('article').first()).toBeVisible()
          await isText(page, job)
        }
      }
      await page.evaluate(() => (location.hash = '#/timeline'))
      await page.getByRole('radio', { name: 'List' }).click()
      await expect(page.getByRole('table')).toBeVisible()
      await isText(page, 'timeline')
      await page.evaluate(() => (location.hash = '#/why'))
      await page.getByLabel('What to ask about').fill('po_0')
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: 'Find the cause' }).click()
      await expect(page.getByRole('region', { name: 'The verdict' })).toBeVisible()
      await isText(page, 'why')
      expect(seen, 'nothing leaves and no dialog opens').toEqual([])
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('the page of a case runs nothing and loads nothing', async ({ page }) => {
  const folder = mkdtempSync(join(tmpdir(), 'reprise-attack-'))
  try {
    const data = ['--data', join(folder, 'data')]
    ran([...data, 'import', hostile(folder)])
    const faults = faultsOf(page)
    const seen = leaving(page, pathToFileURL(folder).href)
    for (const n of [...MARKUP.keys(), MARKUP.length]) {
      const html = join(folder, `case${n}.html`)
      ran([...data, 'why', '--post', `po_${n}`, '--html', html])
      await page.goto(pathToFileURL(html).href)
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      await expect(page.getByText(n < MARKUP.length ? (MARKUP[n] ?? '') : 'paid', { exact: false }).first()).toBeAttached()
      const parts = await page.evaluate(() => document.querySelectorAll('script, iframe, img, svg, a, link, [onerror], [onload]').length)
      expect(parts, html).toBe(0)
      expect(await page.title()).not.toBe('ran')
    }
    await expect(page.locator('bdi.odd').first()).toHaveCSS('unicode-bidi', 'isolate')
    expect([...faults, ...seen]).toEqual([])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('a log that was copied says so without barriers, and goes on once a person says so', async ({ page, sandbox }) => {
  const folder = mkdtempSync(join(tmpdir(), 'reprise-attack-'))
  const [first, copy] = [join(folder, 'first'), join(folder, 'copy')]
  const env = { POZY_API_KEY: sandbox.apiKey, POZY_WEBHOOK_SECRET: sandbox.secret }
  const body = { content: 'The ferry rests on Monday', platforms: [{ platform: 'linkedin', accountId: 'ac_li_04' }], scheduledFor: '2031-05-06T09:00:00', timezone: 'Europe/Paris' }
  writeFileSync(join(folder, 'post.json'), JSON.stringify(body))
  execFileSync(REPRISE, ['--json', '--data', first, 'submit', join(folder, 'post.json'), '--pozy', sandbox.pozy], { env: { ...process.env, ...env } })
  cpSync(first, copy, { recursive: true })
  const program = await run(['--data', copy, 'serve', '--receive-on', '127.0.0.1:0', '--pozy', sandbox.pozy], env)
  try {
    await page.goto(`${program.line['ui'] ?? ''}#/posts`)
    const banner = page.getByRole('alert').filter({ hasText: 'is a copy' })
    await expect(banner).toBeVisible()
    await reachable(page, 'a log that was copied')
    await banner.getByRole('button', { name: 'Go on from here' }).click()
    await expect(page.getByRole('alert').filter({ hasText: 'Did you look at the accounts?' })).toBeVisible()
    await reachable(page, 'going on from a copy')
    await page.getByRole('button', { name: 'Yes, go on from here' }).click()
    await expect(page.getByRole('alert').filter({ hasText: /is a copy|Did you look/ })).toHaveCount(0)
  } finally {
    await program.end()
    rmSync(folder, { recursive: true, force: true })
  }
})
