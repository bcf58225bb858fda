// Which offers fit what was typed. Every word must stand at the beginning of a word of the offer, or anywhere in it.

import type { Offer } from './palette.svelte'

/** How well `words` fit `text`: 0 not at all, else more for an earlier and fuller fit. */
export function fit(words: string, text: string): number {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
  const there = text.toLowerCase()
  const starts = there.split(/[^\p{L}\p{N}_]+/u)
  let sum = 1
  for (const word of wanted) {
    if (starts[0]?.startsWith(word)) sum += 3
    else if (starts.some((start) => start.startsWith(word))) sum += 2
    else if (there.includes(word)) sum += 1
    else return 0
  }
  return sum
}

/** The offers that fit, best first; offers that fit equally well stay in their order. */
export function fitting(words: string, offers: readonly Offer[]): Offer[] {
  return offers
    .map((offer) => ({ offer, fits: fit(words, `${offer.title} ${offer.note ?? ''}`) }))
    .filter(({ fits }) => fits > 0)
    .sort((a, b) => b.fits - a.fits)
    .map(({ offer }) => offer)
}
