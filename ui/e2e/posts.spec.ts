import { connect, expect, reachable, test } from './program'

test.beforeEach(async ({ screens, sandbox }) => {
  await connect(screens, sandbox)
  await screens.page.keyboard.press('3')
  await expect(screens.page.getByText('No posts yet.')).toBeVisible()
})

async function compose(page: import('@playwright/test').Page, words: string): Promise<void> {
  await page.getByRole('button', { name: 'Compose' }).click()
  await page.getByLabel('Words').fill(words)
  const known = page.getByRole('group', { name: 'Accounts' }).getByRole('checkbox')
  if ((await known.count()) > 0) await known.first().check()
  else {
    await page.getByLabel('Platform').fill('linkedin')
    await page.getByLabel('Account id').fill('ac_li_04')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
  }
}

test('a post is composed, sent once, and its messages arrive', async ({ screens, sandbox }) => {
  const { page } = screens
  await compose(page, 'Doors open at 9.')
  await reachable(page, 'compose')
  await page.getByRole('button', { name: 'Send post' }).dblclick()
  const row = page.getByRole('row', { name: /Doors open at 9\./ })
  await expect(row).toContainText('Live')
  await expect.poll(() => sandbox.posts()).toHaveLength(1)
  await row.click()
  await expect(page.getByRole('region', { name: 'Selected post' }).getByRole('article', { name: 'Pozy made the post' })).toBeVisible()
  await reachable(page, 'posts with one open')
  await page.keyboard.press('2')
  await expect(page.getByRole('row', { name: /: live.*Doors open at 9\./ })).toBeVisible()
})

test('a lost answer waits in words, and asking again makes no second post', async ({ screens, sandbox }) => {
  const { page } = screens
  await sandbox.fault({ on: 'POST /v1/posts', do: 'cut_after' })
  await sandbox.fault({ on: 'POST /v1/posts', do: 'status', status: 503, retry_after: 600 })
  await compose(page, 'Market day: forty stalls')
  await page.getByRole('button', { name: 'Send post' }).click()
  const row = page.getByRole('row', { name: /Market day/ })
  await expect(row).toContainText('Waiting')
  await row.click()
  const detail = page.getByRole('region', { name: 'Selected post' })
  await expect(detail.getByRole('article', { name: 'Pozy was too busy' })).toContainText('Waiting')
  await expect(detail.getByText(/next try/)).toBeVisible()
  await reachable(page, 'a waiting post')

  // By keyboard alone: `A` goes to the act, Enter does it.
  await page.keyboard.press('a')
  await expect(detail.getByRole('button', { name: 'Ask again' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(row).not.toContainText('Waiting')
  await expect(row).toContainText(/Live|On its way|Accepted/)
  await expect.poll(() => sandbox.posts(), 'the first post came back').toHaveLength(1)
})

test('a waiting post can be stopped', async ({ screens, sandbox }) => {
  const { page } = screens
  await sandbox.fault({ on: 'POST /v1/posts', do: 'status', status: 429, retry_after: 600 })
  await compose(page, 'Late buses back to town')
  await page.getByRole('button', { name: 'Send post' }).click()
  await page.getByRole('row', { name: /Late buses.*Waiting/ }).click()
  await page.getByRole('button', { name: 'Stop it' }).click()
  await expect(page.getByRole('row', { name: /Late buses.*Cancelled/ })).toBeVisible()
  expect(await sandbox.posts()).toHaveLength(0)
})

test('a time that a zone jumps over is said and not sent', async ({ screens, sandbox }) => {
  const { page } = screens
  await compose(page, 'Early bird tickets')
  await page.getByRole('radio', { name: 'Later' }).click()
  await page.getByLabel('Date').fill('2027-03-28')
  await page.getByLabel('Time', { exact: true }).fill('02:30')
  await expect(page.getByText(/does not exist in Europe\/Paris: the clocks go from 01:59 straight to 03:00/)).toBeVisible()
  await page.getByRole('button', { name: 'Plan post' }).click()
  await page.getByLabel('Time', { exact: true }).fill('09:30')
  await page.getByRole('button', { name: 'Plan post' }).click()
  await expect(page.getByRole('row', { name: /Early bird/ })).toContainText('Planned')
  await expect.poll(async () => (await sandbox.posts())[0]?.['scheduledFor']).toBe('2027-03-28T07:30:00.000Z')
})
