import { writeFileSync } from 'node:fs'

import { connect, expect, published, reachable, type Screens, test } from './program'

const about = (page: Screens['page']) => page.getByRole('region', { name: 'Selected message' })

async function lookAround({ page }: Screens): Promise<void> {
  await page.getByRole('button', { name: 'Look around without connecting' }).click()
  await expect(page.getByRole('heading', { name: 'Events' })).toBeVisible()
}

const on = (platform: string, account: string): Record<string, unknown> => ({
  platform: { name: platform, status: 'published' },
  account: { accountId: account, platform },
})

test('messages are filtered by what they say, the filter stands in the address and is cleared at once', async ({ screens }) => {
  const { page } = screens
  await lookAround(screens)
  for (let n = 0; n < 6; n++) await screens.arrive(published(`ev_l${n}`, `Lantern walk ${n}`))
  await screens.arrive(published('ev_f', 'Open-air cinema', { ...on('facebook', 'ac_fb_1'), post: { id: 'po_f', content: 'Open-air cinema', hidden: 'quince' } }))
  const rows = page.getByRole('treegrid').getByRole('row', { name: /post\.platform\.published/ })
  await expect(rows).toHaveCount(7)

  await page.getByRole('button', { name: 'Filter' }).click()
  await page.getByRole('combobox', { name: 'Platform' }).selectOption('facebook')
  await expect(rows).toHaveCount(1)
  await expect(page.getByText('1 found, looked through all of it').first()).toBeVisible()
  expect(page.url()).toContain('platform=facebook')
  await reachable(page, 'events with a filter')

  // What is new and fits comes in, what does not fit stays out.
  await screens.arrive(published('ev_x', 'Another walk'))
  await screens.arrive(published('ev_f2', 'Second cinema', on('facebook', 'ac_fb_2')))
  await expect(rows).toHaveCount(2)
  await page.getByRole('combobox', { name: 'Account' }).selectOption('ac_fb_1')
  await expect(rows).toHaveCount(1)

  await page.reload()
  await page.getByRole('button', { name: 'Look around without connecting' }).click()
  await expect(page.getByRole('button', { name: 'Remove Platform: Facebook' })).toBeVisible()
  await expect(rows).toHaveCount(1)
  await page.getByRole('button', { name: 'Clear all' }).click()
  await expect(rows).toHaveCount(9)

  await page.getByRole('searchbox', { name: 'Search these messages' }).fill('QUINCE')
  await expect(rows).toHaveCount(1)
  await expect(page.getByRole('row', { name: /Open-air cinema/ })).toBeVisible()
  await page.getByRole('searchbox', { name: 'Search these messages' }).fill('no such words')
  await expect(page.getByText('Nothing in the log fits.')).toBeVisible()
})

test('a look through the log says how far it is, stops when it is told to, and goes on from there', async ({ serve }, info) => {
  const log = info.outputPath('long.jsonl')
  const lines = Array.from({ length: 4000 }, (_, n) => {
    const at = new Date(Date.UTC(2026, 2, 2) + n * 60_000).toISOString()
    return { kind: 'arrival', at, answer: 204, headers: {}, body: published(`ev_${n}`, `Message ${n}`, { timestamp: at }) }
  })
  writeFileSync(log, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  await serve([log], async (screens) => {
    const { page } = screens
    await lookAround(screens)
    // Each part of the look waits for the test, so that it can be met on its way.
    const parts: (() => void)[] = []
    let asked = 0
    await page.route('**/call/events', async (route) => {
      const args = route.request().postDataJSON() as { filter?: { text?: string }; indexed?: boolean; since?: string }
      if (args.filter?.text !== undefined && args.indexed === undefined && args.since === undefined) {
        asked += 1
        await new Promise<void>((go) => parts.push(go))
      }
      await route.continue()
    })
    const next = async (n: number): Promise<void> => {
      await expect.poll(() => asked).toBe(n)
      parts.shift()?.()
    }
    await page.getByRole('searchbox', { name: 'Search these messages' }).fill('quince')
    await next(1)
    await expect(page.getByText(/^0 found, looked back to .* CET, 2\d %$/)).toBeVisible()
    await expect(page.getByRole('progressbar', { name: 'Looking through the log' })).toBeVisible()
    await page.getByRole('button', { name: 'Stop looking' }).click()
    await next(2)
    await expect(page.getByText('Nothing fits so far.')).toBeVisible()
    await expect(page.getByRole('progressbar')).toHaveCount(0)
    // Stopped is stopped, whatever comes in.
    await screens.arrive(published('ev_new', 'Something else'))
    await expect.poll(async () => (await screens.call('status', {})).receiver.last_arrival).not.toBeNull()
    expect(asked).toBe(2)
    await page.getByRole('button', { name: 'Look further back' }).click()
    await next(3)
    await next(4)
    while (!(await page.getByText('Nothing in the log fits.').isVisible())) parts.shift()?.()
    await expect(page.getByText('0 found, looked through all of it').first()).toBeVisible()
  })
})

test('two arrivals are compared without regard to the order of fields', async ({ screens }) => {
  const { page } = screens
  await lookAround(screens)
  const body = published('ev_1', 'Doors open at 9.')
  const turned = Object.fromEntries(Object.entries(body).reverse())
  await screens.arrive(body)
  await screens.arrive(turned)
  await screens.arrive({ ...turned, platform: { status: 'published', url: 'https://social.example/88', name: 'linkedin' } })
  await screens.arrive(published('ev_2', 'Doors open at 10.'))
  const first = page.getByRole('row', { name: /came 3 times/ })
  await first.click()
  await page.keyboard.press('ArrowRight')
  await expect(page.getByRole('row', { name: /^3 / })).toBeVisible()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('d')
  const detail = about(page)
  await expect(detail.getByText('No field differs.')).toBeVisible()
  await page.getByRole('treegrid').focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('d')
  await expect(detail.getByText('1 field differs.')).toBeVisible()
  await expect(detail.getByRole('region', { name: 'Compared payload' }).getByText('only in the second:')).toBeAttached()
  await expect(detail.getByText('"url": "https://social.example/88"', { exact: false })).toBeVisible()
  await reachable(page, 'a comparison')
  await detail.getByRole('combobox', { name: 'Compare with' }).selectOption('Arrival 2')
  await expect(detail.getByText('1 field differs.')).toBeVisible()

  // Two messages, chosen with Shift.
  await page.getByRole('row', { name: /Doors open at 10/ }).click()
  await page.getByRole('treegrid').focus()
  await page.keyboard.press('Shift+ArrowDown')
  await expect(page.getByText('2 chosen, D compares them')).toBeVisible()
  await expect(page.getByRole('row', { selected: true })).toHaveCount(2)
  await page.keyboard.press('d')
  await expect(detail.getByText(/fields differ\./)).toBeVisible()
  await expect(detail.getByText('"content": "Doors open at 10."', { exact: false })).toBeVisible()
})

test('from a post one comes to its tries, its messages, their arrivals and the Timeline, and back', async ({ screens, sandbox }) => {
  const { page } = screens
  await connect(screens, sandbox)
  const job = await screens.call('submit', { content: 'The lantern walk', targets: [{ platform: 'linkedin', account: 'ac_li' }], media_urls: [], form: 'one form' })
  const post = job.post ?? ''
  await page.goto(`${page.url().split('#')[0]}#/posts?job=${job.job}`)
  const detail = page.getByRole('region', { name: 'Selected post' })
  await expect(detail.getByRole('heading', { name: 'The lantern walk' })).toBeVisible()
  await expect(detail.getByRole('heading', { name: 'Belongs to' })).toBeVisible()
  await detail.getByRole('link', { name: 'Try 1', exact: true }).click()
  await expect(detail.getByText(`POST /v1/posts`)).toBeVisible()
  await expect(detail.getByText(job.key ?? '', { exact: true }).first()).toBeVisible()
  await reachable(page, 'a try in full')

  await detail.getByRole('link', { name: post, exact: true }).last().click()
  const overview = about(page)
  await expect(overview.getByText('Post at Pozy')).toBeVisible()
  await expect(overview.getByRole('heading', { name: 'The lantern walk' })).toBeVisible()
  await expect(overview.getByText('LinkedIn', { exact: true })).toBeVisible()
  await reachable(page, 'a post')
  await overview.getByRole('link', { name: 'LinkedIn: live', exact: true }).click()
  await expect(overview.getByRole('heading', { name: 'LinkedIn: live' })).toBeVisible()
  await overview.getByRole('link', { name: 'Arrival 1', exact: true }).click()
  await expect(overview.getByText('arrival 1 of 1')).toBeVisible()
  await overview.getByRole('link', { name: 'Arrival Arrival 1 on the Timeline' }).click()
  await expect(page.getByRole('heading', { name: 'Timeline' })).toBeVisible()
  const mark = page.getByRole('region', { name: 'Detail' }).or(page.locator('.timeline .detail'))
  await expect(mark.getByText('LinkedIn: live').first()).toBeVisible()
  await mark.getByRole('link', { name: job.job, exact: true }).first().click()
  await expect(detail.getByRole('heading', { name: 'The lantern walk' })).toBeVisible()
  await page.goBack()
  await expect(page.getByRole('heading', { name: 'Timeline' })).toBeVisible()
})

test('from the list to an understood cause to a copied command without a mouse', async ({ screens }) => {
  const { page } = screens
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByRole('button', { name: 'Look around without connecting' }).press('Enter')
  const body = published('ev_1', 'It’s "noon" at 9 $HOME')
  await screens.arrive(body)
  await screens.arrive(body)
  await page.keyboard.press('2')
  await expect(page.getByRole('row', { name: /came 2 times/ })).toBeVisible()
  await page.getByRole('treegrid').focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowRight')
  await expect(page.getByRole('row', { name: /^2 / })).toBeVisible()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  const detail = about(page)
  await expect(detail).toBeFocused()
  await expect(detail.getByText('Why it came again')).toBeVisible()
  const copy = detail.getByRole('button', { name: 'Copy as curl' })
  for (let n = 0; n < 12 && !(await copy.evaluate((button) => button === document.activeElement)); n++) await page.keyboard.press('Tab')
  await expect(copy).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(detail.getByRole('button', { name: 'Copied' })).toBeVisible()
  const command = await page.evaluate(() => navigator.clipboard.readText())
  const { receiver } = await screens.call('status', {})
  expect(command).toContain(`'${receiver.url}'`)
  expect(command.split('--data-raw ')[1]).toBe(`'${JSON.stringify(body)}'`)
  await expect(detail.getByText(/count as one more arrival/)).toBeVisible()
  await reachable(page, 'a copied command')
})

test('the command of a post and of a try leaves secrets out and stays in sight while the post changes', async ({ screens, sandbox }) => {
  const { page } = screens
  await connect(screens, sandbox)
  const job = await screens.call('submit', { content: 'The lantern walk', targets: [{ platform: 'linkedin', account: 'ac_li' }], media_urls: [], form: 'one form' })
  await page.keyboard.press('3')
  await page.getByRole('row', { name: /The lantern walk/ }).click()
  const detail = page.getByRole('region', { name: 'Selected post' })
  await detail.getByText('What we send', { exact: true }).click()
  await detail.getByRole('button', { name: 'Copy as curl' }).click()
  const command = detail.getByRole('region', { name: 'Command' })
  await expect(command).toContainText('Idempotency-Key')
  await expect(command).toContainText('The lantern walk')
  await expect(detail).not.toContainText(sandbox.apiKey)
  expect(job.post, 'it was made').not.toBeNull()
  await sandbox.control('target', { post: job.post, account: 'ac_li', status: 'failed' })
  await expect(page.getByRole('row', { name: /The lantern walk/ })).toContainText('Failed')
  await expect(command).toContainText('Idempotency-Key')
  await reachable(page, 'a post with its command')

  await detail.getByText('Request and answer').first().click()
  await detail.getByRole('listitem').getByRole('button', { name: 'Copy as curl' }).click()
  await expect(command).toHaveCount(2)
  await expect(detail).not.toContainText(sandbox.apiKey)
})

test('signature settings are tried on the last message before they are kept', async ({ screens, sandbox }) => {
  const { page } = screens
  await connect(screens, sandbox)
  await screens.call('test_webhook', {})
  await page.keyboard.press('Control+,')
  const check = page.getByRole('status', { name: 'Checked against the last message' })
  await expect(check).toContainText(/The last message from \d\d:\d\d:\d\d CET checks out\./)
  await page.getByLabel('Header with the signature').fill('X-Mill-Signature')
  await expect(check).toContainText('because it has no header X-Mill-Signature')
  await expect(check).toContainText('It would check out with header')
  await reachable(page, 'settings with a check')
  await check.getByRole('button', { name: 'Fill these in' }).click()
  await expect(check).toContainText('checks out.')
  await page.getByLabel('Written as').selectOption('base64')
  await expect(check).toContainText('is not written this way')
  await page.getByRole('button', { name: 'Use these settings' }).click()
  await expect(page.getByText('Kept. Messages that come from now on are checked this way.')).toBeVisible()
  const run = await screens.call('test_webhook', {})
  expect(run.arrival?.signature ?? 'none').not.toBe('valid')
  await page.getByRole('button', { name: 'Back to what ships' }).click()
  await expect(check).toContainText('checks out.')
  expect((await screens.call('test_webhook', {})).arrival?.signature).toBe('valid')
})

test('how long bodies stay is kept, and where the log lies is told', async ({ screens }) => {
  const { page } = screens
  await lookAround(screens)
  await page.keyboard.press('Control+,')
  await expect(page.getByText(/ kB; 0 arrivals/)).toBeVisible()
  await page.getByLabel('Bodies leave after').selectOption('30 days')
  await page.getByRole('button', { name: 'Keep it this way' }).click()
  await expect(page.getByText('Kept. What was due has left.')).toBeVisible()
  expect(await screens.call('storage', {})).toMatchObject({ bodies_days: 30, log_mb: null })
  await page.getByText('How Pozy reaches this computer').click()
  await expect(page.getByText('Give Pozy the public address with the same path at its end.', { exact: false })).toBeVisible()
  await expect(page.getByText('https://your public address/hooks/pozy')).toBeVisible()
  await reachable(page, 'settings with the help open')
})

test('times can be shown in the zone that posts are planned in', async ({ screens, sandbox }) => {
  const { page } = screens
  await connect(screens, sandbox)
  const planned = new Date(Date.now() + 3_600_000 * 48).toISOString().slice(0, 16)
  const job = await screens.call('submit', { content: 'Planned far away', targets: [{ platform: 'linkedin', account: 'ac_li' }], media_urls: [], form: 'f', scheduled_for: planned, timezone: 'Asia/Kathmandu' })
  await page.goto(`${page.url().split('#')[0]}#/events`)
  await page.getByRole('banner').getByRole('radio', { name: /Account/ }).click()
  await expect(page.getByRole('banner').getByRole('radio', { name: 'Account UTC+5:45' })).toBeChecked()
  await page.keyboard.press('Control+,')
  await expect(page.getByRole('radio', { name: 'Account, Asia/Kathmandu' })).toBeChecked()
  expect(job.timezone).toBe('Asia/Kathmandu')
})
