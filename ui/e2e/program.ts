// The real programs behind the browser tests: the screens by `reprise serve`, and a sandbox to talk to.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

import { AxeBuilder } from '@axe-core/playwright'
import { test as base, expect, type Page } from '@playwright/test'

import type { CallAnswer, CallArgs, CallName } from '../src/wire/calls'

export const REPRISE = process.env['REPRISE'] ?? join(import.meta.dirname, '../../target/debug/reprise')

// What the programs of the tests know of logs outside their folders goes here, and not to the person's own.
process.env['XDG_STATE_HOME'] = join(tmpdir(), 'reprise-e2e-state')

/** A program that said its first line and runs until it is ended. */
export interface Running {
  line: Record<string, string>
  end(): Promise<void>
}

export async function run(args: string[], env: Record<string, string> = {}): Promise<Running> {
  const child: ChildProcess = spawn(REPRISE, ['--json', ...args], {
    env: { ...process.env, TZ: 'Europe/Paris', LANG: 'en_US.UTF-8', DBUS_SESSION_BUS_ADDRESS: '', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const gone = new Promise<void>((done) => child.once('exit', () => done()))
  const { stdout } = child
  if (!stdout) throw new Error('the program has no output')
  const first = await new Promise<string>((done, fail) => {
    createInterface({ input: stdout }).once('line', done)
    child.once('exit', (code) => fail(new Error(`reprise ${args[0]} ended with ${code} before its first line`)))
    child.once('error', fail)
  })
  return {
    line: JSON.parse(first) as Record<string, string>,
    end: async () => {
      child.kill('SIGTERM')
      await gone
    },
  }
}

/** The sandbox of one test. */
export interface Sandbox {
  pozy: string
  apiKey: string
  secret: string
  /** Asks for a fault on a coming call. */
  fault(fault: Record<string, unknown>): Promise<void>
  /** Posts that there are. */
  posts(): Promise<Record<string, unknown>[]>
  /** Its present time. */
  now(): Promise<string>
  /** Does a step of control, such as `clock` or `target`. */
  control(step: string, args: Record<string, unknown>): Promise<void>
}

/** The sandbox that a program runs. */
export function sandboxOf(program: Running): Sandbox {
  const pozy = program.line['pozy'] ?? ''
  const ledger = async (): Promise<Record<string, unknown>> => json(await fetch(`${pozy}/sandbox/ledger`))
  const control = async (step: string, args: Record<string, unknown>): Promise<void> => {
    const headers = { 'Content-Type': 'application/json' }
    const answer = await fetch(`${pozy}/sandbox/${step}`, { method: 'POST', body: JSON.stringify(args), headers })
    if (!answer.ok) throw new Error(`${step}: ${answer.status} ${await answer.text()}`)
  }
  return {
    pozy,
    apiKey: program.line['api_key'] ?? '',
    secret: program.line['webhook_secret'] ?? '',
    fault: (fault) => control('faults', fault),
    posts: async () => (await ledger())['posts'] as Record<string, unknown>[],
    now: async () => String((await ledger())['now']),
    control,
  }
}

/** The screens of one test. */
export interface Screens {
  page: Page
  /** A call of the core, as the page makes it. */
  call<N extends CallName>(name: N, args: CallArgs<N>): Promise<CallAnswer<N>>
  /** Has a webhook arrive from outside; answers when the receiver has answered. */
  arrive(body: Record<string, unknown>): Promise<void>
}

interface Fixtures {
  /** A sandbox on a port of its own. */
  sandbox: Sandbox
  /** The screens on a fresh log, with nothing set up and no practice under way. */
  screens: Screens
  /** The screens in practice, as they open for the first time. */
  practice: Screens
  /** Serves the screens, at their first run, on a fresh log that holds these files. */
  serve: (files: readonly string[], use: (screens: Screens) => Promise<void>) => Promise<void>
}

async function json(answer: Response): Promise<Record<string, unknown>> {
  if (!answer.ok) throw new Error(`${answer.url} answered ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as Record<string, unknown>
}

/** Runs a command to its end; its output. */
export function ran(args: string[]): string {
  return execFileSync(REPRISE, ['--json', ...args], { env: { ...process.env, DBUS_SESSION_BUS_ADDRESS: '' }, encoding: 'utf8' })
}

/** Serves the screens on a fresh log, with these files in it, while `use` runs, at the Events. */
async function served(page: Page, args: string[], use: (screens: Screens) => Promise<void>, files: readonly string[] = []): Promise<void> {
  const data = mkdtempSync(join(tmpdir(), 'reprise-e2e-'))
  if (files.length > 0) ran(['--data', data, 'import', ...files])
  const program = await run(['--data', data, 'serve', ...args])
  const faults = faultsOf(page)
  await page.goto(`${program.line['ui'] ?? ''}#/events`)
  const screens = screensOf(page)
  try {
    await use(screens)
    expect(faults, 'no script failed and no policy was broken').toEqual([])
  } finally {
    await program.end()
    rmSync(data, { recursive: true, force: true })
  }
}

/** Scripts that fail on a page and policies that are broken, as they come. */
export function faultsOf(page: Page): string[] {
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text())
  })
  return faults
}

/** The screens that a page shows, wherever it is served from at the moment. */
export function screensOf(page: Page): Screens {
  const screens: Screens = {
    page,
    async call(name, args) {
      const answer = await page.request.post(`${new URL(page.url()).origin}/call/${name}`, { data: args })
      if (!answer.ok()) throw new Error(`${name}: ${await answer.text()}`)
      return answer.json()
    },
    async arrive(body) {
      const { receiver } = await screens.call('status', {})
      const answer = await fetch(receiver.url ?? '', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      })
      expect(answer.status, 'the receiver took it').toBeLessThan(300)
    },
  }
  return screens
}

export const test = base.extend<Fixtures>({
  sandbox: async ({}, use) => {
    const program = await run(['sandbox', '--on', '127.0.0.1:0'])
    await use(sandboxOf(program))
    await program.end()
  },
  // An address to receive on is a choice, so no practice begins by itself.
  screens: async ({ page }, use) => served(page, ['--receive-on', '127.0.0.1:0'], use),
  practice: async ({ page }, use) => served(page, [], use),
  serve: async ({ page }, use) => use((files, run) => served(page, ['--receive-on', '127.0.0.1:0'], run, files)),
})

export { expect }

/** Keeps a connection to the sandbox, as Settings does. */
export async function keepWorkspace(screens: Screens, sandbox: Sandbox): Promise<void> {
  await screens.call('save_workspace', {
    name: 'Harbour Events',
    base_url: sandbox.pozy,
    provider: 'pozy',
    api_key: sandbox.apiKey,
    webhook_secret: sandbox.secret,
  })
}

/** Connects a fresh program to a sandbox. */
export async function connect(screens: Screens, sandbox: Sandbox): Promise<void> {
  await keepWorkspace(screens, sandbox)
  await screens.page.getByRole('link', { name: 'Posts' }).waitFor()
}

/** Checks what is on the screen for barriers, in both themes. */
export async function reachable(page: Page, where: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    // Without motion, so that what is looked at is at rest and not on its way from one theme to the other.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await expect(page.locator(`html[data-theme=${colorScheme}]`)).toBeAttached()
    const found = await new AxeBuilder({ page })
      .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'])
      .analyze()
    const said = found.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html).join(' | ')}`)
    expect(said, `${where}, ${colorScheme}`).toEqual([])
  }
}

/** A message that a platform published a post, as Pozy sends it. */
export function published(id: string, text: string, change: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id,
    event: 'post.platform.published',
    timestamp: new Date().toISOString(),
    post: { id: `po_${id}`, content: text, status: 'publishing' },
    platform: { name: 'linkedin', status: 'published' },
    account: { accountId: 'ac_li_04', platform: 'linkedin' },
    ...change,
  }
}
