// An axis from zero in round steps.

/** Ticks in round steps of 1, 2 or 5, at most five besides zero, and the end, the last tick at or past `most`. */
export function axis(most: number): { ticks: number[]; end: number } {
  const wanted = Math.max(1, most)
  const power = 10 ** Math.floor(Math.log10(wanted / 5))
  const step = Math.max(1, [1, 2, 5, 10].map((n) => n * power).find((s) => wanted / s <= 5) ?? 10 * power)
  const count = Math.ceil(wanted / step)
  return { ticks: Array.from({ length: count + 1 }, (_, i) => i * step), end: count * step }
}
