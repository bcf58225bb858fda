// Sizes of files in words.

/** `1.2 MB`: bytes in steps of a thousand. */
export function bytes(count: number): string {
  if (count < 1000) return `${count} B`
  const units = ['kB', 'MB', 'GB', 'TB']
  let [value, at] = [count / 1000, 0]
  while (value >= 999.5 && at < units.length - 1) [value, at] = [value / 1000, at + 1]
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[at]}`
}
