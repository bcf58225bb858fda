// Pages of a long list by keyset, joined into one run of rows. Pure; `Rows` keeps and fetches them.

/** A page as it was asked for and answered. */
export interface Loaded<Row> {
  /** The cursor it was asked with; none for the newest page. */
  after: string | null
  rows: readonly Row[]
  /** The cursor of the page behind it; null at the end. */
  next: string | null
}

/** All rows in order; of rows with one id the first stands, since rows only ever move up. */
export function joined<Row>(pages: readonly Loaded<Row>[], id: (row: Row) => string): Row[] {
  const seen = new Set<string>()
  const all: Row[] = []
  for (const page of pages)
    for (const row of page.rows) {
      const mark = id(row)
      if (seen.has(mark)) continue
      seen.add(mark)
      all.push(row)
    }
  return all
}

/** The same pages in the same order, each row replaced by its newer self where there is one. */
export function renewed<Row>(
  pages: readonly Loaded<Row>[],
  newer: readonly Row[],
  id: (row: Row) => string,
): Loaded<Row>[] {
  const by = new Map(newer.map((row) => [id(row), row]))
  return pages.map((page) => ({ ...page, rows: page.rows.map((row) => by.get(id(row)) ?? row) }))
}

/** How many of the newest rows are not among the shown ones. */
export function freshCount<Row>(shown: readonly Row[], newest: readonly Row[], id: (row: Row) => string): number {
  const have = new Set(shown.map(id))
  return newest.reduce((count, row) => count + (have.has(id(row)) ? 0 : 1), 0)
}
