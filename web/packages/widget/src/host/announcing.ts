/** Tells the page what happens in the chat, as events that the site may listen to. */
import type { Message, Rating, Reason, Suggestion, Support } from '@citebook/client'
import type { ChatState, ChatStore } from '../store/chatState'

/** What each event tells; its name on the page is `citebook:…`. */
export interface ChatEvents {
  asked: { question: string; chapterId?: string; hasPassage: boolean }
  answered: {
    question: string
    answerId?: string
    confidence?: number
    support?: Support
    edition?: string
    sources: { title: string; url?: string }[]
  }
  refused: { question: string; answerId?: string; suggestions: Suggestion[] }
  cited: { title: string; url?: string }
  rated: { answerId: string; rating: Rating; reason?: Reason; note?: string }
}

declare global {
  interface DocumentEventMap {
    'citebook:asked': CustomEvent<ChatEvents['asked']>
    'citebook:answered': CustomEvent<ChatEvents['answered']>
    'citebook:refused': CustomEvent<ChatEvents['refused']>
    'citebook:cited': CustomEvent<ChatEvents['cited']>
    'citebook:rated': CustomEvent<ChatEvents['rated']>
  }
}

export type Announce = <Name extends keyof ChatEvents>(name: Name, detail: ChatEvents[Name]) => void

export function announcer(target: EventTarget): Announce {
  return (name, detail) =>
    void target.dispatchEvent(new CustomEvent(`citebook:${name}`, { detail, bubbles: true, composed: true }))
}

/** Questions and whole answers; what is loaded from where it was kept is no news. Returns how to stop. */
export function announceAnswers(store: ChatStore, announce: Announce): () => void {
  return store.subscribe((now, before) => {
    if (now.isLoading && !before.isLoading) announceQuestion(now, announce)
    else if (!now.isLoading && before.isLoading) announceAnswer(now, announce)
  })
}

function announceQuestion({ messages }: ChatState, announce: Announce): void {
  const asked = messages.findLast(({ role }) => role === 'user')
  if (!asked) return
  const { content: question, scope, passage } = asked
  announce('asked', {
    question,
    hasPassage: passage !== undefined,
    ...(scope ? { chapterId: scope.chapterId } : {}),
  })
}

function announceAnswer({ messages }: ChatState, announce: Announce): void {
  const [question, answer] = messages.slice(-2)
  if (!question || answer?.role !== 'assistant' || answer.incomplete) return
  if (answer.outcome === 'refused') announce('refused', refusalOf(question.content, answer))
  else announce('answered', answerOf(question.content, answer))
}

function refusalOf(question: string, { answerId, suggestions = [] }: Message): ChatEvents['refused'] {
  return { question, suggestions, ...(answerId ? { answerId } : {}) }
}

function answerOf(question: string, answer: Message): ChatEvents['answered'] {
  const { answerId, confidence, support, edition, citations = [] } = answer
  return {
    question,
    sources: citations.map(({ chapterTitle, sectionTitle, url }) => ({
      title: sectionTitle ?? chapterTitle,
      ...(url ? { url } : {}),
    })),
    ...(answerId ? { answerId } : {}),
    ...(confidence === undefined ? {} : { confidence }),
    ...(support ? { support } : {}),
    ...(edition ? { edition } : {}),
  }
}
