import { connect, expect, reachable, test } from './program'
import { FILE } from './samples'

test.beforeEach(async ({ screens, sandbox }) => {
  await connect(screens, sandbox)
  await screens.page.keyboard.press('3')
  await screens.page.getByRole('button', { name: 'Compose' }).click()
  await screens.page.getByRole('button', { name: 'From a file …' }).click()
})

async function choose(page: import('@playwright/test').Page, text: string): Promise<void> {
  await page.getByLabel('File of posts').setInputFiles({ name: 'harbour.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
}

test('a file is looked at row by row, then sent once, and a second time not at all', async ({ screens, sandbox }) => {
  const { page } = screens
  await choose(page, FILE)
  await expect(page.getByText('5 posts: 3 would go out, 1 left out, 1 not readable.')).toBeVisible()
  await expect(page.getByText('Columns that are not known and left aside: Mood.')).toBeVisible()
  const table = page.getByRole('table', { name: 'What each row would do' })
  await expect(table.getByRole('row', { name: /^5 / })).toContainText('Would slip past the check')
  await expect(table.getByRole('row', { name: /^5 / })).toContainText('line 2 of this file')
  await expect(table.getByRole('row', { name: /^6 / })).toContainText('no account')
  expect(await sandbox.posts(), 'looking sends nothing').toHaveLength(0)
  await reachable(page, 'a file that was looked at')

  await sandbox.fault({ on: 'POST /v1/posts', do: 'status', status: 429, retry_after: 2 })
  await page.getByRole('button', { name: 'Send 3 posts' }).click()
  await expect(page.getByText(/Pozy asked everybody to wait/)).toBeVisible()
  await expect(page.getByText('5 posts: 1 left out, 1 not readable, 3 sent.')).toBeVisible()
  await expect.poll(() => sandbox.posts()).toHaveLength(3)
  await reachable(page, 'a file that was sent')

  await choose(page, FILE)
  await expect(page.getByText('5 posts: 1 left out, 1 not readable, 3 sent.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Nothing to send' })).toBeDisabled()
  await expect.poll(() => sandbox.posts()).toHaveLength(3)
})
