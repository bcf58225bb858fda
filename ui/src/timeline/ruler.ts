// How wide words on the picture are.

/** Words that are remembered; marks say few different ones. */
const MOST = 4000

/** Measures words in the picture's face, each once. */
export function ruler(): (text: string) => number {
  const brush = document.createElement('canvas').getContext('2d')
  const widths = new Map<string, number>()
  if (brush) brush.font = `11px ${getComputedStyle(document.documentElement).getPropertyValue('--font') || 'sans-serif'}`
  return (text) => {
    if (!brush) return text.length * 6
    const known = widths.get(text)
    if (known !== undefined) return known
    if (widths.size >= MOST) widths.clear()
    const width = brush.measureText(text).width + 2
    widths.set(text, width)
    return width
  }
}
