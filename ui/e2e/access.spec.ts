import { connect, expect, published, test } from './program'

const SCREENS = ['timeline', 'events', 'posts', 'test', 'settings']

test('with reduced motion nothing moves on any screen', async ({ screens, sandbox }) => {
  const { page } = screens
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await connect(screens, sandbox)
  await screens.arrive(published('ev_1', 'Doors open at 9.')).catch(() => undefined)
  for (const screen of SCREENS) {
    await page.evaluate((to) => (location.hash = `#/${to}`), screen)
    await expect(page.getByRole('main')).toBeVisible()
    const moving = await page.evaluate(() =>
      [...document.querySelectorAll('*')].flatMap((element) => {
        const style = getComputedStyle(element)
        const longest = (text: string): number => Math.max(...text.split(',').map((part) => parseFloat(part) * (part.trim().endsWith('ms') ? 1 : 1000)))
        const moves = longest(style.transitionDuration) > 1 || (style.animationName !== 'none' && longest(style.animationDuration) > 1)
        return moves ? [element.outerHTML.slice(0, 80)] : []
      }),
    )
    expect(moving, screen).toEqual([])
  }
})

test('with forced colours every control keeps an outline and every choice a mark', async ({ screens, sandbox }) => {
  const { page } = screens
  await page.emulateMedia({ forcedColors: 'active' })
  await connect(screens, sandbox)
  for (const screen of SCREENS) {
    await page.evaluate((to) => (location.hash = `#/${to}`), screen)
    await expect(page.getByRole('main')).toBeVisible()
    const bare = await page.evaluate(() => {
      const seen = (element: Element): boolean => element.getClientRects().length > 0
      const drawn = (style: CSSStyleDeclaration): boolean =>
        (parseFloat(style.borderTopWidth) >= 1 && style.borderTopStyle !== 'none') || (parseFloat(style.outlineWidth) >= 1 && style.outlineStyle !== 'none')
      const controls = [...document.querySelectorAll('.btn, .chip, .field')].filter(seen).filter((e) => !drawn(getComputedStyle(e)))
      const chosen = [...document.querySelectorAll('[aria-current=page], [aria-pressed=true], [role=radio][aria-checked=true]')].filter(seen)
      const unmarked = chosen.filter((e) => getComputedStyle(e).outlineStyle === 'none')
      return [...controls, ...unmarked].map((e) => e.outerHTML.slice(0, 90))
    })
    expect(bare, screen).toEqual([])
  }
})

test('at twice the text size nothing is cut off and every control is at least 24 px', async ({ screens, sandbox }) => {
  const { page } = screens
  await connect(screens, sandbox)
  await page.setViewportSize({ width: 720, height: 450 })
  for (const screen of SCREENS) {
    await page.evaluate((to) => (location.hash = `#/${to}`), screen)
    await expect(page.getByRole('main')).toBeVisible()
    const wide = await page.evaluate(() =>
      [document.documentElement, ...document.querySelectorAll('main, header, nav')].filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => e.outerHTML.slice(0, 80)),
    )
    expect(wide, screen).toEqual([])
    const small = await page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>('button, select, input:not([type=checkbox]), [role=radio]')]
        .filter((e) => e.getClientRects().length > 0)
        .filter((e) => e.getBoundingClientRect().height < 23.5)
        .map((e) => `${Math.round(e.getBoundingClientRect().height)} ${e.outerHTML.slice(0, 80)}`),
    )
    expect(small, screen).toEqual([])
  }
})
