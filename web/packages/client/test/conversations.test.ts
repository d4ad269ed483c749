import { beforeEach, describe, expect, it } from 'vitest'
import { EphemeralTransport, PersistentTransport } from '../src'
import { CORE_END, eventsOf } from './asking'
import { FakeServer, json, stream } from './fakeServer'

let server: FakeServer
const options = () => ({ server: 'http://server', fetch: server.fetch })
const anyone = (): PersistentTransport => new PersistentTransport(options())
const reader = (): PersistentTransport => new PersistentTransport({ ...options(), getToken: () => 'jwt' })
const answerIn = (sessionId: string): Response =>
  stream([{ ...CORE_END, sessionId }], { 'X-Session-Token': `of ${sessionId}` })
const gone = (): Response => json({ error: { message: 'There is no such session.' } }, 404)
const listed = (...ids: string[]) => ({
  sessions: ids.map((sessionId, index) => ({
    sessionId,
    createdAt: '2026-01-01T00:00:00Z',
    lastActivityAt: `2026-01-0${9 - index}T09:30:00.123456+00:00`,
    title: `About ${sessionId}`,
  })),
  hasMore: false,
})

beforeEach(() => {
  server = new FakeServer()
  localStorage.clear()
})

describe('conversations whose tokens this browser keeps', () => {
  async function twoConversations(): Promise<PersistentTransport> {
    const transport = anyone()
    server.next(answerIn('s1')).next(answerIn('s1')).next(answerIn('s2'))
    await eventsOf(transport, { question: 'What is a gear?' })
    await eventsOf(transport, { question: 'Why?' })
    transport.startAnew()
    await eventsOf(transport, { question: 'What is a motor?' })
    return transport
  }
  const titles = async (transport: PersistentTransport): Promise<unknown[]> =>
    (await transport.conversations()).entries.map(({ title, isCurrent }) => [title, isCurrent])

  it('are listed by their first questions, newest first, and nobody is asked', async () => {
    const transport = await twoConversations()
    expect(await titles(transport)).toEqual([
      ['What is a motor?', true],
      ['What is a gear?', false],
    ])
    expect(server.requests).toHaveLength(3)
  })

  it('are opened again, with the token of each', async () => {
    const transport = await twoConversations()
    transport.open('s1')
    server.next(json({ messages: [] })).next(stream([{ ...CORE_END, sessionId: 's1' }]))
    await transport.history()
    expect([server.last.path, server.last.headers.get('X-Session-Token')]).toEqual([
      '/api/v1/chat/sessions/s1?limit=50',
      'of s1',
    ])
    await eventsOf(transport, { question: 'And then?' })
    expect(server.last.body).toEqual({ query: 'And then?', sessionId: 's1' })
    expect(await titles(transport)).toEqual([
      ['What is a gear?', true],
      ['What is a motor?', false],
    ])
  })

  it('are left out once the server keeps them no longer', async () => {
    const transport = await twoConversations()
    transport.open('s1')
    server.next(gone())
    expect(await transport.history()).toEqual([])
    expect(await titles(transport)).toEqual([['What is a motor?', false]])
  })

  it('are listed too where they were kept before they had a title', async () => {
    const kept = { current: null, earlier: [{ id: 's0', token: 'of s0' }], revision: 1 }
    localStorage.setItem('citebook:sessions:http://server', JSON.stringify(kept))
    expect((await anyone().conversations()).entries).toEqual([{ id: 's0', title: '', isCurrent: false }])
  })
})

describe('conversations of a signed-in reader', () => {
  it('are listed by the server, page by page', async () => {
    server.next(json({ ...listed('s1', 's2'), hasMore: true })).next(json(listed('s3')))
    const first = await reader().conversations()
    expect(server.last.path).toBe('/api/v1/chat/sessions?limit=20')
    expect(server.last.headers.get('Authorization')).toBe('Bearer jwt')
    expect(first.entries.map(({ id, title }) => [id, title])).toEqual([
      ['s1', 'About s1'],
      ['s2', 'About s2'],
    ])
    const second = await reader().conversations(first.next)
    expect(server.last.path).toBe('/api/v1/chat/sessions?limit=20&before=2026-01-08T09%3A30%3A00.123456%2B00%3A00')
    expect(second).toMatchObject({ entries: [{ id: 's3' }] })
    expect(second.next).toBeUndefined()
  })

  it('stand beside those that were begun before signing in', async () => {
    server.next(answerIn('s9')).next(json(listed('s1')))
    await eventsOf(anyone(), { question: 'What is a gear?' })
    const { entries } = await reader().conversations()
    expect(entries.map(({ title }) => title)).toEqual(['What is a gear?', 'About s1'])
  })

  it('are opened without a token of theirs', async () => {
    const transport = reader()
    transport.open('s1')
    server.next(json({ messages: [] })).next(json(listed('s1', 's2')))
    await transport.history()
    expect(server.last.headers.get('X-Session-Token')).toBeNull()
    const { entries } = await transport.conversations()
    expect(entries.map(({ isCurrent }) => isCurrent)).toEqual([true, false])
  })

  it('are not listed where the server does not tell them', async () => {
    server.next(gone())
    expect(await reader().conversations()).toEqual({ entries: [] })
  })

  it('are all deleted by "Clear history"', async () => {
    const ok = (): Response => new Response(null, { status: 204 })
    server
      .next(json(listed('s1', 's2')))
      .next(ok())
      .next(gone())
      .next(json(listed('s3')))
      .next(ok())
    server.next(json(listed('s3'))) // a server that is slow to forget is not asked for ever
    await reader().forget()
    const deleted = server.requests.filter(({ method }) => method === 'DELETE').map(({ path }) => path.slice(-2))
    expect(deleted).toEqual(['s1', 's2', 's3'])
  })

  it.each([
    ['no list', 'nonsense'],
    ['no sessions', { sessions: [null, 7, { title: 'x' }], hasMore: 'yes' }],
  ])('survive a body that is %s', async (_, body) => {
    server.next(json(body))
    expect(await reader().conversations()).toEqual({ entries: [] })
  })

  it('may lack a time and a title', async () => {
    server.next(json({ sessions: [{ sessionId: 's1', title: null, lastActivityAt: 'soon' }], hasMore: true }))
    expect(await reader().conversations()).toEqual({ entries: [{ id: 's1', title: '', isCurrent: false }] })
  })
})

it('are none where nothing is kept', async () => {
  expect(await new EphemeralTransport(options()).conversations()).toEqual({ entries: [] })
})
