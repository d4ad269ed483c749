/** Finds the words of an excerpt among the words of a page, exactly or as nearly as they are there. */

export interface Match {
  /** Index of the first word, and of the one after the last. */
  start: number
  end: number
  /** To choose among readings of the same excerpt: more is better. */
  quality: number
}

/** A longer excerpt is sought by its two ends; the time is words × excerpt. */
const MAX_EXCERPT = 300
/** How many words in ten may be missing, added or different. */
const TOLERATED = 0.4
const SHORTEST_RUN = 4

/** Where the page has the excerpt, of which there may be several readings; the one that fits best is taken. */
export function findWords(page: readonly string[], readings: readonly string[][]): Match | null {
  const sought = readings.filter((words) => words.length > 0)
  for (const find of [exactMatch, byEnds(nearestMatch), byEnds(longestRun)]) {
    const found = sought.map((words) => find(page, words)).filter((match) => match !== null)
    if (found.length) return found.reduce((best, match) => (match.quality > best.quality ? match : best))
  }
  return null
}

type Find = (page: readonly string[], sought: readonly string[]) => Match | null

/** A long excerpt by its beginning, up to its end where the page has that further on. */
function byEnds(find: Find): Find {
  return (page, sought) => {
    if (sought.length <= MAX_EXCERPT) return find(page, sought)
    const first = find(page, sought.slice(0, MAX_EXCERPT / 2))
    const last = first && find(page.slice(first.start), sought.slice(-MAX_EXCERPT / 2))
    return first && last ? { ...first, end: Math.max(first.end, first.start + last.end) } : first
  }
}

function exactMatch(page: readonly string[], sought: readonly string[]): Match | null {
  for (let start = page.indexOf(sought[0]!); start !== -1; start = page.indexOf(sought[0]!, start + 1)) {
    let length = 1
    while (length < sought.length && page[start + length] === sought[length]) length += 1
    if (length === sought.length) return { start, end: start + length, quality: 1 }
  }
  return null
}

/** The stretch of the page with the smallest edit distance to the excerpt, in words. */
function nearestMatch(page: readonly string[], sought: readonly string[]): Match | null {
  const size = sought.length
  let row: Row = { costs: Array.from({ length: size + 1 }, (_, index) => index), starts: new Array(size + 1).fill(0) }
  let best: (Pick<Match, 'start' | 'end'> & { cost: number }) | null = null
  for (let place = 0; place < page.length; place += 1) {
    row = nextRow(row, page[place]!, place, sought)
    const cost = row.costs[size]!
    if (best === null || cost < best.cost) best = { start: row.starts[size]!, end: place + 1, cost }
  }
  if (best === null || size < SHORTEST_RUN || best.cost > size * TOLERATED || best.start >= best.end) return null
  return { start: best.start, end: best.end, quality: 1 - best.cost / size }
}

/** For the first i sought words: the least changes that make them a stretch of the page that ends here, and its start. */
interface Row {
  costs: number[]
  starts: number[]
}

function nextRow({ costs, starts }: Row, word: string, place: number, sought: readonly string[]): Row {
  const next: Row = { costs: [0], starts: [place + 1] }
  for (let index = 1; index <= sought.length; index += 1) {
    const replaced = costs[index - 1]! + (word === sought[index - 1] ? 0 : 1)
    const added = costs[index]! + 1
    const missing = next.costs[index - 1]! + 1
    const least = Math.min(replaced, added, missing)
    next.costs.push(least)
    if (least === replaced) next.starts.push(index === 1 ? place : starts[index - 1]!)
    else next.starts.push(least === added ? starts[index]! : next.starts[index - 1]!)
  }
  return next
}

function longestRun(page: readonly string[], sought: readonly string[]): Match | null {
  let lengths = new Array<number>(sought.length + 1).fill(0)
  let [longest, end] = [0, 0]
  for (let place = 0; place < page.length; place += 1) {
    const next = [0]
    for (let index = 1; index <= sought.length; index += 1) {
      next.push(page[place] === sought[index - 1] ? lengths[index - 1]! + 1 : 0)
      if (next[index]! > longest) [longest, end] = [next[index]!, place + 1]
    }
    lengths = next
  }
  return longest >= SHORTEST_RUN ? { start: end - longest, end, quality: longest } : null
}
