/** Parts of an answer that are read as one: sentences with a source each are one paragraph. */
import type { AnswerPart, BlockOf } from '@citebook/client'

/** A part that is one paragraph and nothing else. */
export type Sentence = AnswerPart & { blocks: [BlockOf<'paragraph'>] }

export function isSentence(part: AnswerPart): part is Sentence {
  return part.blocks.length === 1 && part.blocks[0]!.kind === 'paragraph'
}

/** Sentences that follow one another, or any other part alone; in the order of the answer. */
export function paragraphsOf(parts: AnswerPart[]): (Sentence[] | AnswerPart)[] {
  const paragraphs: (Sentence[] | AnswerPart)[] = []
  for (const part of parts) {
    const last = paragraphs.at(-1)
    if (!isSentence(part)) paragraphs.push(part)
    else if (Array.isArray(last)) last.push(part)
    else paragraphs.push([part])
  }
  return paragraphs
}
