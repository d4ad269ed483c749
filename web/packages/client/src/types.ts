/** What a chat is made of. Message, Citation and StreamEvent carry the fields of the book's data model, and what the server adds. */

/** One place in the book that proves a sentence of an answer. */
export interface Citation {
  chapter: string
  chapterTitle: string
  sourceFile: string
  excerpt: string
  sectionTitle?: string
  page?: number
  /** Built by the server from the book; missing where the contract does not tell it. */
  url?: string
}

/** A part of the book that the reader may have meant. */
export interface Suggestion {
  title: string
  url: string
}

export type Outcome = 'answered' | 'refused'
export type Rating = 'up' | 'down'

/** Text that the reader selected on the page. Strict: the only source. Loose: it only steers the search. */
export interface Passage {
  text: string
  strict: boolean
}

/** Why an answer is not whole. */
export type Incomplete = 'interrupted' | 'stopped'

export interface Message {
  id: string
  role: 'user' | 'assistant'
  content: string
  timestamp: Date
  citations?: Citation[]
  confidence?: number
  isStreaming?: boolean
  /** The server's id of the answer: feedback is stored with it. */
  answerId?: string
  outcome?: Outcome
  suggestions?: Suggestion[]
  lowConfidence?: boolean
  /** False where the confidence was not measured for this book and model. */
  calibrated?: boolean
  filterMessage?: string
  incomplete?: Incomplete
  /** What the question was about; on the answer too. */
  passage?: Passage
  rating?: Rating
}

/** A question as the reader asks it. */
export interface Asked {
  question: string
  passage?: Passage
  /** Only this module of the book, 1 to 10. */
  module?: number
}

/** What is known when an answer has ended. */
export interface FinishedAnswer {
  citations: Citation[]
  confidence?: number
  answerId?: string
  outcome?: Outcome
  suggestions?: Suggestion[]
  lowConfidence?: boolean
  calibrated?: boolean
  filterMessage?: string
}

/** A stream of these is an answer: pieces of text, then one `done`. A failure is thrown as a `ChatError`. */
export type AnswerEvent = { type: 'text'; text: string } | { type: 'done'; answer: FinishedAnswer }

/** A frame of `POST /api/ask/stream`. */
export interface StreamEvent {
  content: string
  done: boolean
  citations?: Citation[]
  confidence?: number
  error?: string
}
