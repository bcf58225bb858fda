// Local times that people type, against the zone's own jumps: some do not exist, some exist twice (design 4.6).

/** What a typed local time means in a zone. */
export type LocalMeaning =
  | { kind: 'once'; ms: number }
  | { kind: 'never'; before: string; after: string }
  | { kind: 'twice'; first: number; second: number }

const SHAPE = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})$/
const DAY = 86_400_000

/** The text if it is a real calendar date and time `YYYY-MM-DDTHH:MM`, as milliseconds of that wall time read as UTC. */
export function wallTime(text: string): number | null {
  const found = SHAPE.exec(text)
  if (!found) return null
  const [year, month, day, hour, minute] = found.slice(1).map(Number) as [number, number, number, number, number]
  const ms = Date.UTC(year, month - 1, day, hour, minute)
  return new Date(ms).toISOString().slice(0, 16) === text ? ms : null
}

/** The wall clock of the zone at an instant, read as UTC, milliseconds. */
export function wallAt(zone: string, ms: number): number {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  }).formatToParts(ms)
  const part = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.find((p) => p.type === type)?.value ?? 0)
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'))
}

/** What a local time means there; null if the text is no date and time. Never picks one of two. */
export function meaning(text: string, zone: string): LocalMeaning | null {
  const wall = wallTime(text)
  if (wall === null) return null
  // The offsets a day before and a day after are the only two that can hold at this wall time.
  const offsets = [...new Set([wall - DAY, wall + DAY].map((ms) => wallAt(zone, ms) - ms))]
  const instants = offsets
    .map((offset) => wall - offset)
    .filter((ms) => wallAt(zone, ms) === wall)
    .sort((a, b) => a - b)
  const [first, second] = instants
  if (first === undefined) {
    const [small = 0, big = small] = offsets.sort((a, b) => a - b)
    const clock = (ms: number): string => new Date(wallAt(zone, ms)).toISOString().slice(11, 16)
    const jump = jumpBetween(zone, wall - big - DAY, wall - small + DAY)
    return { kind: 'never', before: clock(jump - 60_000), after: clock(jump) }
  }
  return second === undefined ? { kind: 'once', ms: first } : { kind: 'twice', first, second }
}

/** The first instant of the new offset between two instants of different offsets, to the second. */
function jumpBetween(zone: string, from: number, to: number): number {
  const offset = (ms: number): number => wallAt(zone, ms) - ms
  const old = offset(from)
  let low = Math.floor(from / 1000)
  let high = Math.floor(to / 1000)
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (offset(middle * 1000) === old) low = middle
    else high = middle
  }
  return high * 1000
}

/** Every zone this engine knows, UTC first. */
export function zoneNames(): string[] {
  return ['UTC', ...Intl.supportedValuesOf('timeZone').filter((z) => z !== 'UTC')]
}
