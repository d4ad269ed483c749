/** Which parts of a text are what the reader has typed: whole words, or how they begin. */

export interface TextPart {
  text: string
  isMatch: boolean
}

/** A stem may be a little shorter than the word that was typed. */
const SHORTEST_STEM = 4
const MOST_ENDING = 2

export function matchedParts(text: string, typed: string[]): TextPart[] {
  const words = typed.map(folded).filter(({ length }) => length > 1 || typed.length === 1)
  const parts: TextPart[] = []
  for (const run of text.split(/([\p{L}\p{N}\p{M}]+)/u)) {
    const length = matchedLength(run, words)
    add(parts, run.slice(0, length), true)
    add(parts, run.slice(length), false)
  }
  return parts
}

export function wordsOf(typed: string): string[] {
  return typed.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
}

function matchedLength(run: string, words: string[]): number {
  const token = folded(run)
  const lengths = words.map((word) => {
    if (token.startsWith(word)) return token.length === run.length ? word.length : run.length
    const isStem =
      token.length >= SHORTEST_STEM && word.startsWith(token) && word.length <= token.length + MOST_ENDING
    return isStem ? run.length : 0
  })
  return Math.max(0, ...lengths)
}

/** Without case and accents. */
function folded(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
}

function add(parts: TextPart[], text: string, isMatch: boolean): void {
  const last = parts.at(-1)
  if (!text) return
  if (last?.isMatch === isMatch) last.text += text
  else parts.push({ text, isMatch })
}
