import { createHmac } from 'node:crypto'

import { connect, expect, published, reachable, type Screens, test } from './program'

/** Has a signed message arrive; gives what it was answered with. */
async function signed({ call }: Screens, secret: string, body: Record<string, unknown>): Promise<number> {
  const { receiver } = await call('status', {})
  const text = JSON.stringify(body)
  const signature = createHmac('sha256', secret).update(text).digest('hex')
  const headers = { 'Content-Type': 'application/json', 'X-Pozy-Signature': signature }
  const answer = await fetch(receiver.url ?? '', { method: 'POST', headers, body: text })
  return answer.status
}

test('messages set aside under a wrong secret count from when they came once the secret is mended', async ({ screens, sandbox }) => {
  const { page } = screens
  await connect(screens, { ...sandbox, secret: 'the one of last year' })
  const older = new Date(Date.now() - 60_000).toISOString()
  const ferry = { id: 'po_ferry', content: 'The ferry runs late', status: 'publishing' }
  expect(await signed(screens, 'the right one', published('ev_newer', 'The ferry runs late', { post: ferry }))).toBe(401)
  expect(await signed(screens, 'the right one', published('ev_older', 'The ferry runs late', { post: ferry, timestamp: older }))).toBe(401)
  expect(await signed(screens, 'a guess', published('ev_forged', 'Free tickets'))).toBe(401)

  await page.keyboard.press('2')
  const aside = page.getByRole('row', { name: /Signature wrong/ })
  await expect(aside).toHaveCount(3)
  await page.getByRole('row', { name: /Signature wrong.*claims The ferry runs late/ }).first().click()
  await expect(page.getByRole('region', { name: 'Selected message' })).toContainText('Kept aside, changed nothing.')
  const kept = page.url()
  expect(kept).toMatch(/seq=\d+$/)
  await page.keyboard.press('Control+,')
  const check = page.getByRole('button', { name: 'Check the 3 set-aside messages again' })
  await check.click()
  await expect(page.getByText('All 3 signatures are still wrong.')).toBeVisible()

  const { workspaces } = await screens.call('workspaces', {})
  await screens.call('save_workspace', {
    ...(workspaces[0] ? { id: workspaces[0].id } : {}),
    name: 'Harbour Events',
    base_url: sandbox.pozy,
    provider: 'pozy',
    webhook_secret: 'the right one',
  })
  await page.keyboard.press('2')
  await expect(aside).toHaveCount(3)
  await page.keyboard.press('Control+,')
  await check.click()
  await expect(page.getByText('2 of 3 check out now and took their places.')).toBeVisible()
  await reachable(page, 'settings with messages that are set aside')
  await page.keyboard.press('2')
  await expect(aside).toHaveCount(1)
  const late = page.getByRole('row', { name: /late 1 min/ })
  await expect(late).toHaveCount(1)
  await late.click()
  await expect(page.getByRole('region', { name: 'Selected message' }).getByText('It was set aside at first.', { exact: false })).toBeVisible()
  await page.keyboard.press('Control+,')
  await expect(page.getByRole('button', { name: 'Check the set-aside message again' })).toBeVisible()

  // Whoever kept the address of one that was set aside comes to the message that it is now.
  await page.goto(kept)
  const detail = page.getByRole('region', { name: 'Selected message' })
  await expect(detail.getByRole('heading', { name: /LinkedIn: live|Came late/ })).toBeVisible()
  await expect(detail).toContainText('It was set aside at first.')
  await expect(page.getByText('is not in this log')).toHaveCount(0)
})
