import { expect, test } from 'vitest'

import { FrameLoop } from './frameloop'

/** A loop whose frames are let go by hand, and what happened in it. */
function rig() {
  const frames: (() => void)[] = []
  const did: string[] = []
  const loop: FrameLoop = new FrameLoop(
    () => did.push('settled'),
    { updated: () => did.push('updated'), painted: () => did.push('painted') },
    (step) => frames.push(step),
  )
  return { loop, frames, did, next: () => frames.shift()?.() }
}

test('however much comes before a frame, the page is brought up to date once', () => {
  const { loop, frames, did, next } = rig()
  for (let n = 0; n < 3; n++) loop.land(() => did.push(`came ${n}`))
  expect(did, 'nothing before the frame').toEqual([])
  next()
  expect(did).toEqual(['came 0', 'came 1', 'came 2', 'updated', 'settled'])
  expect(frames, 'and then rests').toHaveLength(0)
})

test('what changes by it is drawn in the same frame, each part once', () => {
  const frames: (() => void)[] = []
  const did: string[] = []
  const part = {}
  const loop: FrameLoop = new FrameLoop(
    () => {
      loop.draw(part, () => did.push('first wish'))
      loop.draw(part, () => did.push('last wish'))
    },
    { updated: () => undefined, painted: () => did.push('painted') },
    (step) => frames.push(step),
  )
  loop.land(() => did.push('came'))
  frames.shift()?.()
  expect(did).toEqual(['came', 'last wish', 'painted'])
  expect(frames).toHaveLength(0)
})

test('a part that is gone draws no more', () => {
  const { loop, did, next } = rig()
  const part = {}
  loop.draw(part, () => did.push('drawn'))
  loop.drop(part)
  next()
  expect(did).toEqual([])
})

test('what comes while a frame is under way waits for the next, and a step that throws stops nobody else', () => {
  const { loop, frames, did, next } = rig()
  loop.land(() => {
    loop.land(() => did.push('later'))
    throw new Error('no')
  })
  expect(next).toThrow('no')
  expect(did).toEqual([])
  expect(frames).toHaveLength(1)
  next()
  expect(did[0]).toBe('later')
})
