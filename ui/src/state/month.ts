// A month as a grid of days, for choosing one without the engine's own picker (WebKitGTK has none).

/** A day `YYYY-MM-DD` of the shown month, or null for a cell outside it. */
export type Cell = string | null

/** The day as text. */
export function dayText(year: number, month: number, day: number): string {
  return new Date(Date.UTC(year, month - 1, day)).toISOString().slice(0, 10)
}

/** Weeks from Monday to Sunday that hold the month (1 to 12) of the year. */
export function weeks(year: number, month: number): Cell[][] {
  const first = (new Date(Date.UTC(year, month - 1, 1)).getUTCDay() + 6) % 7
  const days = new Date(Date.UTC(year, month, 0)).getUTCDate()
  const cells: Cell[] = [...new Array<null>(first).fill(null)]
  for (let day = 1; day <= days; day++) cells.push(dayText(year, month, day))
  while (cells.length % 7 > 0) cells.push(null)
  const found: Cell[][] = []
  for (let at = 0; at < cells.length; at += 7) found.push(cells.slice(at, at + 7))
  return found
}

/** A day moved by days; months and years carry over. */
export function moved(day: string, by: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return dayText(year, month, date + by)
}
