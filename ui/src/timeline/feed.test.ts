import { expect, test, vi } from 'vitest'

import type { Desk } from '../state/desk.svelte'
import { FrameLoop } from '../state/frameloop'
import type { Timeline, TimelineArgs } from '../wire/wire'
import { Feed } from './feed.svelte'

const settle = () => new Promise((done) => setTimeout(done, 0))

/** A core that answers when it is let, and frames that are let go by hand. Longer spans than `crowded` hold too many posts. */
function rig(crowded = Infinity) {
  const asked: TimelineArgs[] = []
  const answers: (() => void)[] = []
  const frames: (() => void)[] = []
  let updates = 0
  let pulls = 0
  const loop = new FrameLoop(() => undefined, { updated: () => (updates += 1), painted: () => undefined }, (step) => frames.push(step))
  const read = (name: string, args: TimelineArgs): Promise<Timeline | null> => {
    if (name !== 'timeline') return Promise.resolve(null)
    asked.push(args)
    return new Promise((done) => answers.push(() => done({ ...args, lanes: [], more: args.to_ms - args.from_ms > crowded } as unknown as Timeline)))
  }
  const desk = { changes: 0, loop, read, refresh: () => (pulls += 1) }
  const feed = new Feed(desk as unknown as Desk)
  return {
    feed,
    desk,
    asked,
    updates: () => updates,
    pulls: () => pulls,
    /** Looks at a second of the log, and pulls with the answer let go. */
    async look(from: number) {
      feed.look({ from, to: from + 1000 }, 1)
      const pull = feed.pull()
      answers.splice(0).forEach((answer) => answer())
      await pull
    },
    answer: () => answers.splice(0).forEach((answer) => answer()),
    frame: () => frames.splice(0).forEach((step) => step()),
    end: () => feed.stop(),
  }
}

test('what is shown stays until the next answer is there, and changes with the frame', async () => {
  const { feed, look, frame, answer, updates, end } = rig()
  await look(0)
  expect(feed.span, 'nothing before the frame').toBeNull()
  frame()
  const first = feed.span
  expect(first).not.toBeNull()
  feed.look({ from: 50_000, to: 51_000 }, 1)
  const pull = feed.pull()
  frame()
  expect(feed.span, 'no blank').toBe(first)
  answer()
  await pull
  frame()
  expect(feed.span?.from_ms).toBeGreaterThan(45_000)
  expect(updates()).toBe(2)
  end()
})

test('the way back asks for nothing while the log stays, and anew once it changed', async () => {
  const { feed, desk, asked, look, frame, pulls, end } = rig()
  await look(0)
  await look(5000)
  frame()
  expect(asked).toHaveLength(2)
  const before = pulls()
  feed.look({ from: 0, to: 1000 }, 1)
  frame()
  expect(feed.span?.from_ms).toBe(asked[0]?.from_ms)
  expect(pulls(), 'no pull was asked for').toBe(before)

  desk.changes += 1
  feed.look({ from: 5000, to: 6000 }, 1)
  expect(pulls(), 'what was read before the change is not shown again').toBe(before + 1)
  end()
})

test('few answers are kept, however far one pans', async () => {
  const { feed, look, frame, pulls, end } = rig()
  for (let n = 0; n < 12; n++) await look(n * 10_000)
  frame()
  const before = pulls()
  feed.look({ from: 100_000, to: 101_000 }, 1)
  expect(pulls(), 'the one before is kept').toBe(before)
  feed.look({ from: 0, to: 1000 }, 1)
  expect(pulls(), 'the first is not').toBe(before + 1)
  end()
})

test('an answer that is late never takes the place of the one that is wanted', async () => {
  const { feed, asked, look, answer, frame, end } = rig()
  await look(0)
  await look(10_000)
  frame()
  feed.look({ from: 30_000, to: 31_000 }, 1)
  const slow = feed.pull()
  // Back to what is kept while the other part is read.
  feed.look({ from: 0, to: 1000 }, 1)
  frame()
  expect(feed.span?.from_ms).toBe(asked[0]?.from_ms)
  answer()
  await slow
  await settle()
  frame()
  expect(feed.span?.from_ms).toBe(asked[0]?.from_ms)
  end()
})

test('where posts compete for their places, hardly more than what is seen is asked for', async () => {
  const { feed, asked, look, answer, frame, end } = rig(2500)
  await look(1_000_000)
  frame()
  expect(asked[0] && asked[0].to_ms - asked[0].from_ms).toBeGreaterThan(2500)
  const again = feed.pull()
  answer()
  await again
  frame()
  expect(asked[1] && asked[1].to_ms - asked[1].from_ms).toBeLessThan(1600)
  expect(feed.span?.to_ms).toBe(asked[1]?.to_ms)
  end()
})

test('what changes right after lanes were read is read as soon as they may be, not when the map is due', async () => {
  vi.useFakeTimers()
  try {
    const { feed, asked, answer, pulls, end } = rig()
    const pulled = async () => {
      const pull = feed.pull()
      answer()
      await pull
    }
    feed.look({ from: 0, to: 1000 }, 1)
    await pulled()
    vi.advanceTimersByTime(40)
    // Too soon: the lanes were read 40 ms ago.
    await pulled()
    expect(asked).toHaveLength(1)
    const before = pulls()
    vi.advanceTimersByTime(21)
    expect(pulls(), '60 ms after the last reading').toBe(before + 1)
    await pulled()
    expect(asked).toHaveLength(2)
    end()
  } finally {
    vi.useRealTimers()
  }
})
