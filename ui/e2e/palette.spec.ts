import { expect, published, reachable, test } from './program'

test('the command box finds what can be done, and goes to a message by its id, without a mouse', async ({ screens }) => {
  const { page } = screens
  await page.getByRole('button', { name: 'Look around without connecting' }).press('Enter')
  await screens.arrive(published('ev_41', 'Doors open at 9.'))
  await page.keyboard.press('3')
  await page.keyboard.press('Control+k')
  const field = page.getByRole('combobox', { name: 'Search, or do something' })
  await expect(field).toBeFocused()
  await reachable(page, 'command box')
  await page.keyboard.type('dark')
  await page.keyboard.press('Enter')
  await expect(page.locator('html[data-theme=dark]')).toBeAttached()

  await page.keyboard.press('Control+k')
  await page.keyboard.type('ev_41')
  await expect(page.getByRole('option', { name: /Message ev_41/ })).toBeVisible()
  await page.keyboard.press('Enter')
  const detail = page.getByRole('region', { name: 'Selected message' })
  await expect(detail.getByText('Doors open at 9.')).toBeVisible()

  await page.keyboard.press('Control+k')
  await expect(page.getByRole('group', { name: 'The selection' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
})

test('the box opens from the top bar, and gives the focus back', async ({ screens }) => {
  const { page } = screens
  await page.getByRole('button', { name: 'Look around without connecting' }).click()
  const entry = page.getByRole('button', { name: 'Search text, ids, links' })
  await entry.press('Enter')
  await expect(page.getByRole('combobox')).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(entry).toBeFocused()
})

test('every key in the list of keys stands with what it does', async ({ screens }) => {
  const { page } = screens
  await page.getByRole('button', { name: 'Look around without connecting' }).press('Enter')
  await page.keyboard.press('?')
  const keys = page.getByRole('dialog', { name: 'Keys' })
  await expect(keys.getByText('Ctrl K', { exact: true })).toBeVisible()
  await expect(keys.getByText('Alt ← →', { exact: true })).toBeVisible()
  await reachable(page, 'keys')
})
