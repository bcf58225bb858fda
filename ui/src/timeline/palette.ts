// The colours of the picture, read from the custom properties once a theme; system colours where colours are forced.

/** Colours by their token. */
export interface Palette {
  paper: string
  sunk: string
  line: string
  lineStrong: string
  edge: string
  ink: string
  ink2: string
  ink3: string
  accent: string
  accentSoft: string
  onAccent: string
  good: string
  goodSoft: string
  wait: string
  waitSoft: string
  stop: string
  /** The face of all words on the picture. */
  font: string
  /** True where the system's colours are forced: outlines and shapes carry the marks. */
  forced: boolean
}

/** Reads the palette that holds for an element now. */
export function readPalette(at: HTMLElement): Palette {
  const style = getComputedStyle(at)
  const token = (name: string): string => style.getPropertyValue(name).trim()
  const font = token('--font') || 'sans-serif'
  if (matchMedia('(forced-colors: active)').matches) return forced(font)
  return {
    paper: token('--paper'),
    sunk: token('--sunk'),
    line: token('--line'),
    lineStrong: token('--line-strong'),
    edge: token('--edge'),
    ink: token('--ink'),
    ink2: token('--ink-2'),
    ink3: token('--ink-3'),
    accent: token('--accent'),
    accentSoft: token('--accent-soft'),
    onAccent: token('--on-accent'),
    good: token('--good'),
    goodSoft: token('--good-soft'),
    wait: token('--wait'),
    waitSoft: token('--wait-soft'),
    stop: token('--stop'),
    font,
    forced: false,
  }
}

/** Forced colours: colour carries the selection alone. */
function forced(font: string): Palette {
  const text = 'CanvasText'
  const back = 'Canvas'
  return {
    paper: back, sunk: back, line: 'GrayText', lineStrong: 'GrayText', edge: text, ink: text, ink2: text, ink3: text,
    accent: 'Highlight', accentSoft: back, onAccent: 'HighlightText', good: text, goodSoft: back, wait: text, waitSoft: back,
    stop: text, font, forced: true,
  }
}
