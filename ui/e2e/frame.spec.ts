import { connect, expect, published, reachable, test } from './program'

test('the first opening plays the story in the sandbox, and its messages come in', async ({ practice: { page } }) => {
  await expect(page.getByText('Sandbox.', { exact: true })).toBeVisible()
  await expect(page.getByRole('status').filter({ hasText: 'A first post goes out' })).toBeVisible()
  await page.getByRole('button', { name: /Story 1 of/ }).click()
  await expect(page.getByRole('listitem').filter({ hasText: 'A first post goes out' })).toBeVisible()
  await expect(page.getByRole('row', { name: /LinkedIn: live.*The lantern walk/ })).toBeVisible()
  await reachable(page, 'practice')
})

test('leaving the sandbox leads to the first run, and connecting takes a key and a click', async ({ practice: { page }, sandbox }) => {
  await page.getByRole('button', { name: 'Connect Pozy' }).click()
  await expect(page.getByRole('heading', { name: /See what was sent/ })).toBeVisible()
  await reachable(page, 'first run')
  await page.getByLabel('API key').fill(sandbox.apiKey)
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Events' })).toBeVisible()
  expect(await page.content()).not.toContain(sandbox.apiKey)
})

test('a test webhook is fired and its round trip shown', async ({ screens, sandbox }) => {
  const { page } = screens
  await connect(screens, sandbox)
  await page.keyboard.press('5')
  await reachable(page, 'test')
  await page.keyboard.press('Control+Enter')
  await expect(page.getByRole('heading', { name: /Round trip in/ })).toBeVisible()
  await expect(page.getByText(/its signature is valid/)).toBeVisible()
  await expect(page.getByRole('region', { name: 'What arrived' })).toContainText('webhook.test')
  await reachable(page, 'a fired test')
})

test('a workspace is added, changed and forgotten; its secrets only go in', async ({ screens, sandbox }) => {
  const { page } = screens
  await connect(screens, sandbox)
  await page.keyboard.press('Control+,')
  await expect(page.getByText('API key kept, webhook secret kept')).toBeVisible()
  await page.getByRole('button', { name: 'Add a workspace' }).click()
  await page.getByLabel('Name').fill('Harbour Shop')
  await page.getByRole('textbox', { name: 'Address' }).fill(sandbox.pozy)
  await page.getByLabel('API key').fill('pk_of_the_shop')
  await reachable(page, 'settings with a form')
  await page.getByRole('button', { name: 'Save' }).click()
  const shop = page.getByRole('listitem').filter({ hasText: 'Harbour Shop' })
  await expect(shop).toContainText('API key kept, no webhook secret')
  await expect(page.getByRole('banner')).toContainText('Harbour Shop')
  expect(await page.content()).not.toContain('pk_of_the_shop')
  await shop.getByRole('button', { name: 'Forget' }).click()
  await shop.getByRole('button', { name: 'Forget it for good' }).click()
  await expect(shop).toHaveCount(0)
  await reachable(page, 'settings')
})

test('theme and zone are kept over a reload', async ({ screens }) => {
  const { page } = screens
  await page.getByRole('button', { name: 'Look around without connecting' }).click()
  await page.keyboard.press('Control+,')
  await page.getByRole('radio', { name: 'Dark' }).click()
  await page.keyboard.press('z')
  await page.reload()
  await expect(page.locator('html[data-theme=dark]')).toBeAttached()
  await page.getByRole('button', { name: 'Look around without connecting' }).click()
  await expect(page.getByRole('banner').getByRole('radio', { name: 'UTC' })).toBeChecked()
})

test('from the list to an understood cause without a mouse', async ({ screens }) => {
  const { page } = screens
  await page.getByRole('button', { name: 'Look around without connecting' }).press('Enter')
  const body = published('ev_1', 'Doors open at 9.')
  await screens.arrive(body)
  await screens.arrive(body)
  await page.keyboard.press('3')
  await page.keyboard.press('2')
  await expect(page.getByRole('row', { name: /came 2 times/ })).toBeVisible()
  await expect(page.getByRole('treegrid')).toBeFocused()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowRight')
  await expect(page.getByRole('row', { name: /^2 / })).toBeVisible()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  const detail = page.getByRole('region', { name: 'Selected message' })
  await expect(detail).toBeFocused()
  await expect(detail.getByText('Why it came again')).toBeVisible()
  // The regions in turn: from the detail round to the rail, the top bar and the list.
  await page.keyboard.press('F6')
  await expect(page.getByRole('link', { name: 'Events' })).toBeFocused()
  await page.keyboard.press('F6')
  await page.keyboard.press('F6')
  await expect(page.getByRole('treegrid')).toBeFocused()
  await page.keyboard.press('?')
  await expect(page.getByRole('dialog', { name: 'Keys' })).toBeVisible()
  await reachable(page, 'keys')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
})

test('the keyboard is given to the list of a screen also if it comes later, unless the person went on', async ({ screens }) => {
  const { page } = screens
  await page.getByRole('button', { name: 'Look around without connecting' }).press('Enter')
  const list = page.getByRole('treegrid', { name: 'Events' })
  const empty = page.getByText('No messages yet.')
  await expect(empty).toBeVisible()
  await page.keyboard.press('3')
  await expect(empty).toHaveCount(0)
  await page.keyboard.press('2')
  await expect(empty).toBeVisible()
  await screens.arrive(published('ev_1', 'Doors open at 9.'))
  await expect(list).toBeFocused()

  await page.keyboard.press('3')
  await expect(list).toHaveCount(0)
  await page.keyboard.press('2')
  const search = page.getByRole('searchbox', { name: 'Search these messages' })
  await search.focus()
  await screens.arrive(published('ev_2', 'Doors open at 10.'))
  await expect(page.getByRole('row', { name: /Doors open at 10/ })).toBeVisible()
  await expect(search).toBeFocused()
})

test('at twice the size nothing leaves the screen sideways', async ({ screens }) => {
  const { page } = screens
  await screens.arrive(published('ev_1', 'Doors open at 9.'))
  // A window of 1440 x 900 at a zoom of 200 % has this many CSS pixels.
  await page.setViewportSize({ width: 720, height: 450 })
  const wide = () =>
    page.evaluate(() =>
      [document.documentElement, ...document.querySelectorAll('main, header, nav')].filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => e.outerHTML.slice(0, 80)),
    )
  expect(await wide(), 'first run').toEqual([])
  await page.getByRole('button', { name: 'Look around without connecting' }).click()
  await page.getByRole('row', { name: /Doors open at 9/ }).click()
  await expect(page.getByRole('region', { name: 'Selected message' }).getByText('Arrived')).toBeVisible()
  for (const key of ['1', '2', '3', '4', '5', 'Control+,']) {
    await page.keyboard.press(key)
    expect(await wide(), key).toEqual([])
  }
})
