/** The sentence of a passage that says most of what was asked: it is marked, so that the eye finds it first. */
import type { Block, Inline } from '@citebook/client'
import { matchedParts, wordsOf } from './matching'

export interface KeySentence {
  /** The paragraph that it stands in, by its place among the blocks. */
  block: number
  /** Where it begins and ends in the text of the paragraph. */
  start: number
  end: number
}

/** Shorter words stand in every sentence. */
const SHORTEST_WORD = 4

/** Nothing where a passage is one sentence, or no sentence has more of the question than the others. */
export function keySentenceOf(blocks: Block[], question: string): KeySentence | undefined {
  const words = wordsOf(question).filter(({ length }) => length >= SHORTEST_WORD)
  const sentences = blocks.flatMap((block, index) =>
    block.kind === 'paragraph' ? sentencesOf(textOf(block.text), index) : [],
  )
  if (!words.length || sentences.length < 2) return undefined
  const counted = sentences.map((sentence) => ({ sentence, count: wordsIn(sentence.text, words) }))
  const most = Math.max(...counted.map(({ count }) => count))
  const [best, second] = counted.filter(({ count }) => count === most)
  if (!best || second || most === 0) return undefined
  const { text: _text, ...key } = best.sentence
  return key
}

/** The runs before, in and after a stretch of their text. A formula belongs whole to where it begins. */
export function splitRuns(runs: Inline[], start: number, end: number): [Inline[], Inline[], Inline[]] {
  const parts: [Inline[], Inline[], Inline[]] = [[], [], []]
  let at = 0
  for (const run of runs) {
    const from = at
    at += run.text.length
    if (run.marks.includes('formula')) {
      parts[partAt(from, start, end)].push(run)
      continue
    }
    const cuts = [from, ...[start, end].filter((cut) => cut > from && cut < at), at]
    cuts.slice(1).forEach((to, index) => {
      const begin = cuts[index]!
      if (to > begin) parts[partAt(begin, start, end)].push({ ...run, text: run.text.slice(begin - from, to - from) })
    })
  }
  return parts
}

function partAt(place: number, start: number, end: number): 0 | 1 | 2 {
  if (place < start) return 0
  return place < end ? 1 : 2
}

function sentencesOf(text: string, block: number): (KeySentence & { text: string })[] {
  return [...text.matchAll(/[^.!?…。！？۔]+(?:[.!?…。！？۔]+(?=\s|$)|[.!?…。！？۔]+|$)/g)]
    .reduce<{ start: number; end: number }[]>((found, { 0: part, index }) => {
      // A point without a space behind it, as in 3.5, ends nothing.
      const last = found.at(-1)
      if (last && !/\s/.test(text[last.end] ?? ' ')) last.end = index + part.length
      else found.push({ start: index, end: index + part.length })
      return found
    }, [])
    .map(({ start, end }) => {
      const begin = start + (/^\s*/.exec(text.slice(start, end))?.[0].length ?? 0)
      return { block, start: begin, end, text: text.slice(begin, end) }
    })
    .filter(({ text: said }) => said)
}

function wordsIn(sentence: string, words: string[]): number {
  return words.filter((word) => matchedParts(sentence, [word]).some(({ isMatch }) => isMatch)).length
}

function textOf(runs: Inline[]): string {
  return runs.map(({ text }) => text).join('')
}
