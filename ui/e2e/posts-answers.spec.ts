import type { Locator, Page } from '@playwright/test'

import { expect, reachable } from './program'
import { test } from './travel'

const HOUR = 3600
const ANSWER = { lost: 'No answer came back', there: 'The same post is already there' }

const detail = (page: Page): Locator => page.getByRole('region', { name: 'Selected post' })
const answer = (page: Page, headline: string | RegExp): Locator => detail(page).getByRole('article', { name: headline })

async function open(page: Page, words: string): Promise<void> {
  await page.getByRole('row', { name: words }).first().click()
  await expect(detail(page).getByRole('heading', { name: words })).toBeVisible()
}

test('an answer that was lost is brought back, and its card says which try made the post', async ({ travel }) => {
  const { page, sandbox } = travel
  await sandbox.fault({ on: 'POST /v1/posts', do: 'cut_after' })
  await travel.send('Doors open at 9.')
  await open(page, 'Doors open at 9.')
  const made = answer(page, 'Made on try 1')
  await expect(made).toContainText('Try 2 brought it back.')
  await expect(made).toContainText('200, given back')
  await reachable(page, 'a post made on an earlier try')
  await expect.poll(() => sandbox.posts()).toHaveLength(1)
})

test('a Pozy that was too busy is asked again by itself', async ({ travel }) => {
  const { page, sandbox } = travel
  await sandbox.fault({ on: 'POST /v1/posts', do: 'status', status: 503, retry_after: 3000 })
  await travel.send('Doors open at 9.')
  await open(page, 'Doors open at 9.')
  const busy = answer(page, 'Pozy was too busy')
  await expect(busy).toContainText('We ask again by ourselves, with the same key: that cannot make a second one.')
  await expect(busy).toContainText(/next try/)
  await expect(busy).toContainText('503')
  await reachable(page, 'a try that Pozy was too busy for')
  await detail(page).getByRole('button', { name: 'Ask again' }).click()
  const made = answer(page, 'Made on try 2')
  await expect(made).toContainText('The tries before it made nothing.')
  await expect(made).toContainText('201, new post')
  await expect.poll(() => sandbox.posts()).toHaveLength(1)
})

test('a first try that still runs is waited for, and the wait survives a restart', async ({ travel }) => {
  const { page, sandbox } = travel
  await sandbox.fault({ on: 'POST /v1/posts', do: 'status', status: 429, retry_after: 2000 })
  await travel.send('Late buses back to town')
  await open(page, 'Late buses back to town')
  const slow = answer(page, 'Pozy asked us to slow down')
  await expect(slow).toContainText(/next try 10:33:2\d CET/)
  await expect(slow).toContainText('429, slow down')
  await reachable(page, 'told to slow down')
  await travel.later(60)
  await open(page, 'Late buses back to town')
  await expect(answer(page, 'Pozy asked us to slow down')).toContainText(/next try 10:33:2\d CET/)
  expect(await sandbox.posts()).toHaveLength(0)
})

test('the same words stand beside the post that is there; it is opened, not edited', async ({ travel }) => {
  const { page, sandbox } = travel
  await travel.send('Box office closes at six', { scheduled_for: '2026-03-05T18:00' })
  // The same words by another key, as a second person would have sent them; were a message to tell of that post first,
  // the words would be held back here and no answer of Pozy's would come.
  await sandbox.fault({ on: 'delivery', do: 'drop', times: 20 })
  const body = { content: 'Lost: one grey mitten', platforms: [{ platform: 'linkedin', accountId: 'ac_li_04' }], publishNow: true }
  await travel.elsewhere('/v1/posts', body, 'other')
  await travel.send('Lost: one grey mitten')
  await open(page, 'Lost: one grey mitten')
  const there = answer(page, ANSWER.there)
  await expect(there).toContainText('Nothing new was made, and nothing needs sending.')
  await expect(there).toContainText('409, same content')
  await expect(there.getByRole('button', { name: /Edit/ })).toHaveCount(0)
  await reachable(page, 'the same post is already there')
  await there.getByRole('button', { name: 'Open that post' }).click()
  const sheet = page.getByRole('dialog', { name: 'The post at Pozy' })
  await expect(sheet).toContainText('Lost: one grey mitten')
  await expect(sheet).toContainText(/confirmed by Pozy at \d\d:\d\d:\d\d CET/)
  await reachable(page, 'a post as Pozy has it')
  await page.keyboard.press('Escape')
  await expect(sheet).toBeHidden()
})

test('what is to be fixed is said in Pozy’s own words, and edited as a new post', async ({ travel }) => {
  const { page, sandbox } = travel
  await sandbox.fault({ on: 'POST /v1/posts', do: 'status', status: 400 })
  await travel.send('Winter menu, first look')
  await open(page, 'Winter menu, first look')
  const stopped = answer(page, 'Stopped: something to fix')
  await expect(stopped).toContainText('Sending it again unchanged will not help.')
  await expect(stopped).toContainText('400')
  await reachable(page, 'stopped')
  await stopped.getByRole('button', { name: 'Edit as a new post' }).click()
  const form = page.getByRole('form', { name: 'New post' })
  await expect(form.getByLabel('Words')).toHaveValue('Winter menu, first look')
  await form.getByLabel('Words').fill('Winter menu, second look')
  await expect(form).toContainText('Nothing like it is there. One post comes of it.')
  await form.getByRole('button', { name: 'Send post' }).click()
  await expect(page.getByRole('row', { name: 'Winter menu, second look' })).toBeVisible()
  await expect.poll(() => sandbox.posts()).toHaveLength(1)
})

test('an unknown outcome is found out in three ways, each with a line in the history', async ({ travel }) => {
  const { page, sandbox } = travel
  await sandbox.fault({ on: 'POST /v1/posts', do: 'cut_after' })
  await sandbox.fault({ on: 'POST /v1/posts', do: 'status', status: 503, retry_after: 80_000 })
  await travel.send('Market day: forty stalls, one street')
  await expect(page.getByRole('row', { name: /Market day/ })).toContainText('Unknown')
  await travel.send('Choir rehearsal moved to Tuesday')
  await travel.later(2 * HOUR)
  // After a start what nobody knows comes first.
  await expect(page.getByRole('row').nth(2)).toContainText('Market day')
  await expect(page.getByRole('link', { name: /Posts, 1 post needs you/ })).toBeVisible()
  await open(page, 'Market day: forty stalls, one street')
  await expect(answer(page, 'Pozy was too busy')).toBeVisible()
  await reachable(page, 'nobody knows yet')

  await detail(page).getByRole('button', { name: 'Ask Pozy what it has' }).click()
  await expect(detail(page).getByRole('heading', { name: 'Posts with these words' })).toBeVisible()
  await expect(detail(page)).toContainText('the same words')
  await reachable(page, 'what Pozy has')
  await detail(page).getByRole('button', { name: 'It is this one' }).click()
  await expect(detail(page)).toContainText(/Looked: it is there, as \w+/)
  await expect(page.getByRole('link', { name: /needs you/ })).toHaveCount(0)
  await expect.poll(() => sandbox.posts()).toHaveLength(2)
})

test('what was seen on the account is written down by keyboard alone', async ({ travel }) => {
  const { page, sandbox } = travel
  await sandbox.fault({ on: 'POST /v1/posts', do: 'cut_before' })
  await sandbox.fault({ on: 'POST /v1/posts', do: 'status', status: 503, retry_after: 80_000 })
  await travel.send('Friday reading list')
  await travel.later(26 * HOUR)
  await page.getByRole('treegrid', { name: 'Posts' }).press('Home')
  await expect(detail(page).getByRole('heading', { name: 'Friday reading list' })).toBeVisible()
  await detail(page).getByRole('button', { name: 'I looked at the account' }).press('Enter')
  await page.getByRole('radio', { name: 'It is live' }).focus()
  await page.keyboard.press('ArrowRight')
  await expect(page.getByRole('radio', { name: 'It is not there' })).toBeChecked()
  await reachable(page, 'what was seen on the account')
  await page.getByLabel('More to say').press('Enter')
  await expect(detail(page)).toContainText('Looked: it is not there')
  expect(await sandbox.posts()).toHaveLength(0)
})

test('nearly the same words are said before a new post leaves, and the zone’s traps are picked', async ({ travel }) => {
  const { page, sandbox } = travel
  await travel.send('Tickets for the lantern walk are live.')
  await page.getByRole('button', { name: 'Compose' }).click()
  await page.getByLabel('Words').fill('Tickets for the lantern walk are live!')
  await page.getByRole('group', { name: 'Accounts' }).getByRole('checkbox').first().check()
  const form = page.getByRole('form', { name: 'New post' })
  await expect(form).toContainText('Would slip past the check.')
  await expect(form).toContainText('One character differs from what is there.')
  await expect(form.getByRole('button', { name: 'Send post' })).toBeDisabled()
  await reachable(page, 'a new post that would slip past the check')
  await page.getByLabel('Words').press('Control+Enter')
  await expect.poll(() => sandbox.posts()).toHaveLength(1)

  await page.getByLabel('Words').fill('Parking during the fair')
  await expect(form).toContainText('Nothing like it is there. One post comes of it.')
  await page.getByRole('radio', { name: 'Later' }).click()
  await page.getByLabel('Zone').selectOption('Europe/London')
  await page.getByLabel('Date').fill('2026-10-25')
  await page.getByLabel('Time', { exact: true }).fill('01:30')
  const readings = form.getByRole('group', { name: /comes twice/ })
  await expect(readings.getByRole('button')).toHaveCount(2)
  await expect(form).toContainText('Which time is meant')
  await reachable(page, 'a time that comes twice')
  await readings.getByRole('button').nth(1).click()
  await expect(form).toContainText(/Planned for/)
  await form.getByRole('button', { name: 'Plan post' }).click()
  await expect(page.getByRole('row', { name: 'Parking during the fair' })).toContainText('Planned')
  const planned = async (): Promise<unknown> =>
    (await sandbox.posts()).find((post) => post['content'] === 'Parking during the fair')?.['scheduledFor']
  await expect.poll(planned).toBe('2026-10-25T01:30:00.000Z')
})
