/** What servers say, and how a test asks. */
import type { AnswerEvent, Asked, ChatError, Transport } from '../src'

export const SESSION = '9b2d9f4e-0c55-4e07-9c1a-6a3b0c0d9a11'
export const MOTION = { number: 2, title: 'Motion' }
export const SOURCE = {
  chapterId: 'joints/gears',
  chapterTitle: 'Gears',
  sectionTitle: 'Harmonic drives',
  relevanceScore: 0.8,
  excerpt: 'A gear.',
  position: 1,
  url: '/docs/gears#h',
  page: null,
}
export const CORE_END = {
  done: true,
  sources: [SOURCE],
  confidence: 0.9,
  sessionId: SESSION,
  answerId: 'a1',
  outcome: 'answered',
  lowConfidence: false,
  suggestions: [],
}
export const ASK_END = {
  content: '',
  done: true,
  citations: [
    {
      chapter: 'joints/gears',
      chapter_title: 'Gears',
      section_title: 'Harmonic drives',
      source_file: 'gears.mdx',
      excerpt: 'A gear.',
      url: '/docs/gears#h',
      page: 3,
    },
  ],
  confidence: 0.4,
  answer_id: 'a2',
  outcome: 'answered',
  low_confidence: true,
  calibrated: false,
  corrected: 'what is a harmonic drive',
}

export const partOf = (text: string, citation: number | null) => ({
  blocks: [{ kind: 'paragraph', text: [{ text, marks: [] }] }],
  citation,
})
export const HALF = partOf('A harmonic drive', null)
export const WHOLE = partOf('A harmonic drive is a gear.', 1)

export async function eventsOf(
  transport: Transport,
  asked: Asked,
  signal = new AbortController().signal,
): Promise<AnswerEvent[]> {
  const events: AnswerEvent[] = []
  for await (const event of transport.ask(asked, signal)) events.push(event)
  return events
}

export async function failureOf(promise: Promise<unknown>): Promise<ChatError> {
  return promise.then(
    () => Promise.reject(new Error('it did not fail')),
    (error: unknown) => error as ChatError,
  )
}
