import { expect, published, reachable, test } from './program'

test.beforeEach(async ({ screens: { page } }) => {
  await page.getByRole('button', { name: 'Look around without connecting' }).click()
  await expect(page.getByText('No messages yet.')).toBeVisible()
})

test('a message is on the screen by itself', async ({ screens }) => {
  const { page } = screens
  for (let n = 0; n <= 10; n++) {
    await screens.arrive(published(`ev_${n}`, `Number ${n} of ten`))
    await expect(page.getByRole('row', { name: new RegExp(`Number ${n} of ten`) })).toBeVisible()
  }
})

test('what came again opens to its arrivals with cause and confidence', async ({ screens }) => {
  const { page } = screens
  const body = published('ev_7b02', 'Doors open at 9.')
  for (let n = 0; n < 3; n++) await screens.arrive(body)
  const row = page.getByRole('row', { name: /Doors open at 9\. .*came 3 times/ })
  await row.click()
  await page.keyboard.press('ArrowRight')
  await expect(page.getByRole('row', { name: /^2 .*(High|Medium|Low)$/ })).toBeVisible()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  const detail = page.getByRole('region', { name: 'Selected message' })
  await expect(detail.getByText('Why it came again')).toBeVisible()
  await expect(detail.getByText('LinkedIn: live, arrival 2 of 3')).toBeVisible()
  await expect(detail.getByText('"id": "ev_7b02"')).toBeVisible()
  await reachable(page, 'events with a message open')
  await page.getByRole('button', { name: 'Came again' }).click()
  await expect(page.getByRole('treegrid').getByRole('row', { name: /post\.platform\.published/ })).toHaveCount(1)
})

test('neither scroll nor choice is lost while messages come in', async ({ screens }) => {
  const { page } = screens
  for (let n = 0; n < 130; n++) await screens.arrive(published(`ev_${n}`, `Message ${n}`))
  const list = page.getByRole('treegrid')
  await expect(page.getByRole('row', { name: /Message 129/ })).toBeVisible()
  await list.evaluate((box) => (box.scrollTop = 1600))
  const chosen = page.getByRole('row', { name: /Message 75\b/ })
  await chosen.click()
  const before = await chosen.boundingBox()
  for (let n = 200; n < 215; n++) await screens.arrive(published(`ev_${n}`, `Message ${n}`))
  await expect(page.getByRole('button', { name: '15 new, show' })).toBeVisible()
  expect(await chosen.boundingBox(), 'the row stands where it stood').toEqual(before)
  await expect(chosen).toHaveAttribute('aria-selected', 'true')

  await page.getByRole('button', { name: '15 new, show' }).click()
  await expect(page.getByRole('row', { name: /Message 214/ })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Selected message' }).getByText('Message 75').first()).toBeVisible()
})

test('the list goes to the oldest message and back, and draws a screenful', async ({ screens }) => {
  test.setTimeout(120_000)
  const { page } = screens
  for (let n = 0; n < 700; n++) await screens.arrive(published(`ev_${n}`, `Message ${n}`))
  await expect(page.getByRole('row', { name: /Message 699/ })).toBeVisible()
  const list = page.getByRole('treegrid')
  await list.focus()
  await expect(async () => {
    await page.keyboard.press('End')
    await expect(page.getByRole('row', { name: /Message 0$|Message 0 / })).toBeVisible({ timeout: 300 })
  }).toPass()
  expect(await list.getByRole('row').count()).toBeLessThan(80)
  await page.getByRole('button', { name: 'Back to the newest' }).click()
  await expect(page.getByRole('row', { name: /Message 699/ })).toBeVisible()
})

test('late, tied, test and unreadable messages are said in words', async ({ screens }) => {
  const { page } = screens
  const at = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString()
  const post = { id: 'po_1', content: 'Open-air cinema', status: 'publishing' }
  await screens.arrive(published('ev_new', 'Open-air cinema', { post, timestamp: at(5) }))
  await screens.arrive(published('ev_old', 'Open-air cinema', { post, timestamp: at(400), platform: { name: 'instagram', status: 'published' }, account: { accountId: 'ac_ig', platform: 'instagram' } }))
  await expect(page.getByRole('row', { name: /Instagram: live.*late 6 min 40 s/ })).toBeVisible()
  await screens.arrive({ id: 'ev_t', event: 'webhook.test', test: true, timestamp: at(0) })
  await expect(page.getByRole('row', { name: /Test.*never counts/ })).toBeVisible()
  await screens.arrive(['no event'] as never)
  await expect(page.getByRole('row', { name: /Unreadable.*kept aside/ })).toBeVisible()
  await page.getByRole('button', { name: 'Set aside' }).click()
  await expect(page.getByRole('row', { name: /Test.*never counts/ })).toHaveCount(0)
})
