import { connect, expect, published, reachable, type Sandbox, type Screens, test } from './program'

/** Everything that can be on the screen, with what a person would have there: each screen, each form and each sheet. */
async function everywhere(screens: Screens, sandbox: Sandbox, look: (where: string) => Promise<void>): Promise<void> {
  const { page } = screens
  await connect(screens, sandbox)
  await sandbox.fault({ on: 'POST /v1/posts', do: 'cut_after' })
  await sandbox.fault({ on: 'POST /v1/posts', do: 'status', status: 503, retry_after: 600 })
  const targets = [{ platform: 'linkedin', account: 'ac_li_04' }]
  const { job } = await screens.call('submit', { content: 'The lantern walk starts at six, bring a cup and a scarf.', targets, media_urls: [], form: 'everywhere' })
  const { call, page: { request } } = screens
  const { receiver } = await call('status', {})
  await request.post(receiver.url ?? '', { data: published('ev_1', 'Doors open at 9.'), failOnStatusCode: false })
  await call('test_webhook', {})
  const go = async (hash: string): Promise<void> => {
    await page.evaluate((to) => (location.hash = `#/${to}`), hash)
    await expect(page.getByRole('main')).toBeVisible()
  }
  const sheet = async (where: string): Promise<void> => {
    await expect(page.getByRole('dialog')).toBeVisible()
    await look(where)
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)
  }

  await go('timeline')
  await expect(page.locator('.lane').first()).toBeVisible()
  await page.getByRole('application').focus()
  await page.keyboard.press('ArrowLeft')
  await expect(page.getByTestId('mark-sentence')).not.toBeEmpty()
  await look('timeline with a mark chosen')
  await page.getByRole('button', { name: 'All marks' }).click()
  await sheet('all marks')
  await page.getByRole('radio', { name: 'List' }).click()
  await expect(page.getByRole('table')).toBeVisible()
  await look('timeline as a list')

  await go('events')
  await page.getByRole('row', { name: /Signature/ }).first().click()
  await expect(page.getByRole('region', { name: 'Selected message' }).getByText('Came by')).toBeVisible()
  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  await look('events with a message and the filter')

  await go(`posts?job=${job}`)
  const post = page.getByRole('region', { name: 'Selected post' })
  await expect(post.getByRole('article').first()).toBeVisible()
  await look('posts with a forecast')
  await page.getByRole('button', { name: 'Compose' }).click()
  await expect(page.getByLabel('Words').first()).toBeVisible()
  await look('compose')
  await page.getByRole('button', { name: 'From a file …' }).click()
  await expect(page.getByText('Looking sends nothing.', { exact: false })).toBeVisible()
  await look('posts from a file')
  await page.keyboard.press('Escape')
  await go('posts')
  await page.getByRole('button', { name: 'Select many' }).click()
  await expect(page.getByRole('button', { name: 'Look what would happen' })).toBeVisible()
  await look('many posts')

  await go('why')
  await look('why twice')
  await page.getByLabel('What to ask about').fill(job)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Find the cause' }).click()
  await expect(page.getByRole('region', { name: 'The verdict' })).toBeVisible()
  await look('a verdict')
  await go('test')
  await look('test')
  await go('settings')
  await expect(page.getByText('Harbour Events').first()).toBeVisible()
  await look('settings')

  await page.keyboard.press('?')
  await sheet('keys')
  await page.keyboard.press('Control+k')
  await sheet('command box')
  await page.getByRole('button', { name: 'Import a log' }).first().click()
  await sheet('import')
}

test('nothing on any screen is in anybody’s way', async ({ screens, sandbox }) => {
  test.setTimeout(180_000)
  await reachable(screens.page, 'first run')
  await everywhere(screens, sandbox, (where) => reachable(screens.page, where))
})

test('with reduced motion nothing moves on any screen', async ({ screens, sandbox }) => {
  test.setTimeout(120_000)
  const { page } = screens
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await everywhere(screens, sandbox, async (where) => {
    const moving = await page.evaluate(() =>
      [...document.querySelectorAll('*')].flatMap((element) => {
        const style = getComputedStyle(element)
        const longest = (text: string): number => Math.max(...text.split(',').map((part) => parseFloat(part) * (part.trim().endsWith('ms') ? 1 : 1000)))
        const moves = longest(style.transitionDuration) > 1 || (style.animationName !== 'none' && longest(style.animationDuration) > 1)
        return moves ? [element.outerHTML.slice(0, 80)] : []
      }),
    )
    expect(moving, where).toEqual([])
  })
})

test('with forced colours every control keeps an outline and every choice a mark', async ({ screens, sandbox }) => {
  test.setTimeout(120_000)
  const { page } = screens
  await page.emulateMedia({ forcedColors: 'active' })
  await everywhere(screens, sandbox, async (where) => {
    const bare = await page.evaluate(() => {
      const seen = (element: Element): boolean => element.getClientRects().length > 0
      const drawn = (style: CSSStyleDeclaration): boolean =>
        (parseFloat(style.borderTopWidth) >= 1 && style.borderTopStyle !== 'none') || (parseFloat(style.outlineWidth) >= 1 && style.outlineStyle !== 'none')
      const controls = [...document.querySelectorAll('.btn:not(.bare), .chip, .field')].filter(seen).filter((e) => !drawn(getComputedStyle(e)))
      const chosen = [...document.querySelectorAll('[aria-current=page], [aria-pressed=true], [role=radio][aria-checked=true], [role=row][aria-selected=true]')].filter(seen)
      const unmarked = chosen.filter((e) => !drawn(getComputedStyle(e)))
      return [...controls, ...unmarked].map((e) => e.outerHTML.slice(0, 90))
    })
    expect(bare, where).toEqual([])
  })
})

test('at twice the text size nothing is cut off and every control is at least 24 px', async ({ screens, sandbox }) => {
  test.setTimeout(120_000)
  const { page } = screens
  // A window of 1440 x 900 at a zoom of 200 % has this many CSS pixels.
  await page.setViewportSize({ width: 720, height: 450 })
  await everywhere(screens, sandbox, async (where) => {
    const wide = await page.evaluate(() =>
      [document.documentElement, ...document.querySelectorAll('main, header, nav, [role=dialog], dialog')]
        .filter((e) => e.scrollWidth > e.clientWidth + 1)
        .map((e) => e.outerHTML.slice(0, 80)),
    )
    expect(wide, where).toEqual([])
    // Out of the window and with nothing to scroll it there: out of reach.
    const cut = await page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>('button, select, input, textarea, a[href]')]
        .filter((e) => e.getClientRects().length > 0)
        .filter((e) => {
          const { left, right } = e.getBoundingClientRect()
          return right < 1 || left > innerWidth - 1
        })
        .map((e) => e.outerHTML.slice(0, 90)),
    )
    expect(cut, where).toEqual([])
    const small = await page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>('button, select, input:not([type=checkbox], [type=radio], [type=file]), [role=radio]')]
        .filter((e) => e.getClientRects().length > 0)
        .filter((e) => e.getBoundingClientRect().height < 23.5)
        .map((e) => `${Math.round(e.getBoundingClientRect().height)} ${e.outerHTML.slice(0, 80)}`),
    )
    expect(small, where).toEqual([])
  })
})
