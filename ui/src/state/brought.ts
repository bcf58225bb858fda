// Files that somebody brings: dropped on the page, chosen, or named by a path on this computer.

/** What the import dialog opens with. */
export interface Brought {
  /** Files that the page has. */
  files?: readonly File[]
  /** Files that the program can read itself. */
  paths?: readonly string[]
}
