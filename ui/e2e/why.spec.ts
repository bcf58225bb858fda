import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
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
