import { beforeEach, describe, expect, it } from 'vitest'
import { type Message, TabTransport } from '../src'

const OPTIONS = { server: 'https://book.example/' }
const QUESTION: Message = { id: 'q', role: 'user', content: 'What is a gear?', timestamp: new Date(1000) }
const ANSWER: Message = {
  id: 'a',
  role: 'assistant',
  content: 'A wheel. [1]',
  timestamp: new Date(2000),
  parts: [{ blocks: [{ kind: 'paragraph', text: [{ text: 'A wheel.', marks: [] }] }], citation: 1 }],
  citations: [
    {
      chapter: 'gears',
      chapterTitle: 'Gears',
      sourceFile: 'gears.mdx',
      excerpt: 'A wheel',
      url: '/docs/gears',
      place: { start: 0, end: 8, text: 'A wheel.', blocks: [], before: [], after: [] },
    },
  ],
  confidence: 0.8,
  support: 'likely',
  supportText: 'Likely answers your question',
  calibrated: true,
  answerId: 'id',
  outcome: 'answered',
  rating: 'down',
}

beforeEach(() => sessionStorage.clear())

describe('a chat of the tab', () => {
  it('is there on the next page, with its sources, its meaning and the thumbs', async () => {
    new TabTransport(OPTIONS).remember([QUESTION, ANSWER], 'and a cog')
    const next = new TabTransport(OPTIONS)
    expect(await next.history()).toEqual([QUESTION, ANSWER])
    expect(next.draft()).toBe('and a cog')
    expect(localStorage.length).toBe(0)
  })

  it('is gone when it is ended', async () => {
    const transport = new TabTransport(OPTIONS)
    transport.remember([QUESTION, ANSWER], '')
    await transport.forget()
    expect(sessionStorage.length).toBe(0)
    transport.remember([QUESTION], '')
    transport.remember([], '')
    expect(sessionStorage.length).toBe(0)
  })

  it('marks an answer that the page was left in the middle of, and forgets one that had not begun', async () => {
    const transport = new TabTransport(OPTIONS)
    transport.remember([QUESTION, { ...ANSWER, isStreaming: true }, { ...ANSWER, id: 'b', content: '' }], '')
    const messages = await transport.history()
    expect(messages.map(({ id }) => id)).toEqual(['q', 'a'])
    expect(messages[1]).toMatchObject({ incomplete: 'interrupted' })
    expect(messages[1]).not.toHaveProperty('isStreaming')
  })

  it('believes nothing that lies there before it was looked at', async () => {
    for (const lying of ['{', '[]', '{"messages": 1}', '{"messages": [{"id": 1}, {"role": "user"}, null]}']) {
      sessionStorage.setItem('citebook:tab:https://book.example', lying)
      expect(await new TabTransport(OPTIONS).history()).toEqual([])
    }
  })

  it('keeps the newest exchange where the browser has little room', async () => {
    const kept = new Map<string, string>()
    const storage = {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem(key: string, value: string) {
        if (value.length > 2000) throw new DOMException('full', 'QuotaExceededError')
        kept.set(key, value)
      },
      removeItem: (key: string) => kept.delete(key),
    } as unknown as Storage
    const transport = new TabTransport({ ...OPTIONS, storage: () => storage })
    transport.remember([{ ...QUESTION, content: 'x'.repeat(3000) }, ANSWER, QUESTION, ANSWER], '')
    expect((await transport.history()).map(({ id }) => id)).toEqual(['q', 'a'])
  })
})
