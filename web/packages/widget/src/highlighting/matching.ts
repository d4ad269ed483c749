/** Finds the words of an excerpt among the words of a page, exactly or as nearly as they are there. */

export interface Match {
  /** Index of the first word, and of the one after the last. */
  start: number
  end: number
}

/** Of an excerpt longer than this the beginning is sought; the time is words × excerpt. */
const MAX_EXCERPT = 300
/** How many words in ten may be missing, added or different. */
const TOLERATED = 0.4
const SHORTEST_RUN = 4

export function findWords(page: readonly string[], excerpt: readonly string[]): Match | null {
  const sought = excerpt.slice(0, MAX_EXCERPT)
  if (sought.length === 0) return null
  return exactMatch(page, sought) ?? nearestMatch(page, sought) ?? longestRun(page, sought)
}

export function exactMatch(page: readonly string[], sought: readonly string[]): Match | null {
  if (sought.length === 0) return null
  for (let start = page.indexOf(sought[0]!); start !== -1; start = page.indexOf(sought[0]!, start + 1)) {
    let length = 1
    while (length < sought.length && page[start + length] === sought[length]) length += 1
    if (length === sought.length) return { start, end: start + length }
  }
  return null
}

/** The stretch of the page with the smallest edit distance to the excerpt, in words. */
function nearestMatch(page: readonly string[], sought: readonly string[]): Match | null {
  const size = sought.length
  let row: Row = { costs: Array.from({ length: size + 1 }, (_, index) => index), starts: new Array(size + 1).fill(0) }
  let best: (Match & { cost: number }) | null = null
  for (let place = 0; place < page.length; place += 1) {
    row = nextRow(row, page[place]!, place, sought)
    const cost = row.costs[size]!
    if (best === null || cost < best.cost) best = { start: row.starts[size]!, end: place + 1, cost }
  }
  return best !== null && size >= SHORTEST_RUN && best.cost <= size * TOLERATED && best.start < best.end ? best : null
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
  return longest >= SHORTEST_RUN ? { start: end - longest, end } : null
}
