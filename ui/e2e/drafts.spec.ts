// A post that is being written outlives a reload, another screen and another post; it leaves with its sending.

import type { Locator, Page } from '@playwright/test'

import { expect, reachable } from './program'
import { test } from './travel'

const form = (page: Page): Locator => page.getByRole('form', { name: 'New post' })

/** Everything that stands in the form. */
const stands = (page: Page): Promise<unknown> =>
  form(page).evaluate((at) => [...at.querySelectorAll<HTMLInputElement>('input, textarea, select')].map((field) => (field.type === 'checkbox' ? field.checked : field.value)))

test('what stands in Compose outlives a reload, another screen and another post, and leaves once it is sent', async ({ travel }) => {
  const { page, sandbox } = travel
  await travel.send('Box office closes at six')
  await page.getByRole('button', { name: 'Compose' }).click()
  await page.getByLabel('Words').fill('The rope ferry rests on Mondays')
  await form(page).getByRole('checkbox').first().check()
  await page.getByRole('radio', { name: 'Later' }).click()
  await page.getByLabel('Zone').selectOption('Europe/London')
  await page.getByLabel('Date').fill('2026-10-25')
  await page.getByLabel('Time', { exact: true }).fill('01:30')
  await page.getByLabel('Media').fill('https://pictures.example/ferry.png')
  await form(page).getByRole('group', { name: /comes twice/ }).getByRole('button').nth(1).click()
  await expect(form(page)).toContainText(/Planned for/)
  const written = await stands(page)

  await page.reload()
  await expect(form(page)).toContainText(/Planned for/)
  await expect.poll(() => stands(page)).toEqual(written)
  await reachable(page, 'a draft after a reload')

  await page.getByRole('link', { name: 'Events' }).click()
  await expect(page.getByRole('heading', { name: 'Events', exact: true })).toBeVisible()
  await page.getByRole('link', { name: 'Posts' }).click()
  await expect.poll(() => stands(page)).toEqual(written)

  await page.getByRole('row', { name: 'Box office closes at six' }).click()
  await expect(page.getByRole('region', { name: 'Selected post' })).toBeVisible()
  await page.getByRole('button', { name: 'Compose' }).click()
  await expect.poll(() => stands(page)).toEqual(written)
  expect(await page.evaluate(() => Object.keys(localStorage).filter((name) => name.includes('draft'))), 'no other page sees it').toEqual([])

  await form(page).getByRole('button', { name: 'Plan post' }).click()
  await expect(page.getByRole('row', { name: 'The rope ferry rests on Mondays' })).toContainText('Planned')
  await page.reload()
  await expect(page.getByRole('row', { name: 'The rope ferry rests on Mondays' })).toBeVisible()
  await expect(form(page)).toHaveCount(0)
  await page.getByRole('button', { name: 'Compose' }).click()
  await expect(page.getByLabel('Words')).toHaveValue('')
  await expect.poll(() => sandbox.posts()).toHaveLength(2)
})
