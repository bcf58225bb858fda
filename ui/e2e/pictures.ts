// Every screen, light and dark, in the smallest window and the usual one, with content that a person would have. The
// pictures land in target/pictures and are looked at beside the design.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

import type { Locator, Page } from '@playwright/test'

import { connect, expect, type Screens, test } from './program'
import { FILE, QUEUE } from './samples'
import { test as journey, type Travel } from './travel'

const FOLDER = process.env['PICTURES'] ?? join(import.meta.dirname, '../../target/pictures')
const SCENARIOS = join(import.meta.dirname, '../../tests/scenarios')
const HOUR = 3600

/** Takes what is shown, in both themes and both windows. */
async function pictures(page: Page, name: string): Promise<void> {
  mkdirSync(FOLDER, { recursive: true })
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await expect(page.locator(`html[data-theme=${colorScheme}]`)).toBeAttached()
    for (const [width, height] of [[1440, 900], [1024, 700]] as const) {
      await page.setViewportSize({ width, height })
      await atRest(page)
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
      await page.screenshot({ path: join(FOLDER, `${name}-${colorScheme}-${width}.png`) })
    }
  }
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize({ width: 1440, height: 900 })
}

/** Waits until nothing is read or worked out any more. */
async function atRest(page: Page): Promise<void> {
  await expect(page.locator('[aria-busy=true]')).toHaveCount(0)
  await expect(page.getByText(/^(Reading|Working it out|Looking) …$/)).toHaveCount(0)
}

/** Shows a screen. */
async function go(page: Page, screen: string): Promise<void> {
  // The number of posts that need a person is in the name of the link, too.
  await page.getByRole('navigation').getByRole('link', { name: screen }).click()
  await expect(page.getByRole('heading', { level: 1, name: screen })).toBeVisible()
}

const detail = (page: Page): Locator => page.getByRole('region', { name: 'Selected post' })

/** Opens the post with these words, with its forecast. */
async function open(page: Page, words: string): Promise<void> {
  await page.getByRole('row', { name: words }).first().click()
  await expect(detail(page).getByRole('heading', { name: words })).toBeVisible()
  await expect(detail(page).getByRole('article').first()).toBeVisible()
}

test('the first run', async ({ screens: { page } }) => {
  await expect(page.getByRole('heading', { name: /See what was sent/ })).toBeVisible()
  await pictures(page, 'first-run')
  await page.getByRole('button', { name: 'Look around without connecting' }).click()
  await expect(page.getByText('No messages yet.')).toBeVisible()
  await pictures(page, 'events-empty')
  for (const screen of ['Timeline', 'Posts', 'Test', 'Settings']) {
    await go(page, screen)
    await pictures(page, `${screen.toLowerCase()}-empty`)
  }
})

test('the story of the sandbox', async ({ practice: { page } }) => {
  await go(page, 'Timeline')
  await expect(page.getByText('The story is told')).toBeVisible({ timeout: 180_000 })
  await pictures(page, 'timeline')
  await page.getByRole('application').focus()
  for (let n = 0; n < 7; n += 1) await page.keyboard.press('ArrowLeft')
  await expect(page.getByTestId('mark-sentence')).not.toBeEmpty()
  await pictures(page, 'timeline-mark')
  await page.getByRole('button', { name: /^Story/ }).or(page.getByRole('button', { name: 'The story is told' })).first().click()
  await expect(page.getByText('A first post goes out', { exact: false }).first()).toBeVisible()
  await pictures(page, 'story')
  await page.keyboard.press('Escape')
  await expect(page.getByText('A first post goes out', { exact: false })).toBeHidden()
  await page.keyboard.press('l')
  await expect(page.getByRole('table').first()).toBeVisible()
  await pictures(page, 'timeline-list')
  await page.keyboard.press('l')

  await go(page, 'Events')
  await expect(page.getByRole('row', { name: /came 2 times/ }).first()).toBeVisible()
  await pictures(page, 'events')
  await page.getByRole('row', { name: /came 2 times/ }).first().click()
  await page.keyboard.press('ArrowRight')
  await expect(page.getByRole('row', { name: /^2 / })).toBeVisible()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await expect(page.getByRole('region', { name: 'Selected message' }).getByText('Why it came again')).toBeVisible()
  await pictures(page, 'events-arrival')
  await page.keyboard.press('d')
  await expect(page.getByText('No field differs.')).toBeVisible()
  await pictures(page, 'events-compare')
  await page.getByRole('row', { name: /late/ }).first().click()
  await expect(page.getByRole('region', { name: 'Selected message' })).toContainText(/late/i)
  await pictures(page, 'events-late')
  await page.getByRole('button', { name: /^Filter/ }).click()
  await page.getByRole('combobox', { name: 'Platform' }).selectOption('instagram')
  await expect(page.getByText(/found, looked through all of it/).first()).toBeVisible()
  await pictures(page, 'events-filter')
  await page.getByRole('button', { name: 'Clear all' }).click()

  await go(page, 'Posts')
  await open(page, 'Bring a cup for the cider.')
  await pictures(page, 'posts')

  await go(page, 'Why twice?')
  await pictures(page, 'why-empty')
  await go(page, 'Posts')
  await open(page, 'Doors open at nine on Sunday!')
  await pictures(page, 'posts-second')
  await page.keyboard.press('w')
  await expect(page.getByRole('region', { name: 'The verdict' })).toBeVisible()
  await page.getByRole('region', { name: 'The verdict' }).getByRole('heading').click()
  await pictures(page, 'why')
  await page.getByRole('radio', { name: 'List' }).click({ force: true })
  await pictures(page, 'why-list')

  await go(page, 'Test')
  await page.getByRole('button', { name: /^Fire test/ }).click()
  await expect(page.getByRole('heading', { name: /Round trip in/ })).toBeVisible()
  await pictures(page, 'test')
  await go(page, 'Settings')
  await pictures(page, 'settings')
  await page.keyboard.press('Control+k')
  await expect(page.getByRole('combobox', { name: 'Search, or do something' })).toBeFocused()
  await pictures(page, 'palette')
  await page.keyboard.press('Escape')
  await page.keyboard.press('?')
  await expect(page.getByRole('dialog', { name: 'Keys' })).toBeVisible()
  await pictures(page, 'keys')
  await page.keyboard.press('Escape')
})

test('a log that was handed over', async ({ screens }) => {
  const { page } = screens
  await page.getByRole('button', { name: 'Look around without connecting' }).click()
  await page.getByRole('button', { name: 'Import a log' }).click()
  const dialog = page.getByRole('dialog', { name: 'Logs from elsewhere' })
  await expect(dialog).toBeVisible()
  await pictures(page, 'import')
  await page.getByTestId('import-files').setInputFiles({ name: 'night queue.csv', mimeType: 'text/csv', buffer: Buffer.from(QUEUE) })
  await expect(dialog.getByText('Table', { exact: true })).toBeVisible()
  await pictures(page, 'import-table')
  await dialog.getByLabel('Holds: Ref').selectOption('key')
  await dialog.getByRole('button', { name: 'Import', exact: true }).click()
  await expect(dialog.getByText(/3 lines read/).first()).toBeVisible()
  await pictures(page, 'import-done')
  await dialog.getByRole('button', { name: 'Show it' }).click()
  await expect(page.getByRole('region', { name: 'Case' })).toContainText('night queue')
  await go(page, 'Posts')
  await page.getByRole('row', { name: /Doors open at nine tonight/ }).first().click()
  await pictures(page, 'case-posts')
  await go(page, 'Timeline')
  await expect(page.locator('.lane').first()).toBeVisible()
  await pictures(page, 'case-timeline')
  await go(page, 'Settings')
  await pictures(page, 'case-settings')
})

const twice = (name: string): string => join(SCENARIOS, 'why_there_are_two_posts', `${name}.jsonl`)

test('the chain of a double post', async ({ serve }) => {
  await serve([twice('edited_after_refusal')], async ({ page }) => {
    await page.getByRole('button', { name: 'Look around without connecting' }).click()
    await page.keyboard.press('4')
    await expect(page.getByLabel('What to ask about')).toBeFocused()
    await page.keyboard.type('post_tide_2 post_tide')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('region', { name: 'The verdict' })).toBeVisible()
    await pictures(page, 'why-chain')
    await page.getByRole('button', { name: 'Look' }).click().catch(() => undefined)
    await pictures(page, 'why-masked')
  })
})

/** Brings lines into the log that is open. */
async function bring({ page, call }: Screens, lines: readonly unknown[]): Promise<void> {
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  const answer = await page.request.post(`${new URL(page.url()).origin}/upload/queue.jsonl`, { data: text })
  const { upload } = (await answer.json()) as { upload: string }
  await call('import_start', { paths: [], uploads: [upload] })
  await expect.poll(async () => (await call('import_progress', {})).files[0]?.state).toBe('done')
}

/** A day of a harbour market's account: what is live, what nobody knows, what failed, whose key is gone. */
async function day(travel: Travel): Promise<void> {
  const { sandbox } = travel
  await travel.send('Doors open at 9, the first forty visitors get a lantern.')
  await sandbox.fault({ on: 'POST /v1/posts', do: 'cut_after' })
  await sandbox.fault({ on: 'POST /v1/posts', do: 'status', status: 503, retry_after: 80_000 })
  await travel.send('Nobody knows yet: open-air cinema, bring a blanket.')
  await travel.send('The band plays until ten.', { accounts: ['ac_li_04', 'ac_ig_01'] })
  await travel.send('Harbour lights, opening night', { scheduled_for: '2026-03-05T18:00' })
  await travel.send('Parking is free on the quay.')
  await sandbox.control('clock', { advance_s: 60 })
  const [, , , , last] = await sandbox.posts()
  if (last) await sandbox.control('target', { post: last['_id'], account: 'ac_li_04', status: 'failed' })
  const tried = (n: number, at: string, status: number) => ({
    kind: 'attempt', at, job: 'queue-7', n, method: 'POST', path: '/v1/posts', workspace: 'old queue', key: 'k-queue-7',
    body: { content: 'Choir rehearsal moved to Tuesday.', platforms: [{ platform: 'linkedin', accountId: 'ac_li_04' }] },
    result: { kind: 'answered', at, status, headers: {}, body: { post: { _id: `po_queue_${n}`, status: 'publishing' } } },
  })
  await bring(travel, [tried(1, '2026-02-28T08:00:00Z', 201), tried(2, '2026-03-01T09:30:00Z', 201)])
}

journey('a day of posts', async ({ travel }) => {
  const { page } = travel
  await day(travel)
  await travel.later(2 * HOUR)
  await expect(page.getByRole('row', { name: /Choir rehearsal/ })).toBeVisible()
  await pictures(page, 'posts-list')
  for (const [name, words] of [
    ['posts-unknown', 'Nobody knows yet'],
    ['posts-planned', 'Harbour lights'],
    ['posts-live', 'Doors open at 9'],
    ['posts-failed', 'Parking is free'],
    ['posts-imported', 'Choir rehearsal'],
  ] as const) {
    await open(page, words)
    await pictures(page, name)
  }
  await page.getByRole('button', { name: 'Compose' }).click()
  await page.getByLabel('Words').fill('Doors open at 9, the first forty visitors get a lantern!')
  await pictures(page, 'compose')
  await page.getByRole('button', { name: 'From a file …' }).click()
  await pictures(page, 'many-empty')
  await page.getByLabel('File of posts').setInputFiles({ name: 'harbour.csv', mimeType: 'text/csv', buffer: Buffer.from(FILE) })
  await expect(page.getByText(/^5 posts:/)).toBeVisible()
  await pictures(page, 'many')
  await page.keyboard.press('Escape')
  await go(page, 'Timeline')
  await expect(page.locator('.lane').first()).toBeVisible()
  await pictures(page, 'timeline-day')
  await travel.later(26 * HOUR)
  await open(page, 'Nobody knows yet')
  await pictures(page, 'posts-key-gone')
  await page.getByRole('button', { name: 'Select many' }).click()
  await pictures(page, 'bulk-filter')
  await page.getByRole('button', { name: 'Look what would happen' }).click()
  await expect(page.getByRole('heading', { level: 2 }).first()).toBeVisible()
  await pictures(page, 'bulk')
})

test('messages that were set aside', async ({ screens, sandbox }) => {
  const { page } = screens
  await connect(screens, sandbox)
  const { receiver } = await screens.call('status', {})
  for (let n = 0; n < 3; n += 1) {
    await fetch(receiver.url ?? '', { method: 'POST', headers: { 'X-Pozy-Signature': '00' }, body: JSON.stringify({ id: `ev_${n}`, event: 'post.published' }) })
  }
  await screens.call('test_webhook', {})
  await go(page, 'Events')
  await page.getByRole('button', { name: 'Set aside' }).click()
  await page.getByRole('row', { name: /Signature wrong/ }).first().click()
  await pictures(page, 'events-aside')
  await go(page, 'Settings')
  await pictures(page, 'settings-connected')
})
