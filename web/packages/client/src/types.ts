/** What a chat is made of: the same whichever contract the server was asked by. */
import type { AnswerPart, CitedPlace } from './blocks'
import type { Filters } from './filters'
import type { Schemas, TokenUsage } from './wireTypes'

/** One place in the book that proves a sentence of an answer. */
export interface Citation {
  chapter: string
  chapterTitle: string
  sourceFile: string
  /** How it begins: as much of it as the contract shows. */
  excerpt: string
  /** All of it, and where it stands. */
  place?: CitedPlace
  sectionTitle?: string
  page?: number
  /** Built by the server from the book; missing where the contract does not tell it. */
  url?: string
}

/** All the words that are cited, as far as they are known. */
export function quoteOf({ place, excerpt }: Citation): string {
  return place?.text ?? excerpt
}

/** A part of the book that the reader may have meant. */
export type Suggestion = Schemas['Suggestion']
export type Outcome = Schemas['AskAnswer']['outcome']
/** Whether an answer answers, as the server judges it: likely, perhaps not, hardly; or it is talk and no answer. */
export type Support = Schemas['Support']
export type Rating = Schemas['FeedbackRequest']['rating']

/** What a reader says of an answer beside the thumb. */
export interface Remark {
  note?: string
  reason?: Reason
}
export type Reason = NonNullable<Schemas['FeedbackRequest']['reason']>

/** Text that the reader selected on the page. Strict: the only source. Loose: it only steers the search. */
export interface Passage {
  text: string
  strict: boolean
}

/** The one page that questions are answered from. */
export interface Scope {
  chapterId: string
  title: string
}

/** Why an answer is not whole. */
export type Incomplete = 'interrupted' | 'stopped'

/** A question of a chat and the answer to it. */
export type Exchange = Schemas['SaidBefore']

/** A question as the reader asks it. */
export interface Asked {
  question: string
  passage?: Passage
  /** Only this part of the book. Questions about a passage have none. */
  filters?: Filters
  /** Only this page, whatever the filters say. */
  scope?: Scope
  /** What was said before, oldest first, where nobody keeps it. */
  history?: Exchange[]
}

/** What kind of thing went wrong. */
export type ErrorType = 'network' | 'database' | 'llm' | 'validation' | 'agent' | 'unknown'

/** What a reader may be told of an error. */
export interface ErrorContext {
  error_type: ErrorType
  user_safe_message: string
  retry_able: boolean
}

/** A question that can be answered while the book cannot be searched. */
export interface FrequentQuestion {
  question: string
  answer: string
  /** Where the book says so. */
  url?: string
}

/** What is known when an answer has ended. */
export interface FinishedAnswer {
  citations: Citation[]
  /** The same as `chapter#section`, each once; missing where the answer is none. */
  sources?: string[]
  confidence?: number
  support?: Support
  /** The same in the server's words. */
  supportText?: string
  /** The server's id of the answer: feedback is stored with it. */
  answerId?: string
  outcome?: Outcome
  /** The edition of the book that it was answered from. */
  edition?: string
  suggestions?: Suggestion[]
  lowConfidence?: boolean
  /** False where the confidence was not measured for this book and model. */
  calibrated?: boolean
  /** The question as it was searched for, where words of it were mistyped. */
  corrected?: string
  filterMessage?: string
  /** What a language model read and wrote for it; missing where none was used. */
  tokensUsed?: TokenUsage
  /** The answer as blocks, with their sources; missing where it was kept before there were any. */
  parts?: AnswerPart[]
}

export interface Message extends Partial<FinishedAnswer> {
  id: string
  role: 'user' | 'assistant'
  /** The text; of an answer as Markdown. */
  content: string
  timestamp: Date
  isStreaming?: boolean
  incomplete?: Incomplete
  /** What the question was about; on the answer too. */
  passage?: Passage
  /** The page that the question was about; on the answer too. */
  scope?: Scope
  /** Of an answer to a question that came with a link: the edition that the link was made with. */
  sharedEdition?: string
  rating?: Rating
}

/** A stored conversation that can be opened again. */
export interface Conversation {
  id: string
  /** The question it began with. */
  title: string
  lastActivityAt?: Date
  /** Whether it is the one that goes on. */
  isCurrent: boolean
}

export interface ConversationList {
  /** Newest first. */
  entries: Conversation[]
  /** Where the next ones are asked for; missing where these are all. */
  next?: string
}

/** What an answer grows by. */
export interface AnswerPiece {
  text: string
  parts?: AnswerPart[]
}

/** A stream of these is an answer: pieces of it, then one `done`. A failure is thrown as a `ChatError`. */
export type AnswerEvent = ({ type: 'text' } & AnswerPiece) | { type: 'done'; answer: FinishedAnswer }
