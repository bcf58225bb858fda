import { afterEach, expect, test, vi } from 'vitest'

import { nextFrame, Pull } from './pull'

/** A pull whose frames and work are let go by hand. */
function rig() {
  const frames: (() => void)[] = []
  const works: (() => void)[] = []
  const pull = new Pull(
    () => new Promise<void>((done) => works.push(done)),
    (step) => frames.push(step),
  )
  return { pull, frames, works }
}

const settle = () => new Promise((done) => setTimeout(done, 0))

test('a thousand notices before a frame make one pull', () => {
  const { pull, frames, works } = rig()
  for (let n = 0; n < 1000; n++) pull.want()
  expect(frames).toHaveLength(1)
  frames[0]?.()
  expect(works).toHaveLength(1)
})

test('what is noticed during a pull is pulled once more, after it', async () => {
  const { pull, frames, works } = rig()
  pull.want()
  frames[0]?.()
  pull.want()
  pull.want()
  expect(frames, 'never two pulls at a time').toHaveLength(1)
  works[0]?.()
  await settle()
  expect(frames).toHaveLength(2)
  frames[1]?.()
  expect(works).toHaveLength(2)
  works[1]?.()
  await settle()
  expect(frames, 'and then rests').toHaveLength(2)
})

/** A page whose frames come when they are let. */
function page(visibilityState: 'visible' | 'hidden') {
  const frames: (() => void)[] = []
  vi.useFakeTimers()
  vi.stubGlobal('document', { visibilityState })
  vi.stubGlobal('requestAnimationFrame', (step: () => void) => frames.push(step))
  return frames
}

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('a late frame of a page in sight is waited for, and holds one step', () => {
  const frames = page('visible')
  const step = vi.fn()
  nextFrame(step)
  vi.advanceTimersByTime(400)
  expect(step, 'no step between two frames').not.toHaveBeenCalled()
  frames[0]?.()
  vi.advanceTimersByTime(5000)
  expect(step).toHaveBeenCalledTimes(1)
})

test('a page without frames goes on all the same', () => {
  const hidden = vi.fn()
  page('hidden')
  nextFrame(hidden)
  vi.advanceTimersByTime(100)
  expect(hidden).toHaveBeenCalledTimes(1)
  const stuck = vi.fn()
  const frames = page('visible')
  nextFrame(stuck)
  vi.advanceTimersByTime(1000)
  frames[0]?.()
  expect(stuck).toHaveBeenCalledTimes(1)
})
