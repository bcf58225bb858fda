// Figures over rounds and rows of the table of budgets, as ingest/figures.rs and ingest/budgets.rs write them.

export const sorted = (values) => [...values].sort((a, b) => a - b)

/** The middle of the values; not a number if there are none. */
export function median(values) {
  const all = sorted(values)
  const middle = all.length / 2
  return all.length % 2 === 1 ? all[Math.floor(middle)] : (all[middle - 1] + all[middle]) / 2
}

/** As many digits as the figure is worth. */
export function digits(value) {
  const size = Math.abs(value)
  if (Number.isInteger(value) || size >= 100) return value.toFixed(0)
  if (size >= 10) return value.toFixed(1)
  return value.toFixed(size >= 1 ? 2 : 3)
}

/** Median (lowest to highest). */
export function range(values) {
  if (values.length === 0) return 'none'
  if (values.length === 1) return digits(values[0])
  const all = sorted(values)
  return `${digits(median(all))} (${digits(all[0])} to ${digits(all.at(-1))})`
}

/** A row of the table: number, what it is of, the budget, the median with its range, and whether it is met. */
export function budget(number, what, { least, most }, unit, values) {
  const bound = least ?? most
  const said = `${least === undefined ? 'at most' : 'at least'} ${bound}${unit}`
  if (values.length === 0) return `| ${number} | ${what} | ${said} | not measured | unknown |\n`
  const middle = median(values)
  const met = least === undefined ? middle <= bound : middle >= bound
  const verdict = met ? 'met' : bound === 0 ? 'missed' : `missed: ${digits(middle / bound)} × it`
  return `| ${number} | ${what} | ${said} | ${range(values)}${unit} | ${verdict} |\n`
}
