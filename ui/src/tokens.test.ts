import { describe, expect, test } from 'vitest'

import { contrast } from './testing/contrast'
import css from './tokens.css?raw'

/** The colours of a theme, by the names they have in the file. */
function theme(selector: string): (name: string) => string {
  const block = css.slice(css.indexOf(`${selector} {`)).split('\n}')[0] ?? ''
  const colours = new Map([...block.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map((m) => [m[1] ?? '', m[2] ?? '']))
  return (name) => {
    const found = colours.get(name)
    if (!found) throw new Error(`${selector} has no colour ${name}`)
    return found
  }
}

const SURFACES = ['paper', 'side', 'sunk', 'raised', 'accent-soft']

describe.each([
  ['light', ':root'],
  ['dark', "[data-theme='dark']"],
])('in the %s theme', (_, selector) => {
  const colour = theme(selector)

  test.each(['ink', 'ink-2', 'ink-3', 'accent', 'good', 'wait', 'stop'])('%s can be read on every surface', (ink) => {
    const own = ['good', 'wait', 'stop'].includes(ink) ? [`${ink}-soft`] : []
    for (const surface of [...SURFACES, ...own])
      expect(contrast(colour(ink), colour(surface)), `${ink} on ${surface}`).toBeGreaterThanOrEqual(4.5)
  })

  test('text on the main button and on tinted bars can be read', () => {
    expect(contrast(colour('on-accent'), colour('accent'))).toBeGreaterThanOrEqual(4.5)
    for (const soft of ['wait-soft', 'stop-soft']) expect(contrast(colour('ink'), colour(soft))).toBeGreaterThanOrEqual(4.5)
  })

  test('the outline of a control stands out from what it lies on', () => {
    for (const surface of ['paper', 'side', 'raised'])
      expect(contrast(colour('edge'), colour(surface)), `edge on ${surface}`).toBeGreaterThanOrEqual(3)
  })
})

test('black on white is 21 to 1', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21)
})
