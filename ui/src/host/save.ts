// Files a person keeps, from a page: each becomes a download.

import type { SavedFile } from '../wire/wire'

/** Hands files to the browser's downloads; their names. */
export function download(files: readonly SavedFile[]): string[] {
  for (const file of files) {
    const url = URL.createObjectURL(new Blob([file.text], { type: file.name.endsWith('.html') ? 'text/html' : 'application/x-ndjson' }))
    const link = document.createElement('a')
    link.href = url
    link.download = file.name
    link.click()
    // The browser reads it after this turn.
    setTimeout(() => URL.revokeObjectURL(url), 60_000)
  }
  return files.map((file) => file.name)
}
