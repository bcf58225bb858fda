// The morning after an outage (twelve jobs): a dry run over the whole log, decided and run by keyboard alone.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Locator, Page } from '@playwright/test'

import { expect, faultsOf, reachable, run, type Running, type Sandbox, sandboxOf, type Screens, screensOf, test as base } from './program'

const START = '2026-03-02T09:00:00Z'
const HOUR = 3600

interface Job {
  job: string
  post: string | null
  workspace: string
}

/** A log that is written on the command line, where nothing is sent by itself; the screens open in the morning. */
class Night {
  readonly sandbox: Sandbox
  readonly #data: string
  #files = 0

  constructor(sandbox: Sandbox, data: string) {
    this.sandbox = sandbox
    this.#data = data
  }

  /** A command of its own, at the sandbox's time; gives its first line. */
  async command(args: string[]): Promise<Record<string, unknown>> {
    const ran = await run(['--data', this.#data, '--now', await this.sandbox.now(), ...args], { POZY_API_KEY: this.sandbox.apiKey })
    await ran.end()
    return ran.line
  }

  #file(text: string): string {
    const path = join(this.#data, `file-${(this.#files += 1)}`)
    writeFileSync(path, text)
    return path
  }

  async send(content: string, { accounts = ['ac_li'], planned }: { accounts?: string[]; planned?: number } = {}): Promise<Job> {
    const platforms = accounts.map((accountId) => ({ platform: accountId === 'ac_ig' ? 'instagram' : 'linkedin', accountId }))
    const at = planned === undefined ? null : new Date(Date.parse(await this.sandbox.now()) + planned * 1000).toISOString()
    const body = { content, platforms, ...(at === null ? { publishNow: true } : { scheduledFor: at }) }
    return (await this.command(['submit', this.#file(JSON.stringify(body)), '--pozy', this.sandbox.pozy])) as unknown as Job
  }

  async lost(content: string, planned?: number): Promise<Job> {
    await this.sandbox.fault({ on: 'POST /v1/posts', do: 'cut_after' })
    return this.send(content, planned === undefined ? {} : { planned })
  }

  /** A post that was made, and whose targets then came to stand so; a fetch tells of it. */
  async made(content: string, targets: Record<string, string>): Promise<Job> {
    const job = await this.send(content, { accounts: Object.keys(targets) })
    await this.pass(20)
    for (const [account, status] of Object.entries(targets)) await this.sandbox.control('target', { post: job.post, account, status })
    await this.hear(job.post ?? '', job.workspace)
    return job
  }

  /** Somebody posts these words without us, and a fetch tells of it. */
  async elsewhere(content: string, workspace: string): Promise<void> {
    const answer = await fetch(`${this.sandbox.pozy}/v1/posts`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${this.sandbox.apiKey}` },
      body: JSON.stringify({ content, platforms: [{ platform: 'linkedin', accountId: 'ac_li' }], publishNow: true }),
    })
    const { post } = (await answer.json()) as { post: { _id: string } }
    await this.sandbox.control('target', { post: post._id, account: 'ac_li', status: 'published' })
    await this.hear(post._id, workspace)
  }

  async hear(post: string, workspace: string): Promise<void> {
    const found = (await this.sandbox.posts()).find((one) => one['_id'] === post)
    const line = { kind: 'observation', at: await this.sandbox.now(), workspace, path: `/v1/posts/${post}`, status: 200, body: { post: found } }
    const told = await this.command(['import', this.#file(JSON.stringify(line))])
    expect(told['added'], 'the fetch is in the log').toBe(1)
  }

  async pass(seconds: number): Promise<void> {
    await this.sandbox.control('clock', { advance_s: seconds })
  }
}

/** Writes the twelve jobs of the morning into a log. */
async function outage(night: Night): Promise<void> {
  const { sandbox } = night
  await night.lost('Choir rehearsal moves to Tuesday evening')
  await night.lost('Box office closes early at six')
  await night.pass(12 * HOUR)
  for (const text of ['Winter menu: a first look at soups', 'Lost near the pier, one grey mitten', 'Buses run late back into town'])
    await night.lost(text, 1800)
  await night.made('Friday reading list, fourteen books', { ac_li: 'failed' })
  const live = await night.made('We are hiring a stage manager now', { ac_li: 'failed' })
  const words = ['Parking during the fair is free', 'Harbour lights on opening night']
  for (const text of words) await night.made(text, { ac_li: 'failed' })
  await night.made('Thank you, dear volunteers, all of you', { ac_li: 'published', ac_ig: 'failed' })
  await sandbox.fault({ on: 'POST /v1/posts', do: 'status', status: 400 })
  await night.send('Sound check is public this year')
  await sandbox.fault({ on: 'POST /v1/posts', do: 'cut_before' })
  const conflict = await night.send('Market day brings forty stalls')
  await night.pass(HOUR)
  for (const text of words) await night.elsewhere(text, live.workspace)
  // It went live after it had failed, and nobody told us.
  await sandbox.control('target', { post: live.post, account: 'ac_li', status: 'published' })
  await night.pass(13 * HOUR - 240)
  await sandbox.fault({ on: 'POST /v1/posts', do: 'status', status: 409, code: 'idempotency_conflict', retry_after: 1200 })
  await night.command(['resend', conflict.job, '--pozy', sandbox.pozy])
  await night.pass(60)
}

const test = base.extend<{ morning: Screens & { sandbox: Sandbox } }>({
  morning: async ({ page }, use) => {
    const data = mkdtempSync(join(tmpdir(), 'reprise-e2e-'))
    const box = await run(['sandbox', '--on', '127.0.0.1:0', '--now', START])
    const sandbox = sandboxOf(box)
    const faults = faultsOf(page)
    let program: Running | null = null
    try {
      await outage(new Night(sandbox, data))
      const serve = ['serve', '--receive-on', '127.0.0.1:0', '--pozy', sandbox.pozy]
      program = await run(['--data', data, '--now', await sandbox.now(), ...serve], { POZY_API_KEY: sandbox.apiKey })
      await page.goto(`${program.line['ui'] ?? ''}#/posts`)
      await use({ ...screensOf(page), sandbox })
      expect(faults, 'no script failed and no policy was broken').toEqual([])
    } finally {
      await program?.end()
      await box.end()
      rmSync(data, { recursive: true, force: true })
    }
  },
})

/** Goes to a control by the Tab key alone. */
async function tabTo(page: Page, control: Locator): Promise<void> {
  await expect(control).toBeEnabled()
  for (let n = 0; n < 90; n += 1) {
    if (await control.evaluate((element) => element === document.activeElement)) return
    await page.keyboard.press('Tab')
  }
  throw new Error('Tab never came to it')
}

async function press(page: Page, control: Locator, key = 'Enter'): Promise<void> {
  await tabTo(page, control)
  await page.keyboard.press(key)
}

/** Each group on the screen with its count. */
async function groups(page: Page): Promise<string[]> {
  const names = page.getByRole('region', { name: 'What would happen' }).getByRole('listitem').locator('button[aria-pressed]')
  await expect(names.first()).toBeVisible()
  return (await names.allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim()).sort()
}

test('the morning after an outage is looked at, decided and run by keyboard alone', async ({ morning }) => {
  test.setTimeout(180_000)
  const { page, sandbox } = morning
  const button = (name: string | RegExp): Locator => page.getByRole('button', { name })
  await expect(page.getByRole('row', { name: /Friday reading list/ })).toBeVisible()
  const before = (await sandbox.posts()).length

  await press(page, button('Select many'))
  await expect(button('Back to the posts')).toBeFocused()
  await reachable(page, 'the filter of many posts')
  await press(page, button('Look what would happen'))
  await expect(page.getByRole('heading', { name: 'What would happen' })).toBeFocused()
  expect(await groups(page), 'all twelve').toEqual([
    'Ask again, safe 3',
    'Blocked until looked at 2',
    'Failed accounts only, new key 1',
    'Fix first 1',
    'Look at Pozy first 2',
    'Same words are there, skip 2',
    'Wait 1',
  ])
  await reachable(page, 'a dry run')
  await press(page, button('Ask Pozy how they stand'))
  await expect(button('Already live, link it 1')).toBeVisible()
  await expect(button('Post again 1')).toBeVisible()
  await expect(page.getByRole('checkbox', { name: /Blocked|Same words|Fix first|Wait/ }), 'nothing blocked can be ticked').toHaveCount(0)
  await expect.poll(() => sandbox.posts(), 'a dry run sends nothing').toHaveLength(before)

  // What makes a new post waits for a reason of its own.
  await page.keyboard.press('Shift+Tab')
  for (const [what, why] of [
    ['Run: Post again', 'The outage swallowed it'],
    ['Run: Failed accounts only, new key', 'Instagram was down'],
  ] as const) {
    await press(page, page.getByRole('checkbox', { name: what }), 'Space')
    await expect(button(/^Run \d/)).toBeDisabled()
    await tabTo(page, page.getByRole('textbox', { name: 'Why new posts are wanted' }).last())
    await page.keyboard.type(why)
    await expect(button(/^Run \d/)).toBeEnabled()
  }

  // The fourth call is told to wait, and with it everything.
  await sandbox.fault({ on: 'POST /v1/posts', do: 'pass', times: 3 })
  await sandbox.fault({ on: 'POST /v1/posts', do: 'status', status: 429, retry_after: 30 })
  await press(page, button('Run 6 posts'))
  await expect(page.getByText(/Pozy asked us to slow down/)).toBeVisible()
  await expect(page.getByText(/about \d+ s left/)).toBeVisible()
  await expect(page.getByRole('heading', { name: 'How far it is: Running' })).toBeFocused()
  await reachable(page, 'a bulk that waits')
  await press(page, button('Hold'))
  await expect(page.getByRole('heading', { name: 'How far it is: Held' })).toBeVisible()
  await press(page, button('Go on'))

  await expect(page.getByText('6 of 6 done')).toBeVisible({ timeout: 60_000 })
  await expect(page.getByRole('heading', { name: 'How far it is: Done' })).toBeVisible()
  const figure = (name: string): Locator => page.locator('dl > div', { has: page.getByText(name, { exact: true }) }).locator('dd')
  await expect(figure('Came as foretold')).toHaveText('6')
  await expect(figure('Came otherwise')).toHaveText('0')
  await expect(figure('Posts made')).toHaveText('2')
  await expect(figure('Second live posts')).toHaveText('0')
  // What was foretold stands beside what came, group by group.
  const report = page.getByRole('table', { name: 'Foretold against what came' })
  await expect(report.getByRole('row', { name: /^Post again 1 1 0 0 1$/ })).toBeVisible()
  await expect(report.getByRole('row', { name: /^Failed accounts only, new key 1 1 0 0 1$/ })).toBeVisible()
  await reachable(page, 'a bulk that is done')
  await expect.poll(() => sandbox.posts(), 'one reposted failure, one failed target').toHaveLength(before + 2)

  // The same once more makes nothing.
  await press(page, button('Choose others'))
  await press(page, button('Look what would happen'))
  await expect(page.getByRole('heading', { name: 'What would happen' })).toBeFocused()
  expect(await groups(page)).toEqual(['Blocked until looked at 2', 'Fix first 1', 'Same words are there, skip 2', 'Wait 1'])
  await expect(button('Run')).toBeDisabled()

  // From a row to its post, and back to the list.
  await press(page, page.getByRole('table').getByRole('button').first())
  await expect(page.getByRole('region', { name: 'Selected post' }).getByText('Unknown.')).toBeVisible()
  await expect.poll(() => sandbox.posts()).toHaveLength(before + 2)
})

test('a bulk of before is found again, and ended for good', async ({ morning }) => {
  test.setTimeout(120_000)
  const { page } = morning
  const planned = await morning.call('plan_bulk', { filter: { kinds: ['stopped', 'unknown'] } })
  await page.getByRole('button', { name: 'Select many' }).click()
  await page.getByRole('button', { name: /Worked out, nothing sent/ }).click()
  await expect(page.getByText(planned.bulk)).toBeVisible()
  await page.getByRole('button', { name: 'Blocked until looked at 2' }).click()
  await expect(page.getByRole('rowheader')).toHaveCount(2)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Select many' })).toBeFocused()
  await morning.call('stop_bulk', { bulk: planned.bulk })
  await page.getByRole('button', { name: 'Select many' }).click()
  await page.getByRole('button', { name: /Ended/ }).click()
  await expect(page.getByRole('button', { name: /^Run/ }), 'what was ended does not run').toHaveCount(0)
})
