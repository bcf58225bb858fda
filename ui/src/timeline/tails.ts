// Names of lanes are cut where they get too long. Where two begin alike, the end that tells them apart stays. Pure.

/** Names that are alike as far as this begin alike. */
const ALIKE = 14
/** Longest end that stays. */
const MOST = 14

/** The end of each name that begins as another one does, from the word in which they differ. */
export function tailsOf(names: readonly string[]): Map<string, string> {
  const sorted = [...new Set(names)].sort()
  const tails = new Map<string, string>()
  sorted.forEach((name, n) => {
    // In order, the name that is alike for longest stands beside it.
    const alike = Math.max(shared(name, sorted[n - 1]), shared(name, sorted[n + 1]))
    if (alike < ALIKE) return
    const word = name.lastIndexOf(' ', Math.min(alike, name.length - 1)) + 1
    const from = word > 0 && word < name.length ? word : alike
    tails.set(name, name.slice(Math.max(from, name.length - MOST)))
  })
  return tails
}

/** How many characters two names begin with alike. */
function shared(one: string, other: string | undefined): number {
  if (other === undefined) return 0
  let n = 0
  while (n < one.length && n < other.length && one[n] === other[n]) n += 1
  return n
}
