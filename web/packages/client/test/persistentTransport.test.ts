import { beforeEach, describe, expect, it, vi } from 'vitest'
import { type GetToken, PersistentTransport } from '../src'
import { CORE_END, eventsOf, MOTION, SESSION, SOURCE, WHOLE } from './asking'
import { FakeServer, json, stream } from './fakeServer'

const TOKENS = { input: 1200, output: 34, total: 1234 }
let server: FakeServer
const persistent = (): PersistentTransport =>
  new PersistentTransport({ server: 'http://server', fetch: server.fetch })

beforeEach(() => {
  server = new FakeServer()
  localStorage.clear()
})

describe('a persistent chat', () => {
  it('keeps the session and sends its token with the next question', async () => {
    server
      .next(stream([{ chunk: 'Yes.' }, CORE_END], { 'X-Session-Token': 'token-1' }))
      .next(stream([{ chunk: 'No.' }, CORE_END]))
    const transport = persistent()
    await eventsOf(transport, { question: 'First?', filters: { module: MOTION } })
    expect(server.last).toMatchObject({ path: '/api/v1/query', body: { query: 'First?', filters: { module: 2 } } })
    expect(server.last.headers.get('Accept')).toBe('text/event-stream')
    await eventsOf(transport, { question: 'Second?' })
    expect(server.last.body).toEqual({ query: 'Second?', sessionId: SESSION })
    expect(server.last.headers.get('X-Session-Token')).toBe('token-1')
  })

  it('shows its conversation to a second tab', async () => {
    server.next(stream([{ chunk: 'Yes.' }, CORE_END], { 'X-Session-Token': 'token-1' }))
    await eventsOf(persistent(), { question: 'First?' })
    const message = { sessionId: SESSION, createdAt: '2026-01-05T09:30:00Z' }
    server.next(
      json({
        session: {},
        messages: [
          { ...message, id: 'm1', role: 'user', content: 'First?' },
          {
            ...message,
            id: 'm2',
            role: 'assistant',
            content: 'Yes. [1]',
            sources: [SOURCE],
            parts: [WHOLE],
            tokensUsed: TOKENS,
          },
          { ...message, id: 'm3', role: 'assistant', content: 'No. [1]', sources: [SOURCE], parts: null },
        ],
      }),
    )
    const messages = await persistent().history()
    expect(server.last.path).toBe(`/api/v1/chat/sessions/${SESSION}?limit=50`)
    expect(messages.map(({ role, content }) => [role, content])).toEqual([
      ['user', 'First?'],
      ['assistant', 'Yes. [1]'],
      ['assistant', 'No. [1]'],
    ])
    expect(messages.map(({ tokensUsed }) => tokensUsed)).toEqual([undefined, TOKENS, undefined])
    expect(messages.map(({ parts }) => parts)).toEqual([undefined, [WHOLE], undefined])
    expect(messages[1]?.citations?.[0]).toMatchObject({ sectionTitle: 'Harmonic drives', url: '/docs/gears#h' })
  })

  it('hears when another tab changes the conversation', () => {
    const heard = vi.fn()
    const stop = persistent().onChangeElsewhere(heard)
    window.dispatchEvent(new StorageEvent('storage', { key: 'citebook:sessions:http://server' }))
    window.dispatchEvent(new StorageEvent('storage', { key: 'something else' }))
    stop()
    window.dispatchEvent(new StorageEvent('storage', { key: 'citebook:sessions:http://server' }))
    expect(heard).toHaveBeenCalledOnce()
  })

  it('begins a new session where the old one has expired', async () => {
    server.next(stream([CORE_END], { 'X-Session-Token': 'old' }))
    const transport = persistent()
    await eventsOf(transport, { question: 'First?' })
    server.next(json({ error: { code: 'SESSION_NOT_FOUND', message: 'There is no such session.' } }, 404))
    server.next(stream([{ ...CORE_END, sessionId: 'another' }], { 'X-Session-Token': 'new' }))
    await eventsOf(transport, { question: 'Second?' })
    expect(server.last.body).toEqual({ query: 'Second?' })
    expect(server.last.headers.get('X-Session-Token')).toBeNull()
  })

  it('deletes on the server all conversations of this browser, those before "New chat" too', async () => {
    server
      .next(stream([CORE_END], { 'X-Session-Token': 't1' }))
      .next(stream([{ ...CORE_END, sessionId: 's2' }], { 'X-Session-Token': 't2' }))
    const transport = persistent()
    await eventsOf(transport, { question: 'First?' })
    transport.startAnew()
    await eventsOf(transport, { question: 'Second?' })
    server
      .next(new Response(null, { status: 204 }))
      .next(json({ error: { message: 'There is no such session.' } }, 404))
    await transport.forget()
    const deleted = server.requests
      .slice(-2)
      .map(({ method, path, headers }) => [method, path, headers.get('X-Session-Token')])
    expect(deleted).toEqual([
      ['DELETE', `/api/v1/chat/sessions/${SESSION}`, 't1'],
      ['DELETE', '/api/v1/chat/sessions/s2', 't2'],
    ])
    expect(localStorage.length).toBe(0)
  })

  it('says with each request who the reader is, where the site knows', async () => {
    const tokens = ['first', ' second ', 'third']
    const getToken = vi.fn(async () => tokens.shift())
    const transport = new PersistentTransport({ server: 'http://server', fetch: server.fetch, getToken })
    server
      .next(stream([CORE_END], { 'X-Session-Token': 'of-session' }))
      .next(json({ messages: [] }))
      .next(json({ error: { message: 'There is no such session.' } }, 404))
      .next(stream([CORE_END]))
    await eventsOf(transport, { question: 'First?' })
    await transport.history()
    await eventsOf(transport, { question: 'Second?' })
    const shown = server.requests.map(({ headers }) => headers.get('Authorization'))
    expect(shown).toEqual(['Bearer first', 'Bearer second', 'Bearer third', 'Bearer third'])
    expect(server.requests.map(({ headers }) => headers.get('X-Session-Token'))).toEqual([null, null, null, null])
    expect(server.requests[1]?.path).toContain(SESSION)
  })

  it('leaves nothing in the browser that opens the conversation of a reader who was signed in', async () => {
    const reader = new PersistentTransport({ server: 'http://server', fetch: server.fetch, getToken: () => 'jwt' })
    server.next(stream([CORE_END], { 'X-Session-Token': 'of-session' }))
    await eventsOf(reader, { question: 'First?' })
    expect(JSON.stringify({ ...localStorage })).not.toMatch(/of-session|jwt/)
    server.next(json({ error: { message: 'There is no such session.' } }, 404))
    expect(await persistent().history()).toEqual([])
    expect(server.last.headers.get('Authorization')).toBeNull()
  })

  it('goes on, when its reader signs in, with what was begun before', async () => {
    server.next(stream([CORE_END], { 'X-Session-Token': 'of-session' }))
    await eventsOf(persistent(), { question: 'First?' })
    const reader = new PersistentTransport({ server: 'http://server', fetch: server.fetch, getToken: () => 'jwt' })
    server.next(stream([CORE_END])).next(json({ messages: [] }))
    await eventsOf(reader, { question: 'Second?' })
    await reader.history()
    expect(server.last.headers.get('X-Session-Token')).toBe('of-session')
  })

  const noTokens: [string, GetToken][] = [
    ['nothing', () => undefined],
    ['an empty one', () => ' '],
    ['one that no header can hold', () => 'a\nb'],
    ['an error', () => Promise.reject(new Error('signed out'))],
  ]
  it.each(noTokens)('asks as anyone where the site tells %s', async (_, getToken) => {
    const transport = new PersistentTransport({ server: 'http://server', fetch: server.fetch, getToken })
    server.next(stream([CORE_END], { 'X-Session-Token': 'of-session' }))
    await eventsOf(transport, { question: 'First?' })
    expect(server.last.headers.get('Authorization')).toBeNull()
  })

  it('goes on where the browser keeps nothing', async () => {
    const forbidden = (): Storage => {
      throw new DOMException('forbidden', 'SecurityError')
    }
    const transport = new PersistentTransport({ server: '', fetch: server.fetch, storage: forbidden })
    server.next(stream([CORE_END], { 'X-Session-Token': 't1' })).next(stream([CORE_END]))
    await eventsOf(transport, { question: 'First?' })
    await eventsOf(transport, { question: 'Second?' })
    expect(server.last.body.sessionId).toBe(SESSION)
  })
})
