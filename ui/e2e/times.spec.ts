import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Page } from '@playwright/test'

import { expect, published, reachable, type Screens, test } from './program'

const MINUTE = 60_000
/** 2026-03-02 10:00 in Paris. */
const BEGUN = Date.UTC(2026, 2, 2, 9)

/** A log of messages that came a minute apart. */
async function withLog(serve: (files: readonly string[], use: (screens: Screens) => Promise<void>) => Promise<void>, count: number, use: (screens: Screens) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'reprise-times-'))
  const file = join(folder, 'log.jsonl')
  const lines = Array.from({ length: count }, (_, n) => {
    const at = new Date(BEGUN + n * MINUTE).toISOString()
    return JSON.stringify({ kind: 'arrival', at, took_ms: 30, answer: 204, signature: 'valid', headers: {}, body: published(`ev_${n}`, `Number ${n}.`, { timestamp: at }) })
  })
  writeFileSync(file, lines.join('\n'))
  try {
    await serve([file], use)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Goes to a time by the keyboard alone. */
async function goTo(page: Page, day: string, time: string): Promise<void> {
  await page.keyboard.press('g')
  const dialog = page.getByRole('dialog', { name: 'Go to a time' })
  await expect(dialog).toBeVisible()
  await dialog.getByRole('textbox', { name: 'Day' }).fill(day)
  await dialog.getByLabel('Time, such as 09:30').fill(time)
  await page.keyboard.press('Enter')
  await expect(dialog).toBeHidden()
}

const row = (page: Page, n: number) => page.getByRole('row', { name: new RegExp(`Number ${n}\\.`) })

test('the Events go to any time, stay there while messages come in, and go on to either side', async ({ serve }) => {
  test.setTimeout(180_000)
  await withLog(serve, 800, async (screens) => {
    const { page } = screens
    await page.getByRole('button', { name: 'Look around without connecting' }).click()
    await page.keyboard.press('2')
    await expect(row(page, 799)).toBeVisible()

    // 10:00 is the first message, so 14:10 is number 250.
    await page.keyboard.press('g')
    const dialog = page.getByRole('dialog', { name: 'Go to a time' })
    await dialog.getByLabel('Time, such as 09:30').fill('25:00')
    await expect(dialog.getByRole('status')).toHaveText('Give a day and a time.')
    await expect(dialog.getByRole('button', { name: 'Go there' })).toBeDisabled()
    await reachable(page, 'going to a time')
    await page.keyboard.press('Escape')
    await goTo(page, '2026-03-02', '14:10')
    const there = row(page, 250)
    await expect(there).toHaveAttribute('aria-selected', 'true')
    await expect(page.getByRole('treegrid')).toBeFocused()
    await expect(page.getByRole('button', { name: 'Back to the newest' })).toBeVisible()

    // What is newer is read above it, and it stays where it is, whatever comes in.
    await expect.poll(() => page.getByRole('treegrid').evaluate((box) => box.scrollTop)).toBeGreaterThan(500)
    const before = await there.boundingBox()
    for (let n = 0; n < 5; n += 1) await screens.arrive(published(`ev_new_${n}`, `Just now ${n}.`))
    await expect.poll(async () => (await screens.call('status', {})).receiver.last_arrival).not.toBeNull()
    expect(await there.boundingBox(), 'the row stands where it stood').toEqual(before)

    for (let n = 251; n < 270; n += 1) {
      await page.keyboard.press('ArrowUp')
      await expect(row(page, n), 'no row is left out').toHaveAttribute('aria-selected', 'true')
    }
    expect(await page.getByRole('treegrid').getByRole('row').count(), 'a screenful is drawn').toBeLessThan(80)
    await page.getByRole('button', { name: 'Back to the newest' }).click()
    await expect(page.getByRole('row', { name: /Just now 4\./ })).toBeVisible()
  })
})

test('the Timeline goes to any time', async ({ serve }) => {
  await withLog(serve, 300, async ({ page }) => {
    await page.getByRole('button', { name: 'Look around without connecting' }).click()
    await page.keyboard.press('1')
    await expect(page.locator('.lane').first()).toBeVisible()
    await goTo(page, '2026-03-02', '11:40')
    await expect(page.getByRole('switch', { name: 'Follow' })).not.toBeChecked()
    await expect(page.getByRole('slider', { name: /The whole log/ })).toHaveAttribute('aria-valuetext', /Mon 2 Mar/)
    await page.keyboard.press('l')
    await expect(page.getByRole('table').getByRole('row', { name: /Number 100\./ }).first()).toBeVisible()
  })
})

test('the Timeline tells of messages that happened then and came later, where it does not draw them all', async ({ serve }) => {
  const folder = mkdtempSync(join(tmpdir(), 'reprise-times-'))
  const file = join(folder, 'log.jsonl')
  const post = { id: 'po_many', content: 'Harvest supper', status: 'publishing' }
  const lines = Array.from({ length: 410 }, (_, n) => {
    const body = published(`ev_${n}`, 'Harvest supper', { post, timestamp: new Date(BEGUN + 40_000 + n * 100).toISOString() })
    return JSON.stringify({ kind: 'arrival', at: new Date(BEGUN + 86_400_000 + n * 400).toISOString(), answer: 204, signature: 'valid', headers: {}, body })
  })
  writeFileSync(file, lines.join('\n'))
  try {
    await serve([file], async ({ page }) => {
      await page.getByRole('button', { name: 'Look around without connecting' }).click()
      await page.keyboard.press('1')
      await goTo(page, '2026-03-02', '10:01')
      // Near enough that the day on which they came is not folded into the picture.
      await page.getByRole('application', { name: 'Timeline picture' }).focus()
      for (let n = 0; n < 4; n += 1) await page.keyboard.press('+')
      const note = page.locator('.lane.post').getByText('210 not drawn')
      await expect(note).toBeVisible()
      await expect(note).toHaveAttribute('title', /^210 messages of this lane happened in this time and arrived outside it/)
      await reachable(page, 'a lane with more than can be drawn')
      await page.keyboard.press('l')
      await expect(page.getByRole('caption')).toContainText('without 210 messages that happened in this time and arrived outside it')
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
