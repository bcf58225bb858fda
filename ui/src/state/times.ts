// Times and spans in words. Every time is shown in a zone that is named: the computer's, as the core knows it, UTC, or the
// one in which posts of an account are planned.

/** Which zone times are shown in. */
export type ZoneChoice = 'local' | 'utc' | 'account'

/** The choices in the order in which a key goes through them. */
export const ZONES: readonly ZoneChoice[] = ['local', 'utc', 'account']

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** The screens speak English; the 24-hour clock of en-GB keeps columns narrow and needs no am and pm. */
const LANGUAGE = 'en-GB'

/** Writes instants in one zone. Build one a zone, not one a row: the formatters behind it are costly. */
export class Clockface {
  /** The IANA name that is really used: UTC where the engine does not know the one asked for. */
  readonly zone: string
  readonly #time: Intl.DateTimeFormat
  readonly #short: Intl.DateTimeFormat
  readonly #day: Intl.DateTimeFormat
  readonly #date: Intl.DateTimeFormat
  readonly #names: Intl.DateTimeFormat[]

  constructor(zone: string) {
    this.zone = knownZone(zone)
    const timeZone = this.zone
    const hour = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
    this.#time = new Intl.DateTimeFormat(LANGUAGE, { timeZone, ...hour, second: '2-digit' })
    this.#short = new Intl.DateTimeFormat(LANGUAGE, { timeZone, ...hour })
    this.#day = new Intl.DateTimeFormat(LANGUAGE, { timeZone, weekday: 'short', day: 'numeric', month: 'short' })
    this.#date = new Intl.DateTimeFormat(LANGUAGE, { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' })
    // British names know CET, American ones know EST; whichever has a name wins over an offset.
    this.#names = ['en-GB', 'en-US'].map((l) => new Intl.DateTimeFormat(l, { timeZone, timeZoneName: 'short' }))
  }

  /** `09:00:31` */
  time(ms: number): string {
    return this.#time.format(ms)
  }

  /** `09:00:31.214` */
  exact(ms: number): string {
    return `${this.time(ms)}.${String(((ms % SECOND) + SECOND) % SECOND).padStart(3, '0')}`
  }

  /** `09:00` */
  short(ms: number): string {
    return this.#short.format(ms)
  }

  /** `Fri 6 Nov`, without the comma some engines put in */
  day(ms: number): string {
    return this.#day.format(ms).replaceAll(',', '')
  }

  /** `2026-11-06`, to tell whether two instants fall on one day of this zone */
  date(ms: number): string {
    // By parts: engines do not agree on the order that any one locale writes.
    const parts = this.#date.formatToParts(ms)
    return ['year', 'month', 'day'].map((type) => parts.find((p) => p.type === type)?.value ?? '').join('-')
  }

  /** `CET`, `GMT`, `UTC+5:45`: the zone's name at that instant */
  name(ms: number): string {
    if (this.zone === 'UTC') return 'UTC'
    const found = this.#names.map((f) => f.formatToParts(ms).find((p) => p.type === 'timeZoneName')?.value ?? 'UTC')
    const named = found.find((n) => !/^(GMT|UTC)[+-]/.test(n)) ?? found[0] ?? 'UTC'
    return named.replace(/^GMT(?=[+-])/, 'UTC')
  }

  /** `Fri 6 Nov 09:00:31 CET`, and without the day if it is the day of `now` */
  full(ms: number, now: number): string {
    const day = this.date(ms) === this.date(now) ? '' : `${this.day(ms)} `
    return `${day}${this.time(ms)} ${this.name(ms)}`
  }

  /** `09:00` today, `Thu 09:00` this week, else `30 Oct` */
  brief(ms: number, now: number): string {
    if (this.date(ms) === this.date(now)) return this.short(ms)
    const [weekday = '', ...rest] = this.day(ms).split(' ')
    return Math.abs(now - ms) < 6 * DAY ? `${weekday} ${this.short(ms)}` : rest.join(' ')
  }
}

/** The zone, or UTC if this engine does not know it (old and new names of one zone differ between engines). */
export function knownZone(zone: string): string {
  try {
    new Intl.DateTimeFormat(LANGUAGE, { timeZone: zone })
    return zone
  } catch {
    return 'UTC'
  }
}

/** `342 ms`, `7.4 s`, `45 s`, `6 min 50 s`, `5 h 29 min`, `3 days 4 h`. Never negative. */
export function span(ms: number): string {
  const whole = Math.max(0, Math.round(ms))
  if (whole < SECOND) return `${whole} ms`
  if (whole < 10 * SECOND) return `${trim((whole / SECOND).toFixed(1))} s`
  const s = Math.floor(whole / SECOND)
  if (whole < MINUTE) return `${s} s`
  if (whole < HOUR) return pair(Math.floor(s / 60), 'min', s % 60, 's')
  if (whole < DAY) return pair(Math.floor(whole / HOUR), 'h', Math.floor((whole % HOUR) / MINUTE), 'min')
  const days = Math.floor(whole / DAY)
  return pair(days, days === 1 ? 'day' : 'days', Math.floor((whole % DAY) / HOUR), 'h')
}

/** Time left, cut to minutes: `19 h 30 min`, `6 h 02 min`, `2 min`, `under a minute`. For clocks that count down. */
export function left(ms: number): string {
  if (ms < MINUTE) return 'under a minute'
  const hours = Math.floor(ms / HOUR)
  const minutes = Math.floor((ms % HOUR) / MINUTE)
  return hours === 0 ? `${minutes} min` : `${hours} h ${String(minutes).padStart(2, '0')} min`
}

/** `0:14`, `4:59`, `1:02:03`: a countdown to the second, rounded up so that it ends at 0:00. */
export function countdown(ms: number): string {
  const s = Math.max(0, Math.ceil(ms / SECOND))
  const two = (n: number): string => String(n).padStart(2, '0')
  const minutes = `${Math.floor((s % 3600) / 60)}`
  return s < 3600 ? `${minutes}:${two(s % 60)}` : `${Math.floor(s / 3600)}:${two(Number(minutes))}:${two(s % 60)}`
}

/** `just now`, `9 s ago`, `2 min ago`, `3 h ago`, `4 days ago` */
export function ago(ms: number): string {
  if (ms < 2 * SECOND) return 'just now'
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s ago`
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min ago`
  if (ms < 2 * DAY) return `${Math.floor(ms / HOUR)} h ago`
  return `${Math.floor(ms / DAY)} days ago`
}


function pair(big: number, bigUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${big} ${bigUnit}` : `${big} ${bigUnit} ${small} ${smallUnit}`
}

function trim(figure: string): string {
  return figure.replace(/\.0$/, '')
}
