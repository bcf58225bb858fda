// Bodies laid out for reading without changing them: numbers keep every digit, doubled fields stay, order stays.

/** JSON indented by two spaces, all its words as they came; other text as it is. */
export function laidOut(text: string): string {
  try {
    JSON.parse(text)
  } catch {
    return text
  }
  let out = ''
  let depth = 0
  const line = (): void => {
    out += `\n${'  '.repeat(depth)}`
  }
  for (const token of text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g) ?? []) {
    if (token === '}' || token === ']') {
      depth -= 1
      // An empty pair stays together.
      if (out.endsWith('{') || out.endsWith('[')) out += token
      else {
        line()
        out += token
      }
      continue
    }
    if (out.endsWith('{') || out.endsWith('[') || out.endsWith(',')) line()
    if (token === '{' || token === '[') depth += 1
    out += token === ':' ? ': ' : token
  }
  return out
}
