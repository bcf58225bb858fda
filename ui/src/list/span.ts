// Which rows of a long list are drawn: pure sums over row heights, so that a list of any length costs one screenful.

/** The drawn part of a list. */
export interface Drawn {
  /** First drawn item. */
  first: number
  /** One past the last drawn item. */
  end: number
  /** Height of all before `first`, pixels. */
  above: number
  /** Height of all from `end` on, pixels. */
  below: number
}

/** Offsets of items by their heights: `offsets[i]` is the top of item i, the last entry the whole height. */
export function offsets(heights: readonly number[]): number[] {
  const tops = new Array<number>(heights.length + 1)
  tops[0] = 0
  for (let i = 0; i < heights.length; i++) tops[i + 1] = (tops[i] ?? 0) + (heights[i] ?? 0)
  return tops
}

/** The item at a height: the last whose top is at or above it. */
export function itemAt(tops: readonly number[], y: number): number {
  let low = 0
  let high = tops.length - 1
  while (low < high - 1) {
    const middle = (low + high) >> 1
    if ((tops[middle] ?? 0) <= y) low = middle
    else high = middle
  }
  return low
}

/** The items that a view of `height` at `scroll` shows, and `spare` pixels more on either side. */
export function drawn(tops: readonly number[], scroll: number, height: number, spare: number): Drawn {
  const count = tops.length - 1
  const whole = tops[count] ?? 0
  if (count <= 0) return { first: 0, end: 0, above: 0, below: 0 }
  const first = itemAt(tops, Math.max(0, Math.min(scroll, whole) - spare))
  const end = Math.min(count, itemAt(tops, Math.max(0, scroll + height + spare)) + 1)
  return { first, end, above: tops[first] ?? 0, below: whole - (tops[end] ?? whole) }
}

/** The scroll position that shows an item wholly and moves as little as can be. */
export function reveal(tops: readonly number[], item: number, scroll: number, height: number): number {
  const top = tops[item] ?? 0
  const bottom = tops[item + 1] ?? top
  if (top < scroll) return top
  return bottom > scroll + height ? bottom - height : scroll
}
