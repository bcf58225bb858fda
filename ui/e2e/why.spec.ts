import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Page } from '@playwright/test'

import { expect, ran, reachable, type Screens, test } from './program'

const SCENARIOS = join(import.meta.dirname, '../../tests/scenarios')
const two = (name: string): string[] => [join(SCENARIOS, 'why_there_are_two_posts', `${name}.jsonl`)]
const one = (...names: string[]): string[] => names.map((name) => join(SCENARIOS, 'why_one_post_looks_like_two', `${name}.jsonl`))

/** Raw input, what is pasted into the box, and the verdict it comes to. */
interface Case {
  verdict: string
  headline: string
  confidence: string
  files: string[]
  pasted: string
  /** The same question on the command line. */
  asked: string[]
}

const BOTH = { pasted: 'post_tide_2 post_tide', asked: ['--post', 'post_tide_2', '--post', 'post_tide'] }
const FERRY = { pasted: 'post_ferry', asked: ['--post', 'post_ferry'] }

/** All thirteen. */
const CASES: Case[] = [
  { verdict: 'allowed_repeat', headline: 'Posted again on purpose', confidence: 'High', files: two('allowed_repeat'), ...BOTH },
  { verdict: 'key_per_try', headline: 'A new key for every try', confidence: 'High', files: [join(SCENARIOS, 'a_key_per_try/log.jsonl')], pasted: 'loaf', asked: ['--job', 'loaf'] },
  { verdict: 'workspace_changed', headline: 'Sent through two workspaces', confidence: 'High', files: two('workspace_changed'), ...BOTH },
  { verdict: 'key_expired', headline: 'Sent again after its key ended', confidence: 'High', files: two('key_expired'), pasted: 'key-tide', asked: ['--key', 'key-tide'] },
  { verdict: 'edited_after_refusal', headline: 'Refused, then edited and sent again', confidence: 'High', files: two('edited_after_refusal'), ...BOTH },
  { verdict: 'false_failure_reposted', headline: 'Called failed, was live', confidence: 'High', files: two('false_failure_reposted'), ...BOTH },
  { verdict: 'two_jobs_same_content', headline: 'Two jobs, the same words', confidence: 'High', files: two('two_jobs_same_content'), ...BOTH },
  { verdict: 'publisher_side', headline: 'One post, live twice', confidence: 'Medium', files: one('sent', 'message', 'rollup', 'seen'), ...FERRY },
  { verdict: 'copies_of_one_event', headline: 'Came twice, posted once', confidence: 'High', files: one('sent', 'message', 'again'), pasted: 'https://quay.example/@port/881/', asked: ['--url', 'https://quay.example/@port/881/'] },
  { verdict: 'rollup_and_target', headline: 'Two messages, one post', confidence: 'High', files: one('sent', 'message', 'rollup'), pasted: 'evt_ferry', asked: ['--event', 'evt_ferry'] },
  { verdict: 'key_reused', headline: 'One key for several texts', confidence: 'High', files: [join(SCENARIOS, 'one_key_many_bodies/log.jsonl')], pasted: 'flow-5', asked: ['--key', 'flow-5'] },
  { verdict: 'not_sent_from_here', headline: 'No try for it in this log', confidence: 'Low', files: one('message'), ...FERRY },
  { verdict: 'not_enough_evidence', headline: 'Not enough to say', confidence: 'Low', files: one('sent', 'message'), pasted: 'NIGHT  ferry runs', asked: ['--text', 'NIGHT  ferry runs'] },
]

/** Goes to the screen, whether or not a workspace is set up. */
async function open(page: Page): Promise<void> {
  const look = page.getByRole('button', { name: 'Look around without connecting' })
  await expect(look.or(page.getByRole('link', { name: 'Why twice?' }))).toBeVisible()
  if (await look.isVisible()) await look.click()
  await page.keyboard.press('4')
  await expect(page.getByLabel('What to ask about')).toBeFocused()
}

async function paste(page: Page, text: string): Promise<void> {
  await page.getByLabel('What to ask about').evaluate((field, pasted) => {
    const data = new DataTransfer()
    data.setData('text/plain', pasted)
    field.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }))
  }, text)
  await expect(page.getByRole('group', { name: 'Asked about' }).getByRole('listitem').first()).toBeVisible()
}

const verdict = (page: Page) => page.getByRole('region', { name: 'The verdict' })

for (const one of CASES) {
  test(`${one.verdict}: from raw input to a saved case file that gives the same verdict`, async ({ serve }) => {
    const folder = mkdtempSync(join(tmpdir(), 'reprise-case-'))
    await serve(one.files, async ({ page }: Screens) => {
      await open(page)
      await paste(page, one.pasted)
      await page.keyboard.press('Enter')
      await expect(verdict(page).getByRole('heading', { name: one.headline })).toBeVisible()
      await expect(verdict(page)).toContainText(new RegExp(`${one.confidence}\\sconfidence`))
      await expect(verdict(page)).toContainText('Whose side')
      await expect(page.getByRole('complementary').getByRole('listitem').first()).not.toBeEmpty()
      await expect(page.getByText('Masked')).toBeVisible()
      await reachable(page, one.verdict)

      const saved: Record<string, string> = {}
      page.on('download', (download) => {
        const path = join(folder, download.suggestedFilename())
        void download.saveAs(path).then(() => (saved[path.endsWith('.html') ? 'page' : 'lines'] = path))
      })
      await page.keyboard.press('Control+s')
      await expect(page.getByText(/^Saved with your downloads: why-twice.*\.html, why-twice.*\.jsonl$/)).toBeVisible()
      await expect.poll(() => Object.keys(saved).sort()).toEqual(['lines', 'page'])
      const text = readFileSync(saved['page'] ?? '', 'utf8')
      expect(text).toContain(`<h1>${one.headline}</h1>`)
      expect(text).toMatch(/Reprise \d+\.\d+\.\d+, rules \d+/)

      // What was saved opens elsewhere with the same answer.
      const [first, again] = [join(folder, 'first'), join(folder, 'again')]
      ran(['--data', first, 'import', ...one.files])
      if (readFileSync(saved['lines'] ?? '', 'utf8') !== '') ran(['--data', again, 'import', saved['lines'] ?? ''])
      const answers = [first, again].map((data) => JSON.parse(ran(['--data', data, 'why', ...one.asked])) as Record<string, unknown>)
      for (const field of ['verdict', 'confidence', 'says', 'missing', 'posts', 'next']) expect(answers[1]?.[field], field).toEqual(answers[0]?.[field])
      expect(answers[0]?.['verdict']).toBe(one.verdict)
      if (process.env['SHOTS']) await shots(page, one.verdict)
    })
    rmSync(folder, { recursive: true, force: true })
  })
}

/** Pictures for a person to look at. */
async function shots(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    for (const [width, height] of [[1440, 900], [1024, 700]] as const) {
      await page.setViewportSize({ width, height })
      await page.screenshot({ path: `${process.env['SHOTS'] ?? ''}/${name}-${colorScheme}-${width}.png` })
    }
  }
  await page.setViewportSize({ width: 1440, height: 900 })
}

test('by keyboard alone: from a row of the Events to a verdict, its list, and what is masked', async ({ serve }) => {
  await serve(one('sent', 'message', 'again'), async ({ page }) => {
    await page.getByRole('button', { name: 'Look around without connecting' }).press('Enter')
    await page.keyboard.press('1')
    await expect(page.getByRole('heading', { name: 'Timeline' })).toBeVisible()
    await page.keyboard.press('2')
    await expect(page.getByRole('treegrid', { name: 'Events' })).toBeFocused()
    const row = page.getByRole('row', { name: /came 2 times/ })
    await expect(row).toBeVisible()
    await page.keyboard.press('ArrowDown')
    await expect(row).toHaveAttribute('aria-selected', 'true')
    await page.keyboard.press('w')
    await expect(verdict(page).getByRole('heading', { name: 'Came twice, posted once' })).toBeVisible()
    await expect(page.getByRole('group', { name: 'Asked about' }).getByRole('listitem')).toContainText('evt_ferry')

    const picture = page.getByRole('radio', { name: 'Picture' })
    for (let n = 0; n < 12 && !(await picture.evaluate((e) => e === document.activeElement)); n += 1) await page.keyboard.press('Tab')
    await expect(picture).toBeFocused()
    await page.keyboard.press('ArrowRight')
    const list = page.getByRole('table', { name: 'The chain as a list' })
    await expect(list.getByRole('row', { name: /Arrival evt_ferry Came twice, last 18 s later/ })).toBeVisible()
    await expect(list.getByRole('row', { name: /Try Open ferry\/1 Made a post, after 1 s led to post “/ })).toBeVisible()
    await reachable(page, 'the chain as a list')
    await page.getByRole('button', { name: 'Open evt_ferry' }).press('Enter')
    await expect(page.getByRole('region', { name: 'Selected message' })).toContainText('The same message once more')
  })
})

test('what is masked is shown kind by kind, never with a value', async ({ serve }) => {
  const folder = mkdtempSync(join(tmpdir(), 'reprise-masked-'))
  const log = join(folder, 'log.jsonl')
  const body = { id: 'ev_otter', event: 'post.platform.published', timestamp: '2026-05-04T09:01:00Z', post: { id: 'po_otter', status: 'published' }, platform: { name: 'mastodon', status: 'published', access_token: 'otter-body-7' }, account: { accountId: 'ac_pond' } }
  const line = (second: number) => JSON.stringify({ kind: 'arrival', at: `2026-05-04T09:01:0${second}Z`, took_ms: 20, answer: 204, headers: { authorization: 'Bearer sk_otter' }, body })
  writeFileSync(log, `${line(2)}\n${line(6)}\n`)
  await serve([log], async ({ page }) => {
    await open(page)
    await paste(page, 'ev_otter')
    await page.keyboard.press('Enter')
    await expect(page.getByText('4 values in 2 kinds')).toBeVisible()
    await page.getByRole('button', { name: 'Look' }).click()
    const dialog = page.getByRole('dialog', { name: 'What is masked in the case file' })
    await expect(dialog.getByRole('row', { name: /Header authorization 2 \[masked \d\]/ })).toBeVisible()
    await expect(dialog.getByRole('row', { name: /Field access_token in a body 2 \[masked \d\]/ })).toBeVisible()
    await reachable(page, 'what is masked')
    expect(await page.content()).not.toMatch(/sk_otter|otter-body/)
  })
  rmSync(folder, { recursive: true, force: true })
})

test('posts that are live twice are marked on the Timeline, and lead to the cause and to others like it', async ({ serve }) => {
  const folder = mkdtempSync(join(tmpdir(), 'reprise-twice-'))
  const log = join(folder, 'log.jsonl')
  const now = Date.now()
  const at = (minute: number) => new Date(now - 3_600_000 + minute * 60_000).toISOString()
  const lines: unknown[] = []
  for (const [job, minute] of [['loaf', 0], ['bun', 20]] as const) {
    for (const n of [1, 2]) {
      const post = `po_${job}_${n}`
      const target = { platform: 'linkedin', accountId: 'ac_mill' }
      lines.push({ kind: 'attempt', at: at(minute + n), job, n, method: 'POST', path: '/v1/posts', workspace: 'mill', key: `k-${job}-${n}`, body: { content: `The ${job} is out.`, platforms: [target] }, result: { kind: 'answered', at: at(minute + n), status: 201, headers: {}, body: { post: { _id: post, status: 'scheduled' } } } })
      lines.push({ kind: 'arrival', at: at(minute + n + 3), took_ms: 20, answer: 204, body: { id: `ev_${job}_${n}`, event: 'post.platform.published', timestamp: at(minute + n + 3), post: { id: post, content: `The ${job} is out.`, status: 'published' }, platform: { name: 'linkedin', status: 'published' }, account: { accountId: 'ac_mill' } } })
    }
  }
  writeFileSync(log, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  await serve([log], async ({ page }) => {
    await page.getByRole('button', { name: 'Look around without connecting' }).click()
    await page.keyboard.press('1')
    await expect(page.getByRole('button', { name: /^Posted twice: “The loaf is out/ }).first()).toBeVisible()
    await expect(page.getByRole('slider', { name: /2 posts are live twice/ })).toBeVisible()
    await reachable(page, 'timeline with a post that is live twice')
    if (process.env['SHOTS']) await shots(page, 'timeline_twice')
    await page.getByRole('button', { name: /^Posted twice: “The loaf is out/ }).first().click()
    await expect(verdict(page).getByRole('heading', { name: 'A new key for every try' })).toBeVisible()
    await expect(page.getByText('1 other job shares this cause.')).toBeVisible()
    await page.getByRole('button', { name: 'Show them' }).click()
    const dialog = page.getByRole('dialog', { name: 'Jobs that share this cause' })
    await expect(dialog.getByRole('row', { name: /bun The bun is out\./ })).toBeVisible()
    await reachable(page, 'jobs that share a cause')
    await page.keyboard.press('Escape')
    await expect(dialog).toBeHidden()
    // Exactly those go to the dry run.
    await page.getByRole('button', { name: 'Look what would happen to it' }).click()
    await expect(page.getByText('These 1 post, chosen elsewhere')).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(page.getByRole('row', { name: /The bun is out/ })).toBeVisible()

    // Dragged onto the name of the screen, a row is asked about too.
    await page.keyboard.press('3')
    await page.getByRole('row', { name: /The bun is out/ }).dragTo(page.getByRole('link', { name: 'Why twice?' }))
    await expect(page.getByRole('group', { name: 'Asked about' }).getByRole('listitem').filter({ hasText: 'bun' })).toBeVisible()
  })
  rmSync(folder, { recursive: true, force: true })
})
