// The life of a key (R7, R12; design 4.4): asked again by itself first, then by hand only, then too close, then gone.

/** A key's life, milliseconds since 1970. */
export interface KeyLife {
  /** First use. */
  since: number
  /** Until when the program asks again by itself. */
  byItself: number
  /** End of its life at Pozy. */
  ends: number
}

/** Where in its life a key stands. */
export type KeyPhase = 'alive' | 'by_hand' | 'close' | 'gone'

/** Nearer than this to the end nobody can tell which side of it Pozy's clock is on (contract, Jobs). */
export const TOO_CLOSE_MS = 15 * 60_000

/** The phase of a key at an instant. The end itself still counts as alive at Pozy, but never as safe. */
export function keyPhase(life: KeyLife, now: number): KeyPhase {
  if (now > life.ends) return 'gone'
  if (now >= life.ends - TOO_CLOSE_MS) return 'close'
  return now >= life.byItself ? 'by_hand' : 'alive'
}

/** The part of the life that is left, 1 at its first use, 0 at its end. */
export function keyLeft(life: KeyLife, now: number): number {
  const whole = life.ends - life.since
  if (whole <= 0) return 0
  return Math.min(1, Math.max(0, (life.ends - now) / whole))
}

/** Where an instant falls in the drawn band, 0 to 1; outside the life it sticks to the nearer sign. */
export function inBand(life: KeyLife, ms: number): number {
  return 1 - keyLeft(life, ms)
}

/** The arc of the ring for a part left: an SVG path around (7, 7) with radius 5.5, from noon clockwise. */
export function ringArc(part: number): string {
  // An arc that ends where it begins draws nothing: a full ring is two halves.
  if (part > 0.99) return 'M7 1.5A5.5 5.5 0 0 1 7 12.5A5.5 5.5 0 0 1 7 1.5'
  const turn = Math.max(0, part) * 2 * Math.PI
  const x = 7 + 5.5 * Math.sin(turn)
  const y = 7 - 5.5 * Math.cos(turn)
  return `M7 1.5A5.5 5.5 0 ${turn > Math.PI ? 1 : 0} 1 ${x.toFixed(2)} ${y.toFixed(2)}`
}
