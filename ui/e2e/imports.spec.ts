import { writeFileSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, reachable, test } from './program'
import { QUEUE } from './samples'

test.beforeEach(async ({ screens }) => {
  await screens.page.getByRole('button', { name: 'Look around without connecting' }).click()
})

test('a table is mapped, opened as a case, judged, left and deleted', async ({ screens }) => {
  const { page } = screens
  const folder = mkdtempSync(join(tmpdir(), 'reprise-import-'))
  writeFileSync(join(folder, 'night queue.csv'), QUEUE)
  await page.getByRole('button', { name: 'Import a log' }).click()
  const dialog = page.getByRole('dialog', { name: 'Logs from elsewhere' })
  await expect(dialog.getByText('No case yet.')).toBeVisible()
  await reachable(page, 'the import dialog')
  await page.getByTestId('import-files').setInputFiles(join(folder, 'night queue.csv'))
  await expect(dialog.getByText('Table', { exact: true })).toBeVisible()
  await dialog.getByLabel('Holds: Ref').selectOption('key')
  await dialog.getByLabel('Holds: Page').selectOption('account')
  await dialog.getByLabel('Holds: Words').selectOption('text')
  await dialog.getByLabel('Zone of times that bear none').fill('Europe/London')
  await expect(dialog.getByLabel('Name of the case')).toHaveValue('night queue')
  await reachable(page, 'a table with its columns')
  await dialog.getByRole('button', { name: 'Import', exact: true }).click()
  await expect(dialog.getByText('3 lines read: 2 new, 0 here already').first()).toBeVisible()
  await expect(dialog.getByText('1 line could not be read').first()).toBeVisible()
  await expect(dialog.getByText('It takes a new key for every try.').first()).toBeVisible()
  await expect(dialog.getByText('It gives up before Pozy can be done.').first()).toBeVisible()
  await reachable(page, 'an import that is in')
  await dialog.getByRole('button', { name: 'Show it' }).click()

  const banner = page.getByRole('region', { name: 'Case' })
  await expect(banner).toContainText('night queue')
  await expect(page.getByText('Listening', { exact: true })).toBeVisible()
  await page.keyboard.press('3')
  await expect(page.getByRole('row', { name: /Doors open at nine tonight/ }).first()).toBeVisible()
  await reachable(page, 'a case')
  await banner.getByRole('button', { name: 'Back to my log' }).click()
  await expect(banner).toBeHidden()
  await expect(page.getByRole('row', { name: /Doors open at nine tonight/ })).toHaveCount(0)

  await page.getByRole('button', { name: 'Import a log' }).click()
  await dialog.getByRole('button', { name: 'Delete night queue' }).click()
  await dialog.getByRole('button', { name: 'Delete the case' }).click()
  await expect(dialog.getByText('No case yet.')).toBeVisible()
})

test('log lines are dropped on the page and join the open log', async ({ screens }) => {
  const { page } = screens
  const line = {
    kind: 'arrival',
    at: '2026-04-07T10:00:00Z',
    answer: 204,
    body: { id: 'ev_theirs', event: 'post.published', timestamp: '2026-04-07T09:59:59Z', post: { id: 'po_1', content: 'Late buses', status: 'published' } },
  }
  const dropped = await page.evaluateHandle((text) => {
    const data = new DataTransfer()
    data.items.add(new File([text], 'theirs.jsonl'))
    return data
  }, `${JSON.stringify(line)}\n`)
  await page.dispatchEvent('body', 'drop', { dataTransfer: dropped })
  const dialog = page.getByRole('dialog', { name: 'Logs from elsewhere' })
  await expect(dialog.getByText('theirs.jsonl')).toBeVisible()
  await dialog.getByRole('radio', { name: /Into the open log/ }).check()
  await dialog.getByRole('button', { name: 'Import', exact: true }).click()
  await expect(dialog.getByText('1 line read: 1 new, 0 here already').first()).toBeVisible()
  await page.keyboard.press('Escape')
  await page.keyboard.press('2')
  await expect(page.getByRole('row', { name: /Late buses/ })).toBeVisible()
})
