// Answers that are rare, and what is said before a post that would meet one; each from an answer of the sandbox.

import type { Locator, Page } from '@playwright/test'

import { expect, reachable } from './program'
import { test } from './travel'

const T0 = '2026-03-02T09:00:00Z'

const detail = (page: Page): Locator => page.getByRole('region', { name: 'Selected post' })
const answer = (page: Page, headline: string): Locator => detail(page).getByRole('article', { name: headline })

async function open(page: Page, words: string): Promise<void> {
  const row = page.getByRole('row', { name: words }).first()
  await expect(row).toBeVisible()
  await row.click()
  await expect(detail(page).getByRole('heading', { name: words })).toBeVisible()
}

/** A try of another program as a log line. */
function line(n: number, body: Record<string, unknown>, result: Record<string, unknown>): string {
  return JSON.stringify({ kind: 'attempt', at: T0, job: 'night-7', n, method: 'POST', path: '/v1/posts', workspace: 'ws_night', key: 'night-7', request_id: null, body, result })
}

const words = (content: string): Record<string, unknown> => ({
  content,
  platforms: [{ platform: 'linkedin', accountId: 'ac_li_04' }],
  scheduledFor: '2026-03-05T18:00:00Z',
})

test('an address that leads elsewhere is not followed', async ({ travel }) => {
  const { page, sandbox } = travel
  await sandbox.fault({ on: 'POST /v1/posts', do: 'status', status: 308, headers: { location: 'https://old.example/v1/posts' } })
  await travel.send('Late buses back to town')
  await open(page, 'Late buses back to town')
  const card = answer(page, 'The address leads elsewhere')
  await expect(card).toContainText('It leads to old.example, which was not followed: nothing was sent on.')
  await expect(card.getByRole('button', { name: 'Open Settings' })).toBeVisible()
  await reachable(page, 'an address that leads elsewhere')
  expect(await sandbox.posts()).toHaveLength(0)
})

test('a key that belongs to another call is told with that call', async ({ travel }) => {
  const { page, sandbox } = travel
  const first = await travel.call('job', { job: await travel.send('Box office closes at six', { scheduled_for: '2026-03-05T18:00' }) })
  const message = JSON.stringify({ to: '+440000', content: 'Your table by the window is ready' })
  const how = ['submit', '--path', '/v1/sms/messages', '--key', first.row.key ?? '', '--pozy', sandbox.pozy, '--confirm', 'refused_key_reuse']
  await travel.command(how, message)
  await open(page, 'Your table by the window is ready')
  const card = answer(page, 'This key belongs to another call')
  await expect(card).toContainText('Pozy knows it from another call, so nothing was made.')
  await expect(card).toContainText('POST /v1/posts')
  await expect(card).toContainText('422')
  await reachable(page, 'a key that belongs to another call')
  await card.getByRole('button', { name: 'Open the first use' }).click()
  await expect(detail(page).getByRole('heading', { name: 'Box office closes at six' })).toBeVisible()
})

test('an edit that was sent with the old key was not applied, and both texts stand side by side', async ({ travel }) => {
  const { page, sandbox } = travel
  const bodies = [words('Doors open at 9.'), words('Doors open at 10.')]
  const lines: string[] = []
  for (const [at, body] of bodies.entries()) {
    const came = await travel.elsewhere('/v1/posts', body, 'night-7')
    lines.push(line(at + 1, body, { kind: 'answered', at: T0, status: came.status, headers: {}, body: came.body }))
  }
  await expect.poll(() => sandbox.posts(), 'one key, one post').toHaveLength(1)
  await travel.command(['import'], lines.join('\n'))
  await open(page, 'Doors open at 9.')
  const card = answer(page, 'Your edit was not applied')
  await expect(card).toContainText('the live words are the old ones')
  await expect(card.locator('ins')).toContainText('10')
  await expect(card.locator('del')).toContainText('9')
  await reachable(page, 'an edit that was not applied')
})

test('where messages and Pozy disagree, both are told and Pozy counts', async ({ travel }) => {
  const { page, sandbox } = travel
  const job = await travel.send('Thank you, volunteers')
  await sandbox.control('clock', { advance_s: 30 })
  await expect(page.getByRole('row', { name: /Thank you, volunteers/ })).toContainText('Live')
  await sandbox.fault({ on: 'delivery', do: 'drop', times: 20 })
  await sandbox.control('clock', { advance_s: 600 })
  const [post] = await sandbox.posts()
  await sandbox.control('target', { post: post?.['_id'], account: 'ac_li_04', status: 'failed' })
  await travel.call('fetch', { job })
  await open(page, 'Thank you, volunteers')
  await expect(detail(page).getByText(/Messages said live .*; Pozy says failed .*\. Pozy counts\./).first()).toBeVisible()
  await reachable(page, 'messages and Pozy disagree')
})

test('a wait of the whole connection is shown on each job that waits', async ({ travel }) => {
  const { page, sandbox } = travel
  await sandbox.fault({ on: 'POST /v1/posts', do: 'status', status: 503, retry_after: 1000 })
  await sandbox.fault({ on: 'POST /v1/posts', do: 'status', status: 429, retry_after: 2000 })
  await travel.send('Winter menu, first look')
  await travel.send('Lost: one grey mitten')
  await open(page, 'Winter menu, first look')
  await expect(answer(page, 'Pozy was too busy')).toContainText(/Pozy asked everybody to wait, next try 10:33:\d\d CET/)
  await reachable(page, 'a wait of the whole connection')
  expect(await sandbox.posts()).toHaveLength(0)
})

test('a job of a file is asked with its own key once a person said whose it is', async ({ travel }) => {
  const { page, sandbox } = travel
  await travel.command(['import'], line(1, words('The night shift wrote this'), { kind: 'timeout', at: T0 }))
  await open(page, 'The night shift wrote this')
  const ask = detail(page).getByRole('article', { name: 'Ask again' })
  await expect(ask).toContainText('Not offered')
  await ask.getByRole('button', { name: 'This is the same Pozy workspace' }).click()
  await expect(ask).toContainText('Its file calls the workspace ws_night.')
  await reachable(page, 'whose a file is')
  expect(await sandbox.posts()).toHaveLength(0)
  await ask.getByRole('button', { name: 'It is the same one' }).click()
  await expect(ask).toContainText('One post either way.')
  await ask.getByRole('button', { name: 'Ask again' }).click()
  await expect(answer(page, 'Made on try 2')).toBeVisible()
  await expect.poll(() => sandbox.posts()).toHaveLength(1)
})

/** Opens the form of a new post, with these words for the first account. */
async function compose(page: Page, content: string): Promise<Locator> {
  await page.getByRole('button', { name: 'Compose' }).click()
  await page.getByLabel('Words').fill(content)
  await page.getByRole('group', { name: 'Accounts' }).getByRole('checkbox').first().check()
  return page.getByRole('form', { name: 'New post' })
}

test('an account that is disconnected is said before a post to it', async ({ travel }) => {
  const { page, sandbox } = travel
  await travel.send('Market day: forty stalls, one street')
  await sandbox.control('account', { account: 'ac_li_04', connected: false })
  await page.getByRole('link', { name: 'Events' }).click()
  await expect(page.getByRole('row', { name: /account\.disconnected/ })).toBeVisible()
  await page.getByRole('link', { name: /^Posts/ }).click()
  const form = await compose(page, 'Parking during the fair')
  await expect(form).toContainText('An account is disconnected.')
  await expect(form.getByRole('button', { name: 'Send post, I accept' })).toBeVisible()
  await reachable(page, 'an account that is disconnected')
  await page.getByLabel('Words').press('Control+Enter')
  await expect.poll(() => sandbox.posts(), 'the keyboard alone sends nothing').toHaveLength(1)
})

test('words that only a message told of are said before they go out again', async ({ travel }) => {
  const { page, sandbox } = travel
  await travel.send('Market day: forty stalls, one street')
  // Another program posts; only its messages come here.
  await travel.elsewhere('/v1/posts', words('The rope ferry rests on Mondays'), 'theirs')
  await sandbox.control('clock', { advance_s: 5 })
  const near = { content: 'The rope ferry rests on Mondays!', targets: [{ platform: 'linkedin', account: 'ac_li_04' }], media_urls: [], form: 'a look' }
  await expect.poll(async () => (await travel.call('preflight', near)).effect, 'its message came').toBe('cannot_tell')
  const form = await compose(page, near.content)
  await expect(form).toContainText(/Cannot tell\. A message told of a post \(\w+\) with these words, or nearly these\./)
  await expect(form.getByRole('button', { name: 'Send post', exact: true })).toBeDisabled()
  await reachable(page, 'words that only a message told of')
  await page.getByLabel('Words').press('Control+Enter')
  await expect.poll(() => sandbox.posts(), 'nothing of it left').toHaveLength(2)
})

test('a key that stands for other words is said row by row before a file leaves', async ({ travel }) => {
  const { page, sandbox } = travel
  // The key of a post of this log.
  const first = await travel.call('job', { job: await travel.send('Oysters at the east pier', { scheduled_for: '2026-03-05T18:00' }) })
  await page.getByRole('button', { name: 'Compose' }).click()
  await page.getByRole('button', { name: 'From a file …' }).click()
  const text = 'text,accounts,scheduledFor,timezone,key\r\nThe rope ferry rests on Mondays,linkedin:ac_li_04,2031-05-06T09:00,Europe/Paris,'
  await page.getByLabel('File of posts').setInputFiles({ name: 'harbour.csv', mimeType: 'text/csv', buffer: Buffer.from(text + (first.row.key ?? '')) })
  const table = page.getByRole('table', { name: 'What each row would do' })
  await expect(table.getByRole('row', { name: /^2 / })).toContainText('Another post comes back')
  await expect(table.getByRole('row', { name: /^2 / })).toContainText('The key stands for other words')
  await expect(page.getByText('one post: 1 left out.')).toBeVisible()
  await reachable(page, 'a key that stands for other words')
  await expect.poll(() => sandbox.posts()).toHaveLength(1)
})
