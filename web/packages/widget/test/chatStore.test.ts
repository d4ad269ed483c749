import { ChatError, type Message } from '@citebook/client'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type ChatStore, createChatStore } from '../src/store/chatStore'
import { sentence } from './blocks'
import { ScriptedTransport } from './scriptedTransport'

let transport: ScriptedTransport
let store: ChatStore

function start(mode: 'ephemeral' | 'persistent' = 'ephemeral'): void {
  transport = new ScriptedTransport(mode)
  store = createChatStore(transport)
}

const state = () => store.getState()
const spoken = () => state().messages.map(({ role, content }) => [role, content])

beforeEach(() => start())
afterEach(() => {
  store.actions.destroy()
  vi.useRealTimers()
})

describe('an id', () => {
  it('is a UUID of version 4, also on pages without TLS', async () => {
    vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) })
    store.actions.ask('What is it?')
    await transport.say('A gear.')
    vi.unstubAllGlobals()
    const ids = state().messages.map(({ id }) => id)
    expect(new Set(ids).size).toBe(2)
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })
})

describe('an answer', () => {
  it('grows while it streams and is whole when it has ended', async () => {
    store.actions.ask('  What is it?  ')
    expect(state()).toMatchObject({ isLoading: true, error: null })
    await transport.say('A gear. [1]')
    const streaming = state().messages.at(-1)!
    expect(streaming).toMatchObject({ content: 'A gear. [1]', isStreaming: true })
    expect(state().streamingMessageId).toBe(streaming.id)
    await transport.say(' It bends.')
    await transport.finish({ confidence: 0.8, answerId: 'a1' })
    expect(state()).toMatchObject({ isLoading: false, streamingMessageId: null })
    expect(state().messages.at(-1)).toMatchObject({
      content: 'A gear. [1] It bends.',
      isStreaming: false,
      confidence: 0.8,
      answerId: 'a1',
    })
    expect(spoken()[0]).toEqual(['user', 'What is it?'])
  })

  it('grows by its parts, until the last word says what they are', async () => {
    store.actions.ask('What is it?')
    const [first, second, whole] = [sentence('A gear.', 1), sentence('It bends.', 2), sentence('A gear bends.', 1)]
    await transport.say('A gear. [1]', [first])
    await transport.say(' It bends. [2]', [second])
    expect(state().messages.at(-1)!.parts).toEqual([first, second])
    await transport.finish({ parts: [whole] })
    expect(state().messages.at(-1)!.parts).toEqual([whole])
  })

  it('has no parts where the server tells none', async () => {
    store.actions.ask('What is it?')
    await transport.say('A gear.')
    await transport.finish()
    expect(state().messages.at(-1)).not.toHaveProperty('parts')
  })

  it('streams alone: a second question waits for the first', async () => {
    store.actions.ask('First?')
    store.actions.ask('Second?')
    expect(transport.asked).toHaveLength(1)
    expect(state().messages.filter((message) => message.isStreaming)).toHaveLength(1)
  })

  it('stands after its question even when the clock is set back', async () => {
    vi.useFakeTimers({ now: 2_000_000, toFake: ['Date'] })
    store.actions.ask('First?')
    await transport.finish()
    vi.setSystemTime(1_000_000)
    store.actions.ask('Second?')
    const times = state().messages.map((message) => message.timestamp.getTime())
    expect(times).toEqual([...times].sort((one, other) => one - other))
  })

  it('is kept and marked when the reader stops it', async () => {
    store.actions.ask('First?')
    await transport.say('Half')
    store.actions.stop()
    await vi.waitFor(() => expect(state().isLoading).toBe(false))
    expect(state().messages.at(-1)).toMatchObject({ content: 'Half', incomplete: 'stopped' })
    expect(state().error).toBeNull()
    expect(transport.aborted).toEqual([true])
  })

  it('leaves nothing behind when it is stopped before its first word', async () => {
    store.actions.ask('First?')
    store.actions.stop()
    await vi.waitFor(() => expect(state().isLoading).toBe(false))
    expect(spoken()).toEqual([['user', 'First?']])
  })
})

describe('an interrupted answer', () => {
  const cut = new ChatError('interrupted', 'The connection was lost.', true)

  it('is replaced by the error where nothing is stored', async () => {
    store.actions.ask('First?')
    await transport.say('Half')
    await transport.fail(cut)
    expect(spoken()).toEqual([['user', 'First?']])
    expect(state()).toMatchObject({
      error: 'The connection was lost.',
      failure: { kind: 'interrupted' },
      isLoading: false,
      streamingMessageId: null,
    })
  })

  it('is kept and marked as incomplete in a stored conversation', async () => {
    start('persistent')
    store.actions.ask('First?')
    await transport.say('Half')
    await transport.fail(cut)
    expect(state().messages.at(-1)).toMatchObject({ content: 'Half', incomplete: 'interrupted', isStreaming: false })
  })

  it('is asked for again without losing the conversation', async () => {
    start('persistent')
    store.actions.ask('First?')
    await transport.say('One.')
    await transport.finish()
    store.actions.ask('Second?')
    await transport.say('Half')
    await transport.fail(cut)
    store.actions.retry()
    await transport.say('Two.')
    await transport.finish()
    expect(spoken()).toEqual([
      ['user', 'First?'],
      ['assistant', 'One.'],
      ['user', 'Second?'],
      ['assistant', 'Two.'],
    ])
    expect(transport.asked.map(({ question }) => question)).toEqual(['First?', 'Second?', 'Second?'])
    expect(state()).toMatchObject({ error: null, failure: null })
  })

  it('does not show the words of an unknown error', async () => {
    store.actions.ask('First?')
    await transport.fail(new Error('secret path /etc'))
    expect(state().error).not.toContain('secret')
  })
})

describe('the rate limit', () => {
  it('stops questions for the time the server tells, then lets them through by itself', async () => {
    vi.useFakeTimers()
    store.actions.ask('First?')
    await transport.fail(new ChatError('rate_limited', 'Too many.', true, 30))
    expect(state().waitUntil).toBe(Date.now() + 30_000)
    store.actions.ask('Second?')
    store.actions.retry()
    expect(transport.asked).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(30_000)
    expect(state().waitUntil).toBeNull()
    store.actions.retry()
    expect(transport.asked).toHaveLength(2)
  })

  it('cannot be escaped by a new chat, which goes on saying why it waits', async () => {
    vi.useFakeTimers()
    store.actions.ask('First?')
    await transport.fail(new ChatError('rate_limited', 'Too many.', true, 30))
    store.actions.newChat()
    expect(state()).toMatchObject({ messages: [], error: 'Too many.' })
    expect(state().waitUntil).not.toBeNull()
    await vi.advanceTimersByTimeAsync(30_000)
    expect(state()).toMatchObject({ waitUntil: null, error: null, failure: null })
  })
})

describe('closing', () => {
  it('wipes an ephemeral chat at once, also in the middle of an answer', async () => {
    store.actions.ask('First?')
    await transport.say('Half')
    store.actions.setDraft('typing')
    store.actions.setPassage({ text: 'a passage', strict: true })
    store.actions.close()
    expect(state()).toMatchObject({
      messages: [],
      draft: '',
      passage: null,
      isLoading: false,
      streamingMessageId: null,
    })
    expect(transport.aborted).toEqual([true])
    await transport.say('late words')
    expect(state().messages).toEqual([])
  })

  it('keeps a persistent chat, and ends the answer that was coming', async () => {
    start('persistent')
    store.actions.ask('First?')
    await transport.say('Half')
    store.actions.close()
    await vi.waitFor(() => expect(state().isLoading).toBe(false))
    expect(state().messages.at(-1)).toMatchObject({ content: 'Half', incomplete: 'stopped' })
  })
})

describe('a conversation', () => {
  const kept = (id: string, role: 'user' | 'assistant', content: string, second: number): Message => ({
    id,
    role,
    content,
    timestamp: new Date(second * 1000),
  })

  it('is shown as the server keeps it, in time order', async () => {
    start('persistent')
    transport.kept = [kept('2', 'assistant', 'Yes.', 2), kept('1', 'user', 'First?', 1)]
    await store.actions.load()
    expect(spoken()).toEqual([
      ['user', 'First?'],
      ['assistant', 'Yes.'],
    ])
  })

  it('follows another tab, and keeps what only this tab knows', async () => {
    start('persistent')
    store.actions.setPassage({ text: 'a passage', strict: true })
    store.actions.ask('About this?')
    await transport.say('From the passage.')
    await transport.finish()
    transport.kept = [kept('1', 'user', 'First?', 1), kept('2', 'assistant', 'Yes.', 2)]
    await transport.changeElsewhere()
    expect(spoken()).toEqual([
      ['user', 'First?'],
      ['assistant', 'Yes.'],
      ['user', 'About this?'],
      ['assistant', 'From the passage.'],
    ])
  })

  it('is not changed by another tab in the middle of an answer, but after it', async () => {
    start('persistent')
    store.actions.ask('Mine?')
    transport.kept = [kept('1', 'user', 'Theirs?', 1)]
    await transport.changeElsewhere()
    expect(spoken()[0]).toEqual(['user', 'Mine?'])
    await transport.finish()
    await vi.waitFor(() => expect(spoken()[0]).toEqual(['user', 'Theirs?']))
  })

  it('is deleted by the server before it leaves the screen', async () => {
    start('persistent')
    store.actions.ask('First?')
    await transport.finish()
    transport.forget = () => Promise.reject(new ChatError('network', 'Not reached.', true))
    await store.actions.clearHistory()
    expect(state().messages).toHaveLength(2)
    expect(state().error).toBe('Not reached.')
  })

  it('begins anew with "New chat"', async () => {
    start('persistent')
    store.actions.ask('First?')
    store.actions.newChat()
    expect(state().messages).toEqual([])
    expect([transport.startedAnew, transport.aborted]).toEqual([1, [true]])
  })
})

describe('a question', () => {
  it('takes the passage with it, and lets it go; filters hold for what comes next', async () => {
    store.actions.setPassage({ text: 'a passage', strict: false })
    store.actions.setFilters({ difficulty: 'beginner' })
    store.actions.ask('What?')
    await transport.finish()
    store.actions.ask('Why?')
    expect(transport.asked).toEqual([
      { question: 'What?', passage: { text: 'a passage', strict: false } },
      { question: 'Why?', filters: { difficulty: 'beginner' } },
    ])
    expect(state()).toMatchObject({ passage: null, filters: { difficulty: 'beginner' } })
  })

  it('is asked of the whole book again when an ephemeral chat was closed', () => {
    store.actions.setFilters({ tags: ['imu'] })
    store.actions.close()
    expect(state().filters).toEqual({})
  })

  it('that a passage does not answer is asked of the whole book', async () => {
    store.actions.setFilters({ tags: ['imu'] })
    store.actions.setPassage({ text: 'a passage', strict: true })
    store.actions.ask('What?')
    await transport.finish({ outcome: 'refused' })
    store.actions.askWholeBook()
    expect(transport.asked[1]).toEqual({ question: 'What?' })
  })
})

describe('a follow-up', () => {
  async function exchange(question: string, answer: string): Promise<void> {
    store.actions.ask(question)
    await transport.say(answer)
    await transport.finish()
  }
  const told = () => transport.asked.at(-1)?.history

  it('takes the last five exchanges with it where nobody keeps them', async () => {
    for (const number of [1, 2, 3, 4, 5, 6]) await exchange(`Question ${number}?`, `Answer ${number}.`)
    store.actions.ask('Why?')
    expect(told()?.map(({ question }) => question)).toEqual([2, 3, 4, 5, 6].map((number) => `Question ${number}?`))
    expect(told()?.at(-1)).toEqual({ question: 'Question 6?', answer: 'Answer 6.' })
    expect(transport.asked[0]).not.toHaveProperty('history')
  })

  it('tells nothing where the server keeps the conversation', async () => {
    start('persistent')
    await exchange('First?', 'One.')
    store.actions.ask('Why?')
    expect(transport.asked[1]).toEqual({ question: 'Why?' })
  })

  it('leaves out answers that are not whole, and questions about a passage', async () => {
    await exchange('First?', 'One.')
    store.actions.setPassage({ text: 'a passage', strict: false })
    await exchange('Second?', 'Two.')
    store.actions.ask('Third?')
    await transport.say('Half')
    store.actions.stop()
    await vi.waitFor(() => expect(state().isLoading).toBe(false))
    store.actions.ask('Fourth?')
    expect(told()).toEqual([{ question: 'First?', answer: 'One.' }])
    store.actions.stop()
    await vi.waitFor(() => expect(state().isLoading).toBe(false))
    store.actions.retry()
    expect(told()).toEqual([{ question: 'First?', answer: 'One.' }])
  })

  it('tells nothing of a chat that was closed or begun anew', async () => {
    await exchange('First?', 'One.')
    store.actions.newChat()
    await exchange('Second?', 'Two.')
    store.actions.close()
    store.actions.ask('Third?')
    expect(transport.asked[2]).toEqual({ question: 'Third?' })
  })

  it('tells no more of an answer than the server takes', async () => {
    await exchange('First?', `${'x'.repeat(9_999)}😀`)
    store.actions.ask('Why?')
    expect(told()?.[0]?.answer).toBe('x'.repeat(9_999))
  })
})

describe('a rating', () => {
  it('is stored with the id of the answer', async () => {
    store.actions.ask('What?')
    await transport.finish({ answerId: 'a1' })
    await store.actions.rate(state().messages[1]!.id, 'down', { note: 'Too short' })
    expect(transport.rated).toEqual([['a1', 'down', { note: 'Too short' }]])
    expect(state().messages[1]?.rating).toBe('down')
  })

  it('is taken back where it could not be sent', async () => {
    store.actions.ask('What?')
    await transport.finish({ answerId: 'a1' })
    transport.failNextRating = true
    await expect(store.actions.rate(state().messages[1]!.id, 'up')).rejects.toThrow()
    expect(state().messages[1]?.rating).toBeUndefined()
  })
})
