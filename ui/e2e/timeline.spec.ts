import type { Page } from '@playwright/test'

import { expect, published, reachable, test } from './program'

const sentence = (page: Page) => page.getByTestId('mark-sentence')
const picture = (page: Page) => page.getByRole('application', { name: 'Timeline picture' })

/** The Timeline with nothing set up. */
async function look(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Look around without connecting' }).click()
  await page.keyboard.press('1')
  await expect(page.getByRole('heading', { name: 'Timeline' })).toBeVisible()
}

/** What the canvas shows, as one number: anything drawn anew changes it. */
const drawn = (page: Page) =>
  page.locator('.picture canvas').evaluate((canvas: HTMLCanvasElement) => {
    const pixels = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data ?? new Uint8ClampedArray()
    let sum = 0
    for (let n = 0; n < pixels.length; n += 4) sum = (sum * 31 + (pixels[n] ?? 0)) % 1_000_000_007
    return sum
  })

const at = (seconds: number): string => new Date(Date.now() - seconds * 1000).toISOString()
const post = { id: 'po_1', content: 'Open-air cinema', status: 'publishing' }
const instagram = { platform: { name: 'instagram', status: 'published' }, account: { accountId: 'ac_ig', platform: 'instagram' } }

test('the story of practice is drawn as it happens, and read without a mouse', async ({ practice: { page } }) => {
  test.setTimeout(90_000)
  await page.getByRole('link', { name: 'Timeline' }).click()
  await expect(page.locator('.lane.post', { hasText: 'The lantern walk starts at six.' })).toContainText('Live', { timeout: 20_000 })
  await expect(page.locator('.lane.target')).toContainText('LinkedIn')
  await reachable(page, 'timeline in practice')

  await picture(page).focus()
  await page.keyboard.press('ArrowLeft')
  await expect(sentence(page)).toHaveText(/^The lantern walk starts at six\.: Live, arrived \d\d:\d\d:\d\d CET\./)
  await page.keyboard.press('Alt+ArrowLeft')
  await expect(sentence(page)).toHaveText(/: Live, happened /)
  await page.keyboard.press('ArrowDown')
  await expect(sentence(page)).toHaveText(/^LinkedIn, The lantern walk/)
  await page.keyboard.press('ArrowDown')
  await expect(sentence(page)).toHaveText(/^Sent from here, .*try 1, answered/)
  await page.keyboard.press('Enter')
  const detail = page.getByRole('region', { name: 'Selected mark' })
  await expect(detail).toBeFocused()
  await expect(detail.getByText('Pozy made the post.')).toBeVisible()
  await reachable(page, 'timeline with a try chosen')

  // The second post's first answer is lost: no answer, then the first post came back, on one row.
  await expect(page.locator('.lane.job').filter({ hasText: '2 tries' })).toBeVisible({ timeout: 40_000 })
})

test('a newcomer comes from the story to a late message and to why there are two posts', async ({ practice: { page } }) => {
  test.setTimeout(180_000)
  await page.keyboard.press('1')
  const story = page.getByRole('region', { name: 'The story so far' })
  await expect(story.getByRole('status')).toContainText('held up and comes after a later one', { timeout: 90_000 })
  await story.getByRole('button', { name: /^Story 4 of 8/ }).click()
  await story.getByRole('link', { name: /^Show it on the Timeline: One message is held up/ }).click()
  await expect(story.getByRole('list')).toBeHidden()
  await expect(page.getByRole('switch', { name: 'Follow' })).not.toBeChecked()
  await page.getByRole('button', { name: /^Late: 1/ }).click({ timeout: 30_000 })
  const detail = page.getByRole('region', { name: 'Selected mark' })
  await expect(detail.getByRole('heading', { name: 'Came late, harmless' })).toBeVisible()
  await expect(detail.getByRole('heading', { name: 'Why it came late' })).toBeVisible()
  await expect(detail.getByRole('link', { name: /^Live, \d\d:\d\d:\d\d CET$/ }), 'what overtook it, in words').toBeVisible()
  await reachable(page, 'a late message of the story')

  await expect(story.getByRole('status')).toContainText('Now two are live. Ask why.', { timeout: 90_000 })
  await page.keyboard.press('3')
  await page.getByRole('row', { name: /Doors open at nine on Sunday!/ }).click({ timeout: 20_000 })
  await page.keyboard.press('w')
  const verdict = page.getByRole('region', { name: 'The verdict' })
  await expect(verdict.getByRole('heading', { name: 'Refused, then edited and sent again' })).toBeVisible({ timeout: 30_000 })

  await story.getByRole('button', { name: /^Story/ }).click()
  await expect(story.getByRole('list')).toBeVisible()
  await reachable(page, 'the story')
  await page.keyboard.press('Escape')
  await expect(story.getByRole('list')).toBeHidden()
  await expect(story.getByRole('button', { name: /^Story|^The story is told/ })).toBeFocused()
})

test('a mark is drawn by itself for each message that comes', async ({ screens }) => {
  const { page } = screens
  await look(page)
  for (let n = 0; n <= 8; n++) {
    await screens.arrive(published(`ev_${n}`, `Number ${n}`))
    await expect(page.locator('.lane.post')).toHaveCount(n + 1)
  }
})

test('late, tied, repeated, test and set-aside messages are in the picture and in the list', async ({ screens }) => {
  const { page } = screens
  await look(page)
  const body = published('ev_new', 'Open-air cinema', { post, timestamp: at(30) })
  await screens.arrive(body)
  await screens.arrive(body)
  await screens.arrive(published('ev_old', 'Open-air cinema', { post, timestamp: at(50), ...instagram }))
  const instant = at(20)
  for (const [id, name] of [['ev_c', 'account.connected'], ['ev_d', 'account.disconnected']]) {
    await screens.arrive({ id, event: name, timestamp: instant, account: { accountId: 'ac_li_04', platform: 'linkedin' } })
  }
  await screens.arrive({ id: 'ev_t', event: 'webhook.test', test: true, timestamp: at(0) })
  await screens.arrive(['no event'] as never)
  await expect(page.getByRole('button', { name: 'Late: 1 in sight, go to the next' })).toBeVisible()
  await expect(page.locator('.lane.account')).toContainText('Unclear')
  await expect(page.locator('.lane.tests')).toBeVisible()

  await page.getByRole('button', { name: /^Late: 1/ }).click()
  await expect(sentence(page)).toHaveText(/^Instagram, Open-air cinema: Live, arrived .*Late by 5\d s/)
  await expect(page.getByRole('region', { name: 'Selected mark' })).toContainText('reached us first')
  await page.getByRole('button', { name: /^Came again: 1/ }).click()
  await expect(page.getByRole('region', { name: 'Selected mark' })).toContainText('arrival 2 of 2')
  await expect(sentence(page)).toHaveText(/^LinkedIn, Open-air cinema: Live, came again/)
  await reachable(page, 'timeline with a late message')

  await page.keyboard.press('l')
  const table = page.getByRole('table')
  await expect(table.getByRole('row', { name: /Instagram, Open-air cinema Live .*late by 5\d s/ })).toBeVisible()
  await expect(table.getByRole('row', { name: /came again \(×2\)/ })).toBeVisible()
  await expect(table.getByRole('row', { name: /same instant/ })).toHaveCount(2)
  await expect(table.getByRole('row', { name: /Tests Test/ })).toBeVisible()
  await expect(table.getByRole('row', { name: /Set aside Unreadable/ })).toBeVisible()
  // Five messages, one that came again, one set aside, one older for the post as a whole, and the head.
  const answer = await screens.call('timeline', { from_ms: Date.now() - 600_000, to_ms: Date.now(), resolution_ms: 256 })
  const marks = answer.lanes.flatMap((lane) => lane.marks).reduce((n, mark) => n + (mark.kind === 'event' ? mark.arrivals : 1), 0)
  await expect(table.getByRole('row')).toHaveCount(marks + 1)
  await reachable(page, 'list twin')
})

test('looking back pauses, what comes meanwhile is counted, and following goes on', async ({ screens }) => {
  const { page } = screens
  await look(page)
  await screens.arrive(published('ev_1', 'Doors open at 9.', { timestamp: at(1) }))
  await expect(page.locator('.lane.post')).toBeVisible()
  const follow = page.getByRole('switch', { name: 'Follow' })
  await expect(follow).toBeChecked()
  const canvas = page.locator('.picture canvas')
  const box = await canvas.boundingBox()
  if (!box) throw new Error('the picture has no size')
  await page.mouse.move(box.x + 200, box.y + 300)
  await page.mouse.down()
  await page.mouse.move(box.x + 260, box.y + 300, { steps: 4 })
  await page.mouse.up()
  await expect(follow).not.toBeChecked()
  await screens.arrive(published('ev_2', 'Tickets are live.'))
  await expect(page.getByRole('button', { name: /^\d new$/ })).toBeVisible()
  await page.keyboard.press('f')
  await expect(follow).toBeChecked()
  await expect(page.getByRole('button', { name: /^\d new$/ })).toHaveCount(0)
})

test('the pointer chooses a mark, keys zoom and fit, and the theme is drawn anew', async ({ screens }) => {
  const { page } = screens
  await page.emulateMedia({ colorScheme: 'light' })
  await look(page)
  await screens.arrive(published('ev_1', 'Doors open at 9.', { timestamp: at(1) }))
  await expect(page.locator('.lane.post')).toBeVisible()
  await picture(page).focus()
  await page.keyboard.press('ArrowLeft')
  await expect(sentence(page)).toHaveText(/LinkedIn, Doors open at 9\.: Live/)
  await page.keyboard.press('Escape')
  await expect(sentence(page)).toHaveText('')
  const before = await drawn(page)
  await page.keyboard.press('+')
  await expect.poll(() => drawn(page)).not.toBe(before)
  await page.keyboard.press('0')
  const light = await drawn(page)
  await page.emulateMedia({ colorScheme: 'dark' })
  await expect.poll(() => drawn(page)).not.toBe(light)

  // Whatever the zoom, a click on the track of the target finds its mark somewhere along it.
  const row = await page.locator('.lane.target').boundingBox()
  const canvas = await page.locator('.picture canvas').boundingBox()
  if (!row || !canvas) throw new Error('nothing is drawn')
  const found = async (): Promise<boolean> => {
    for (let x = canvas.width - 40; x > 4; x -= 16) {
      await page.mouse.click(canvas.x + x, row.y + row.height / 2 + 9)
      if ((await sentence(page).textContent()) !== '') return true
    }
    return false
  }
  expect(await found()).toBe(true)
  await expect(sentence(page)).toHaveText(/LinkedIn, Doors open at 9\.: Live, arrived/)
})
