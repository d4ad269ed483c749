/** Where a chat of this tab lies between two pages: sessionStorage, which no other tab and no server sees. */
import { partsOf, placeOf } from './blocks'
import { fieldsOf, flag, list, share, text, time, wholeNumber, withoutMissing } from './checking'
import type { Citation, Incomplete, Message, Passage, Rating, Scope } from './types'
import { suggestionsOf, supportOf, tokensOf } from './wire'

interface Kept {
  messages: Message[]
  draft: string
}

/** More would be slow to write with every sentence, and nobody scrolls back so far. */
const MOST_MESSAGES = 60

export class KeptChats {
  private readonly key: string

  constructor(
    server: string,
    private readonly storage: () => Storage | undefined,
  ) {
    this.key = `citebook:tab:${server}`
  }

  messages(): Message[] {
    return this.read().messages
  }

  draft(): string {
    return this.read().draft
  }

  keep(messages: Message[], draft: string): void {
    if (!messages.length && !draft) return this.remove()
    const last = messages.slice(-MOST_MESSAGES)
    // A full storage takes at least the newest exchange; a forbidden one takes nothing, and the chat goes on.
    if (!this.write({ messages: last, draft })) this.write({ messages: last.slice(-2), draft })
  }

  remove(): void {
    try {
      this.storage()?.removeItem(this.key)
    } catch {
      // Storage is switched off: there is nothing to remove.
    }
  }

  private write(kept: Kept): boolean {
    try {
      this.storage()?.setItem(this.key, JSON.stringify(kept))
      return true
    } catch {
      return false
    }
  }

  private read(): Kept {
    try {
      const { messages, draft } = fieldsOf<Kept>(JSON.parse(this.storage()?.getItem(this.key) ?? 'null'))
      return { messages: list(messages).flatMap((each) => messageOf(each) ?? []), draft: text(draft) ?? '' }
    } catch {
      return { messages: [], draft: '' }
    }
  }
}

/** An answer that was under way when the page was left is not whole; one that had not begun is none. */
function messageOf(value: unknown): Message | undefined {
  const fields = fieldsOf<Message>(value)
  const [id, role, content] = [text(fields.id), fields.role, text(fields.content)]
  const timestamp = time(fields.timestamp)
  if (!id || !timestamp || content === undefined || (role !== 'user' && role !== 'assistant')) return undefined
  if (role === 'assistant' && !content) return undefined
  return withoutMissing({
    id,
    role,
    content,
    timestamp,
    citations: role === 'user' ? undefined : list(fields.citations).map(citationOf),
    confidence: share(fields.confidence),
    support: supportOf(fields.support),
    supportText: text(fields.supportText),
    answerId: text(fields.answerId),
    outcome: fields.outcome === 'answered' || fields.outcome === 'refused' ? fields.outcome : undefined,
    edition: text(fields.edition),
    sharedEdition: text(fields.sharedEdition),
    suggestions: suggestionsOf(fields.suggestions),
    lowConfidence: flag(fields.lowConfidence),
    calibrated: flag(fields.calibrated),
    corrected: text(fields.corrected),
    filterMessage: text(fields.filterMessage),
    tokensUsed: tokensOf(fields.tokensUsed),
    parts: partsOf(fields.parts),
    incomplete: fields.isStreaming === true ? 'interrupted' : incompleteOf(fields.incomplete),
    passage: passageOf(fields.passage),
    scope: scopeOf(fields.scope),
    rating: ratingOf(fields.rating),
  }) as Message
}

function citationOf(value: unknown): Citation {
  const fields = fieldsOf<Citation>(value)
  return withoutMissing({
    chapter: text(fields.chapter) ?? '',
    chapterTitle: text(fields.chapterTitle) ?? '',
    sourceFile: text(fields.sourceFile) ?? '',
    excerpt: text(fields.excerpt) ?? '',
    place: placeOf(fields.place),
    sectionTitle: text(fields.sectionTitle),
    page: wholeNumber(fields.page),
    url: text(fields.url),
  }) as Citation
}

function passageOf(value: unknown): Passage | undefined {
  const fields = fieldsOf<Passage>(value)
  const said = text(fields.text)
  return said ? { text: said, strict: fields.strict === true } : undefined
}

function scopeOf(value: unknown): Scope | undefined {
  const fields = fieldsOf<Scope>(value)
  const chapterId = text(fields.chapterId)
  return chapterId ? { chapterId, title: text(fields.title) ?? chapterId } : undefined
}

function incompleteOf(value: unknown): Incomplete | undefined {
  return value === 'interrupted' || value === 'stopped' ? value : undefined
}

export function ratingOf(value: unknown): Rating | undefined {
  return value === 'up' || value === 'down' ? value : undefined
}
