/** The words of the chat in the reader's language: English is at hand, any other is loaded when it is needed. */
import { createContext, useContext } from 'react'
import { english, type WordsOfChat } from './english'

export type { WordsOfChat }
export { english }

const OTHERS: Record<string, () => Promise<{ words: WordsOfChat }>> = {
  de: () => import('./german'),
  es: () => import('./spanish'),
  fr: () => import('./french'),
  ur: () => import('./urdu'),
}

/** English where a language is not there, or cannot be loaded. */
export async function wordsIn(language: string): Promise<WordsOfChat> {
  try {
    return (await OTHERS[language]?.())?.words ?? english
  } catch {
    return english
  }
}

/** `Source {number}` with its number. */
export function filled(template: string, values: Record<string, string | number>): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole))
}

/** A name of any script inside a sentence of any other. */
export function isolated(name: string): string {
  return `\u2068${name}\u2069`
}

export const WordsContext = createContext<WordsOfChat>(english)

export function useWords(): WordsOfChat {
  return useContext(WordsContext)
}
