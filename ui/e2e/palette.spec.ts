import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

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
  await expect(detail.getByText('Doors open at 9.', { exact: true })).toBeVisible()

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

test('whoever goes on while the box closes stays where they went', async ({ screens }) => {
  const { page } = screens
  await page.getByRole('button', { name: 'Look around without connecting' }).click()
  await page.getByRole('button', { name: 'Search text, ids, links' }).press('Enter')
  await expect(page.getByRole('combobox')).toBeFocused()
  // The browser tells of the close after both steps.
  await page.evaluate(() => {
    document.querySelector('dialog')?.close()
    document.querySelector<HTMLElement>('[type=search]')?.focus()
  })
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(page.getByRole('searchbox', { name: 'Search these messages' })).toBeFocused()
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

test('what closing means and whether the desktop calls is kept in the log', async ({ screens }) => {
  const { page } = screens
  await page.getByRole('button', { name: 'Look around without connecting' }).click()
  await page.keyboard.press('Control+,')
  await expect(page.getByText('These hold for the Reprise window.', { exact: false })).toBeVisible()
  await page.getByRole('radiogroup', { name: 'Closing the window' }).getByText('Ends Reprise').click()
  await expect.poll(() => screens.call('habits', {})).toEqual({ keep_receiving: false, notices: true })
  await reachable(page, 'settings of the desktop')
})

test('a live post is opened outside by the address that Pozy told, and by no other', async ({ screens, sandbox, context }) => {
  const { page } = screens
  const social = createServer((_, answer) => answer.end('the live post')).listen(0, '127.0.0.1')
  await once(social, 'listening')
  const live = `http://127.0.0.1:${(social.address() as AddressInfo).port}/p/1`
  // Without a secret what arrives is unchecked, and counts.
  await screens.call('save_workspace', { name: 'Harbour Events', base_url: sandbox.pozy, provider: 'pozy', api_key: sandbox.apiKey })
  await page.getByRole('link', { name: 'Posts' }).waitFor()
  await page.keyboard.press('3')
  const row = await screens.call('submit', { content: 'Market day', media_urls: [], form: 'e2e', targets: [{ platform: 'linkedin', account: 'ac_li_04' }] })
  const post = { id: row.post, content: 'Market day', status: 'published' }
  // On an account that the sandbox tells nothing of.
  const platform = { name: 'facebook', status: 'published', publishedUrl: live }
  const account = { accountId: 'ac_fb_09', platform: 'facebook' }
  const told = published('ev_live', 'Market day', { post, platform, account })
  await screens.arrive(told)
  await screens.arrive({ ...told, id: 'ev_evil', account: { accountId: 'ac_x' }, platform: { ...platform, publishedUrl: 'javascript:alert(1)' } })
  await page.getByRole('row', { name: /Market day/ }).click()
  const open = page.getByRole('button', { name: 'Open on Facebook' })
  await expect(open, 'what is no address of the web is none').toHaveCount(1)
  const [outside] = await Promise.all([context.waitForEvent('page'), open.press('Enter')])
  await outside.waitForURL(live)
  expect(await outside.evaluate(() => window.opener === null), 'it cannot reach back').toBe(true)
  await expect(page).toHaveURL(/#\/posts(\?|$)/)
  social.close()
})
