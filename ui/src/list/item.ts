/** One line of a list, whatever it shows. */
export interface ListItem {
  /** Stays the same as long as the line exists. */
  key: string
  /** Its look. */
  kind: string
  /** Pixels at the ordinary text size. */
  height: number
  /** 1 for a row, 2 for what opens under it. */
  level: 1 | 2
  /** False for headings. */
  choosable: boolean
  /** Whether it is open; null if it cannot be opened. */
  expanded: boolean | null
  /** The id that goes along when the row is dragged; without one it cannot be. */
  drag?: string
}
