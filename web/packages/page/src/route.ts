/** Where the reader is: `#/read/<chapter>?section=…&quote=…`, so that Back works and a place can be shared. */
import { useSyncExternalStore } from 'react'

export interface Place {
  chapter: string
  section?: string
  /** Words of the chapter to scroll to and mark; of a long passage, how it begins. */
  quote?: string
  /** How a long passage ends. */
  quoteEnd?: string
}

export interface Visit {
  /** Null where no chapter was chosen. */
  place: Place | null
  /** Counts up with every visit: the same place may be asked for twice. */
  count: number
  /** Whether the reader came by Back or Forward, and wants to be where they were. */
  isReturn: boolean
  hash: string
}

const READ = '#/read/'
const MOST_QUOTE_CHARACTERS = 300
const OF_EACH_END = 120

/** A passage as an address can name it: whole, or by its two ends. */
export function quotedAt(text: string): Pick<Place, 'quote' | 'quoteEnd'> {
  if (text.length <= MOST_QUOTE_CHARACTERS) return { quote: text }
  // Whole words only, which leaves no half of a pair of surrogates either.
  const [begin, end] = [text.slice(0, OF_EACH_END), text.slice(-OF_EACH_END)]
  return { quote: begin.replace(/\s+\S*$/, ''), quoteEnd: end.replace(/^\S*\s+/, '') }
}

export function hashOf({ chapter, section, quote, quoteEnd }: Place): string {
  const asked = new URLSearchParams()
  if (section) asked.set('section', section)
  if (quote) asked.set('quote', quote.slice(0, MOST_QUOTE_CHARACTERS))
  if (quote && quoteEnd) asked.set('to', quoteEnd.slice(-OF_EACH_END))
  const path = READ + chapter.split('/').map(encodeURIComponent).join('/')
  return asked.size > 0 ? `${path}?${asked}` : path
}

export function placeOf(hash: string): Place | null {
  if (!hash.startsWith(READ)) return null
  const [path = '', query = ''] = hash.slice(READ.length).split('?', 2)
  const asked = new URLSearchParams(query)
  const [section, quote, quoteEnd] = [asked.get('section'), asked.get('quote'), asked.get('to')]
  try {
    const chapter = path.split('/').map(decodeURIComponent).join('/')
    if (chapter === '') return null
    return {
      chapter,
      ...(section ? { section } : {}),
      ...(quote ? { quote } : {}),
      ...(quoteEnd ? { quoteEnd } : {}),
    }
  } catch {
    return null
  }
}

let visit: Visit = { place: placeOf(location.hash), count: 0, isReturn: false, hash: location.hash }
let isOwnMove = false
const listeners = new Set<() => void>()

/** Goes to a place; going to where one already is shows it once more. */
export function goTo(place: Place | null): void {
  const hash = place === null ? '#/' : hashOf(place)
  if (hash === location.hash) return arrive(false)
  isOwnMove = true
  location.hash = hash
}

export function useVisit(): Visit {
  return useSyncExternalStore(subscribe, () => visit)
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) {
    addEventListener('popstate', onMove)
    if (visit.hash !== location.hash) arrive(false)
  }
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) removeEventListener('popstate', onMove)
  }
}

function onMove(): void {
  arrive(!isOwnMove)
  isOwnMove = false
}

function arrive(isReturn: boolean): void {
  visit = { place: placeOf(location.hash), count: visit.count + 1, isReturn, hash: location.hash }
  for (const listener of listeners) listener()
}
