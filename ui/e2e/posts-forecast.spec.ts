import type { Locator, Page } from '@playwright/test'

import { expect, reachable } from './program'
import { test, type Travel } from './travel'

const HOUR = 3600

/** A card of the open post. */
const card = (page: Page, verb: 'Ask again' | 'Post again'): Locator =>
  page.getByRole('region', { name: 'Selected post' }).getByRole('article', { name: verb })

/** Opens the post with these words. */
async function open(page: Page, words: string): Promise<void> {
  await page.getByRole('row', { name: words }).first().click()
  await expect(page.getByRole('region', { name: 'Selected post' }).getByRole('heading', { name: words })).toBeVisible()
}

/** Whatever a person does with the keys of both verbs and Enter alone, nothing leaves. */
async function enterStartsNothing({ page, sandbox }: Travel): Promise<void> {
  const before = await sandbox.posts()
  for (const key of ['a', 'p']) {
    await page.keyboard.press(key)
    for (let i = 0; i < 3; i += 1) await page.keyboard.press('Enter')
  }
  const anyway = page.getByRole('button', { name: /Do it anyway/ })
  if ((await anyway.count()) > 0) {
    await anyway.first().press('Enter')
    // The reason has the keyboard now, not the button.
    await expect(page.getByLabel(/Why (a second post|it is)/)).toBeFocused()
    for (let i = 0; i < 3; i += 1) await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Leave it' }).click()
  }
  expect(await sandbox.posts()).toEqual(before)
}

test('a: two hours old and planned, asking gives the first post back by Enter alone', async ({ travel }) => {
  const { page, sandbox } = travel
  await travel.send('Harbour lights, opening night', { scheduled_for: '2026-03-05T18:00' })
  await travel.later(2 * HOUR)
  await open(page, 'Harbour lights, opening night')
  await expect(card(page, 'Ask again')).toContainText('The first post comes back.')
  await expect(card(page, 'Ask again')).toContainText('Safe')
  await expect(card(page, 'Ask again')).toContainText('expects 200')
  await expect(card(page, 'Post again')).toContainText('Already there.')
  await reachable(page, 'safe, and already there')
  await page.keyboard.press('a')
  await expect(page.getByRole('button', { name: 'Ask again' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('region', { name: 'Selected post' })).toContainText(/try 2, 200/)
  await expect.poll(() => sandbox.posts()).toHaveLength(1)
})

test('b and c: a failed post comes back failed; posting again makes the one that is live', async ({ travel }) => {
  const { page, sandbox } = travel
  await travel.send('Winter menu, first look')
  await sandbox.control('clock', { advance_s: 30 })
  const [post] = await sandbox.posts()
  await sandbox.control('target', { post: post?.['_id'], account: 'ac_li_04', status: 'failed' })
  await expect(page.getByRole('row', { name: /Winter menu/ })).toContainText('Failed')
  await travel.later(2 * HOUR)
  await open(page, 'Winter menu, first look')
  await expect(card(page, 'Ask again')).toContainText('It is not live. Ask again shows it, nothing is published.')
  await expect(card(page, 'Post again')).toContainText('A new post, not a second.')
  await expect(card(page, 'Post again')).toContainText('Needs your word')
  await enterStartsNothing(travel)
  await card(page, 'Post again').getByRole('button', { name: 'Post again …' }).click()
  await reachable(page, 'the form of Post again')
  await page.getByLabel('Why it is posted again').fill('The first one failed at LinkedIn')
  await page.getByRole('button', { name: 'Post again, I accept' }).dblclick()
  await expect(page.getByRole('row', { name: /Winter menu/ })).toHaveCount(2)
  // A row is there before its bytes have left.
  await expect.poll(() => sandbox.posts(), 'a double click makes one').toHaveLength(2)
})

test('d: near the end of the key it needs a word', async ({ travel }) => {
  const { page, sandbox } = travel
  await travel.send('Choir rehearsal moved to Tuesday', { scheduled_for: '2026-03-05T18:00' })
  await travel.later(23 * HOUR + 58 * 60)
  await open(page, 'Choir rehearsal moved to Tuesday')
  await expect(card(page, 'Ask again')).toContainText('Too close to call.')
  await expect(card(page, 'Ask again')).toContainText('Needs your word')
  await reachable(page, 'too close to call')
  await enterStartsNothing(travel)
  await page.getByRole('button', { name: 'Ask again, I accept' }).click()
  await expect(page.getByRole('region', { name: 'Selected post' })).toContainText(/try 2, (200|409)/)
  await expect.poll(() => sandbox.posts()).toHaveLength(1)
})

test('e and g: once the key is gone only Post again stands; after the check it would make a second', async ({ travel }) => {
  const { page, sandbox } = travel
  await travel.send('Thank you, volunteers', { scheduled_for: '2026-03-05T18:00' })
  await travel.send('Box office closes at six')
  await sandbox.control('clock', { advance_s: 30 })
  await expect(page.getByRole('row', { name: /Box office/ })).toContainText('Live')
  await travel.later(25 * HOUR)

  await open(page, 'Thank you, volunteers')
  await expect(card(page, 'Ask again')).toContainText('Not offered')
  await expect(card(page, 'Ask again')).toContainText('Its key is gone')
  await expect(card(page, 'Ask again').getByRole('button')).toHaveCount(0)
  await expect(card(page, 'Post again')).toContainText('Already there. The same words are planned')
  await expect(card(page, 'Post again')).toContainText('Nothing happens')

  await open(page, 'Box office closes at six')
  await expect(card(page, 'Post again')).toContainText('Would make a second live post.')
  await expect(card(page, 'Post again')).toContainText('Blocked')
  await expect(card(page, 'Post again').getByRole('button', { name: 'Post again', exact: true })).toBeDisabled()
  await reachable(page, 'would make a second live post')
  await enterStartsNothing(travel)
})

test('f: live for twenty hours, the same words are refused', async ({ travel }) => {
  const { page, sandbox } = travel
  const job = await travel.send('Sound check is public this year', { scheduled_for: '2026-03-02T14:00' })
  await travel.later(25 * HOUR)
  await travel.call('fetch', { job })
  await open(page, 'Sound check is public this year')
  await expect(card(page, 'Ask again')).toContainText('Its key is gone')
  await expect(card(page, 'Post again')).toContainText('Already there. The same words are planned, on their way or freshly live')
  await expect(card(page, 'Post again')).toContainText('Nothing happens')
  await reachable(page, 'live for twenty hours')
  await enterStartsNothing(travel)
  await expect.poll(() => sandbox.posts()).toHaveLength(1)
})

for (const [row, status] of [['h', 'failed'], ['i', 'cancelled']] as const)
  test(`${row}: a day after it was ${status}, posting again makes the one that is live`, async ({ travel }) => {
    const { page, sandbox } = travel
    const job = await travel.send('Choir rehearsal moved to Tuesday', { scheduled_for: '2026-03-05T18:00' })
    const [post] = await sandbox.posts()
    await sandbox.control('target', { post: post?.['_id'], account: 'ac_li_04', status })
    await travel.later(25 * HOUR)
    await travel.call('fetch', { job })
    await open(page, 'Choir rehearsal moved to Tuesday')
    await expect(card(page, 'Ask again')).toContainText('Not offered')
    await expect(card(page, 'Post again')).toContainText('A new post, not a second.')
    await expect(card(page, 'Post again')).toContainText('Needs your word')
    await reachable(page, `a day after it was ${status}`)
    await enterStartsNothing(travel)
    await card(page, 'Post again').getByRole('button', { name: 'Post again …' }).click()
    await page.getByLabel('Why it is posted again').fill('The first one never went out')
    await page.getByRole('button', { name: 'Post again, I accept' }).click()
    await expect(page.getByRole('row', { name: /Choir rehearsal/ })).toHaveCount(2)
    await expect.poll(async () => (await sandbox.posts()).map((one) => one['status'])).toEqual([status, 'scheduled'])
  })

test('j: through another workspace nobody can tell', async ({ travel }) => {
  const { page, sandbox } = travel
  await travel.send('Tickets are live.')
  await travel.call('save_workspace', { name: 'Harbour Shop', base_url: sandbox.pozy.replace('127.0.0.1', 'localhost'), provider: 'pozy', api_key: sandbox.apiKey, webhook_secret: sandbox.secret })
  await page.reload()
  await open(page, 'Tickets are live.')
  await expect(card(page, 'Post again')).toContainText('Cannot tell.')
  await expect(card(page, 'Post again')).toContainText('Keys belong to one workspace.')
  await expect(card(page, 'Post again')).toContainText('Blocked')
  await reachable(page, 'another workspace')
  await enterStartsNothing(travel)
})

test('l: changed words slip past the check; the difference is shown before anything leaves', async ({ travel }) => {
  const { page, sandbox } = travel
  await travel.send('Tickets for the lantern walk are live.')
  await sandbox.control('clock', { advance_s: 30 })
  await travel.later(HOUR)
  await open(page, 'Tickets for the lantern walk are live.')
  await expect(card(page, 'Post again')).toContainText('Already there.')
  await card(page, 'Post again').getByRole('button', { name: 'Post again …' }).click()
  await page.getByLabel('Words', { exact: true }).fill('Tickets for the lantern walk are live!')
  await expect(card(page, 'Post again')).toContainText('Would slip past the check.')
  await expect(card(page, 'Post again')).toContainText('Blocked')
  await expect(card(page, 'Post again').getByText('One character differs from what is there.')).toBeVisible()
  await expect(card(page, 'Post again').locator('del')).toHaveText(/\.$/)
  await reachable(page, 'words that would slip past the check')
  const post = page.getByRole('button', { name: 'Post again', exact: true })
  await expect(post).toBeDisabled()
  await page.getByLabel('Why a second post is wanted').press('Enter')
  await expect.poll(() => sandbox.posts()).toHaveLength(1)

  // Meant all the same: the reason is typed, and stays with the post.
  await page.getByLabel('Why a second post is wanted').fill('The organiser wants it louder')
  await page.getByLabel('Why a second post is wanted').press('Enter')
  await expect.poll(() => sandbox.posts(), 'Enter in the reason sends nothing').toHaveLength(1)
  await post.click()
  await expect(page.getByRole('row', { name: 'are live!' })).toBeVisible()
  await expect.poll(() => sandbox.posts()).toHaveLength(2)
  await expect(page.getByRole('region', { name: 'Selected post' })).toContainText('The organiser wants it louder')
})

test('m: of a partly live post only the failed account is chosen', async ({ travel }) => {
  const { page, sandbox } = travel
  await travel.send('Parking during the fair', { accounts: ['ac_li_04', 'ac_ig_02'] })
  await sandbox.control('clock', { advance_s: 30 })
  const [post] = await sandbox.posts()
  await sandbox.control('target', { post: post?.['_id'], account: 'ac_ig_02', status: 'failed' })
  await expect(page.getByRole('row', { name: /Parking/ })).toContainText('Partly live')
  await travel.later(HOUR)
  await open(page, 'Parking during the fair')
  await card(page, 'Post again').getByRole('button', { name: 'Post again …' }).click()
  await expect(page.getByRole('checkbox', { name: /LinkedIn/ })).not.toBeChecked()
  await expect(page.getByRole('checkbox', { name: /Instagram/ })).toBeChecked()
  await expect(card(page, 'Post again')).toContainText('A new post, not a second.')
  await page.getByRole('checkbox', { name: /LinkedIn/ }).check()
  await expect(card(page, 'Post again')).toContainText('Cannot tell.')
  await expect(card(page, 'Post again')).toContainText('Blocked')
  await reachable(page, 'partly live')
})

test('n, o and p: an unknown outcome is asked again; posting again stays blocked, and so does a day later', async ({ travel }) => {
  const { page, sandbox } = travel
  await sandbox.fault({ on: 'POST /v1/posts', do: 'cut_before' })
  await sandbox.fault({ on: 'POST /v1/posts', do: 'status', status: 503, retry_after: 60_000 })
  await travel.send('Market day: forty stalls, one street')
  await travel.later(3 * HOUR)
  await open(page, 'Market day: forty stalls, one street')
  await expect(card(page, 'Ask again')).toContainText('One post either way.')
  await expect(card(page, 'Ask again')).toContainText('expects 200 or 201')
  await expect(card(page, 'Post again')).toContainText('Cannot tell. If the first try is still running, both may go live.')
  await expect(card(page, 'Post again')).toContainText('Blocked')
  await reachable(page, 'one post either way, or cannot tell')
  const posts = await sandbox.posts()
  await page.keyboard.press('p')
  for (let i = 0; i < 3; i += 1) await page.keyboard.press('Enter')
  expect(await sandbox.posts(), 'row p').toEqual(posts)

  await travel.later(23 * HOUR)
  await open(page, 'Market day: forty stalls, one street')
  await expect(card(page, 'Ask again')).toContainText('Not offered')
  await expect(card(page, 'Post again')).toContainText('Blocked')
  await enterStartsNothing(travel)
})
