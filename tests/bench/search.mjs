// Search by index and by looking, on one log. Started by search.sh.

import { execFileSync, spawn } from 'node:child_process'
import { createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { createInterface } from 'node:readline'

const ARRIVALS = Number(process.argv[2])
const ROUNDS = 30
const PROGRAM = process.env.REPRISE

// Words by how often they come: the first of a list most often, as words do.
const WORDS = {
  en: 'the market day opens at nine doors tickets harbour lantern evening bakery morning choir rehearsal garden late ferry winter coat bring your own cup'.split(' '),
  de: 'der Markt öffnet früh heute Straße Hafen Laterne Bäcker Chor Garten Fähre Winter Mantel Becher später Türen'.split(' '),
  ja: ['東京', '夏祭り', 'タワー', '港', '朝市', '花火', '本日', '開店', '九時', 'ランタン', '合唱', '庭園'],
  th: ['ตลาด', 'เปิด', 'วันเสาร์', 'โคมไฟ', 'ท่าเรือ', 'สวน', 'เช้า'],
}
let seed = 7
const dice = (end) => {
  seed = (seed * 1103515245 + 12345) % 2147483648
  return Math.floor((seed / 2147483648) * end)
}
const pick = (list) => list[Math.min(dice(list.length), dice(list.length))]
function text(post) {
  const [language, space] = [['en', ' '], ['en', ' '], ['de', ' '], ['ja', ''], ['th', '']][dice(5)]
  const words = Array.from({ length: 8 + dice(16) }, () => pick(WORDS[language])).join(space)
  return post % 20_000 === 77 ? `${words} quincequay${post}` : words
}

const folder = mkdtempSync(join(tmpdir(), 'reprise-search-'))
const data = join(folder, 'data')
const size = () => ['reprise.db', 'reprise.db-wal'].reduce((sum, name) => sum + (statSync(join(data, name), { throwIfNoEntry: false })?.size ?? 0), 0)
const median = (all) => [...all].sort((a, b) => a - b)[Math.floor(all.length / 2)]

/** Five messages a post: four of its targets, one of the whole. */
async function write(file) {
  const out = createWriteStream(file)
  let words = ''
  for (let n = 0; n < ARRIVALS; n += 1) {
    const post = Math.floor(n / 5)
    if (n % 5 === 0) words = text(post)
    const at = new Date(1772445600000 + n * 250).toISOString()
    const body = { id: `ev_${n}`, event: 'post.platform.published', timestamp: at, post: { id: `po_${post}`, content: words, status: 'publishing' }, platform: { name: 'linkedin', status: 'published' }, account: { accountId: `ac_${n % 5}`, platform: 'linkedin' } }
    const line = { kind: 'arrival', at, answer: 204, signature: 'valid', headers: { 'content-type': 'application/json', 'x-pozy-event-id': `ev_${n}` }, body }
    if (!out.write(`${JSON.stringify(line)}\n`)) await once(out, 'drain')
  }
  out.end()
  await once(out, 'finish')
}

try {
  const file = join(folder, 'log.jsonl')
  await write(file)
  execFileSync(PROGRAM, ['--data', data, 'import', file], { stdio: 'ignore' })
  rmSync(file)
  const before = size()
  const program = spawn(PROGRAM, ['--json', '--data', data, 'serve', '--receive-on', '127.0.0.1:0'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(createInterface({ input: program.stdout }), 'line')
  const { ui } = JSON.parse(line)
  const pass = (await fetch(ui, { redirect: 'manual' })).headers.get('set-cookie').split(';')[0]
  const call = async (name, args) => {
    const answer = await fetch(`${new URL(ui).origin}/call/${name}`, { method: 'POST', headers: { 'Content-Type': 'application/json', cookie: pass }, body: JSON.stringify(args) })
    if (!answer.ok) throw new Error(`${name}: ${answer.status} ${await answer.text()}`)
    return answer.json()
  }
  const begun = performance.now()
  for (;;) {
    const { index } = await call('search', { text: 'zz' })
    if (index.upto === index.of) break
    await new Promise((done) => setTimeout(done, 200))
  }
  const filled = performance.now() - begun

  const asked = [['a rare word', 'quincequay20077 '], ['the beginning of it', 'quincequ'], ['a common word', 'market '], ['two letters', 'ma'], ['a phrase', '"market day"'], ['two words', 'harbour lantern '], ['German, without its dots', 'fruh strasse '], ['Japanese', '夏祭り'], ['Thai', 'โคมไฟ'], ['no word there is', 'nowhereatall ']]
  const rows = []
  for (const [what, words] of asked) {
    const times = []
    let hits = 0
    for (let round = 0; round < ROUNDS; round += 1) {
      const from = performance.now()
      hits = (await call('search', { text: words, limit: 20 })).hits.length
      times.push(performance.now() - from)
    }
    rows.push({ what, words, hits, index: median(times), worst: Math.max(...times) })
  }
  // The whole way once for each of two words: a look costs the same whatever is looked for.
  const looks = []
  for (const words of ['quincequay20077 ', 'nowhereatall ']) {
    const from = performance.now()
    let after
    do {
      const page = await call('events', { filter: { text: words }, limit: 100, ...(after ? { after } : {}) })
      after = page.next
    } while (after)
    looks.push(performance.now() - from)
  }
  const look = median(looks)
  const after = size()
  program.kill('SIGTERM')
  await once(program, 'exit')

  console.log(`${ARRIVALS} arrivals of ${Math.ceil(ARRIVALS / 5)} posts. Index filled behind the running program in ${(filled / 1000).toFixed(1)} s; the file grew from ${(before / 1e6).toFixed(0)} to ${(after / 1e6).toFixed(0)} MB. Looking through the whole log takes ${look.toFixed(0)} ms.\n`)
  console.log(`| looked for | hits on the first page | first page, median of ${ROUNDS}, ms | worst, ms | look through the log : first page |`)
  console.log('|---|---|---|---|---|')
  for (const row of rows) console.log(`| ${row.what} | ${row.hits} | ${row.index.toFixed(1)} | ${row.worst.toFixed(1)} | ${(look / row.index).toFixed(0)} |`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
