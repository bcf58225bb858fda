// A log and a sandbox whose clocks are moved together: what a key and a content check do within a day, in seconds. Each
// jump ends the program and starts it again at the later time on the same log, as a person would the next day.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Page } from '@playwright/test'

import { expect, faultsOf, keepWorkspace, REPRISE, run, type Running, type Sandbox, sandboxOf, type Screens, screensOf, test as base } from './program'

/** When every journey begins. */
const START = '2026-03-02T09:00:00Z'

/** A log and a sandbox that can be moved in time. */
export interface Travel extends Screens {
  sandbox: Sandbox
  /** Goes on so much later, at the Posts. */
  later(seconds: number): Promise<void>
  /** Has a job sent with these words, as another program of this computer would, and gives its mark. */
  send(words: string, change?: { accounts?: string[]; scheduled_for?: string }): Promise<string>
  /** Runs a command of this computer on the same log, with this text in its file; 1 is an answer too. */
  command(words: string[], text: string): Promise<void>
  /** A call to the sandbox as another program makes it, and its whole answer. */
  elsewhere(path: string, body: Record<string, unknown>, key: string): Promise<{ status: number; body: unknown }>
}

async function travelled(page: Page, use: (travel: Travel) => Promise<void>): Promise<void> {
  const data = mkdtempSync(join(tmpdir(), 'reprise-e2e-'))
  const box = await run(['sandbox', '--on', '127.0.0.1:0', '--now', START])
  const sandbox = sandboxOf(box)
  const faults = faultsOf(page)
  let program: Running | null = null
  let forms = 0
  let files = 0
  const start = async (): Promise<void> => {
    program = await run(['--data', data, '--now', await sandbox.now(), 'serve', '--receive-on', '127.0.0.1:0'])
    await page.goto(`${program.line['ui'] ?? ''}#/posts`)
  }
  /** The Posts stand there with their rows, or with the word that there are none: keys find what they act on. */
  const posts = async (): Promise<void> => {
    const main = page.getByRole('main', { name: 'Posts' })
    await expect(main.getByRole('row').nth(1).or(main.getByText('No posts yet.'))).toBeVisible()
  }
  const screens = screensOf(page)
  try {
    await start()
    await keepWorkspace(screens, sandbox)
    await page.getByRole('heading', { name: 'Posts', exact: true }).waitFor()
    await use({
      ...screens,
      sandbox,
      async later(seconds) {
        // The page listens to the program that ends here.
        await page.goto('about:blank')
        await program?.end()
        await sandbox.control('clock', { advance_s: seconds })
        await start()
        await posts()
      },
      async send(content, { accounts = ['ac_li_04'], scheduled_for } = {}) {
        const targets = accounts.map((account) => ({ platform: account.includes('ig') ? 'instagram' : 'linkedin', account }))
        const time = scheduled_for === undefined ? {} : { scheduled_for, timezone: 'UTC' }
        const job = await screens.call('submit', { content, targets, media_urls: [], form: `form ${(forms += 1)}`, ...time })
        return job.job
      },
      async command(words, text) {
        const file = join(data, `given ${(files += 1)}`)
        writeFileSync(file, text)
        const env = { ...process.env, DBUS_SESSION_BUS_ADDRESS: '', POZY_API_KEY: sandbox.apiKey }
        const args = ['--json', '--data', data, '--now', await sandbox.now(), ...words, file]
        const done = spawnSync(REPRISE, args, { env, encoding: 'utf8' })
        if (done.status !== 0 && done.status !== 1) throw new Error(`${words.join(' ')}: ${done.stderr}`)
      },
      async elsewhere(path, body, key) {
        const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${sandbox.apiKey}`, 'Idempotency-Key': key }
        const answer = await fetch(`${sandbox.pozy}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
        return { status: answer.status, body: await answer.json() }
      },
    })
    expect(faults, 'no script failed and no policy was broken').toEqual([])
  } finally {
    await (program as Running | null)?.end()
    await box.end()
    rmSync(data, { recursive: true, force: true })
  }
}

export const test = base.extend<{ travel: Travel }>({
  travel: async ({ page }, use) => travelled(page, use),
})
