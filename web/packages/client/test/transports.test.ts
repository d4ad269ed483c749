import { beforeEach, describe, expect, it, vi } from 'vitest'
import { type ChatError, EphemeralTransport, type Filters, PersistentTransport } from '../src'
import { ASK_END, eventsOf, failureOf, HALF, MOTION, WHOLE } from './asking'
import { FakeServer, json, openStream, stream } from './fakeServer'

let server: FakeServer
const ephemeral = (): EphemeralTransport => new EphemeralTransport({ server: 'http://server/', fetch: server.fetch })
const persistent = (): PersistentTransport =>
  new PersistentTransport({ server: 'http://server', fetch: server.fetch })

beforeEach(() => {
  server = new FakeServer()
  localStorage.clear()
})

describe('an ephemeral chat', () => {
  it('streams from the contract that keeps nothing, without cookies', async () => {
    server.next(
      stream([
        { content: 'A harmonic drive', done: false, parts: [HALF] },
        { content: ' is a gear. [1]', done: false },
        { ...ASK_END, parts: [WHOLE] },
      ]),
    )
    const events = await eventsOf(ephemeral(), { question: 'What is it?' })
    expect(server.last).toMatchObject({ path: '/api/ask/stream', method: 'POST', body: { question: 'What is it?' } })
    expect(events.slice(0, 2)).toEqual([
      { type: 'text', text: 'A harmonic drive', parts: [HALF] },
      { type: 'text', text: ' is a gear. [1]' },
    ])
    expect(events.at(-1)).toEqual({
      type: 'done',
      answer: {
        citations: [
          {
            chapter: 'joints/gears',
            chapterTitle: 'Gears',
            sectionTitle: 'Harmonic drives',
            sourceFile: 'gears.mdx',
            excerpt: 'A gear.',
            url: '/docs/gears#h',
            page: 3,
          },
        ],
        sources: ['joints/gears#h'],
        confidence: 0.4,
        answerId: 'a2',
        outcome: 'answered',
        lowConfidence: true,
        calibrated: false,
        corrected: 'what is a harmonic drive',
        parts: [WHOLE],
      },
    })
  })

  it('writes nothing into the browser', async () => {
    server.next(stream([{ content: 'Yes.', done: false }, ASK_END], { 'X-Session-Token': 'secret' }))
    await eventsOf(ephemeral(), { question: 'What is it?' })
    expect([localStorage.length, sessionStorage.length, document.cookie]).toEqual([0, 0, ''])
  })

  it('limits the question to a part of the book', async () => {
    server.next(stream([{ ...ASK_END, filter_message: 'The part that you chose has little on this.' }]))
    const filters: Filters = { module: MOTION, difficulty: 'beginner', tags: ['imu', 'slam'] }
    const events = await eventsOf(ephemeral(), { question: 'What is it?', filters })
    expect(server.last.body.filters).toEqual({ module: 2, difficulty: 'beginner', tags: ['imu', 'slam'] })
    expect(events).toMatchObject([{ answer: { filterMessage: 'The part that you chose has little on this.' } }])
  })

  it.each([[undefined], [{}], [{ tags: [] }]])(
    'says nothing of filters where there are none: %j',
    async (filters) => {
      server.next(stream([ASK_END]))
      await eventsOf(ephemeral(), { question: 'What is it?', ...(filters ? { filters } : {}) })
      expect(server.last.body).toEqual({ question: 'What is it?' })
    },
  )

  it('names a part behind the tenth by its title', async () => {
    server.next(stream([ASK_END]))
    await eventsOf(ephemeral(), { question: 'What?', filters: { module: { number: 11, title: 'Ethics' } } })
    expect(server.last.body.filters).toEqual({ module: 'Ethics' })
  })

  it.each([
    [
      { input: 1200, output: 34, total: 1234 },
      { input: 1200, output: 34, total: 1234 },
    ],
    [{ input: 0, output: 0, total: 0 }, undefined],
    [
      { input: 'many', output: 1.5, total: 7 },
      { input: 0, output: 0, total: 7 },
    ],
    ['many', undefined],
  ])('tells what a model took, where one was used: %j', async (tokens_used, told) => {
    server.next(stream([{ ...ASK_END, tokens_used }]))
    const [end] = await eventsOf(ephemeral(), { question: 'What?' })
    expect(end?.type === 'done' && end.answer.tokensUsed).toEqual(told)
  })

  it('asks the server to keep nothing', async () => {
    server.next(stream([ASK_END]))
    await eventsOf(ephemeral(), { question: 'What?' })
    expect(server.last.headers.get('X-Citebook-Keep')).toBe('nothing')
  })

  it('does not say who the reader is', async () => {
    const getToken = vi.fn(() => 'jwt')
    server.next(stream([ASK_END]))
    await eventsOf(new EphemeralTransport({ server: '', fetch: server.fetch, getToken }), { question: 'What?' })
    expect(server.last.headers.get('Authorization')).toBeNull()
    expect(getToken).not.toHaveBeenCalled()
  })

  it('tells what was said before, and keeps it nowhere', async () => {
    server.next(stream([ASK_END]))
    const history = [{ question: 'What is it?', answer: 'A gear. [1]' }]
    await eventsOf(ephemeral(), { question: 'Why?', history })
    expect(server.last.body).toEqual({ question: 'Why?', history })
    expect([localStorage.length, sessionStorage.length, document.cookie]).toEqual([0, 0, ''])
  })

  it('asks about the passage alone when it is strict', async () => {
    server.next(json({ answer: 'A gear. [1]', citations: [], confidence: 0.9, parts: [WHOLE] }))
    const events = await eventsOf(ephemeral(), {
      question: 'What is it?',
      passage: { text: 'x'.repeat(10_001), strict: true },
    })
    expect(server.last.path).toBe('/api/ask-selected')
    expect(server.last.body.selected_text).toHaveLength(10_000)
    expect(events[0]).toEqual({ type: 'text', text: 'A gear. [1]', parts: [WHOLE] })
  })

  it('steers the search with the first 200 words of a loose passage', async () => {
    server.next(
      json({
        answer: 'A gear. [1]',
        sources: [
          { chapter: 'Gears', chapter_id: 'joints/gears', section_title: 'Harmonic drives', filename: 'gears.mdx' },
        ],
      }),
    )
    const events = await eventsOf(ephemeral(), {
      question: 'What is it?',
      passage: { text: 'word '.repeat(300), strict: false },
    })
    expect(server.last.path).toBe('/api/query')
    expect(String(server.last.body.selected_text).split(' ')).toHaveLength(200)
    expect(events.at(-1)).toMatchObject({
      answer: {
        citations: [
          {
            chapter: 'joints/gears',
            chapterTitle: 'Gears',
            sectionTitle: 'Harmonic drives',
            sourceFile: 'gears.mdx',
          },
        ],
      },
    })
  })

  it('takes the nearest sections of a refusal for no proof', async () => {
    server.next(json({ answer: 'Not found.', outcome: 'refused', sources: [{ chapter: 'Gears', excerpt: 'x' }] }))
    const passage = { text: 'word', strict: false }
    const events = await eventsOf(ephemeral(), { question: 'What is it?', passage })
    expect(events.at(-1)).toEqual({ type: 'done', answer: { citations: [], outcome: 'refused' } })
  })

  it('drops the connection when it is aborted, and says nothing more', async () => {
    const stopping = new AbortController()
    let held!: ReturnType<typeof openStream>
    server.next((request) => {
      held = openStream(request)
      return held.response
    })
    const events = ephemeral().ask({ question: 'What is it?' }, stopping.signal)[Symbol.asyncIterator]()
    const first = events.next()
    await vi.waitFor(() => expect(held).toBeDefined())
    held.send({ content: 'One.', done: false })
    expect((await first).value).toEqual({ type: 'text', text: 'One.' })
    stopping.abort()
    await expect(events.next()).rejects.toMatchObject({ name: 'AbortError' })
  })
})

describe('feedback', () => {
  it('is sent with the id of the answer, and a note only where there is one', async () => {
    server.next(new Response(null, { status: 204 })).next(new Response(null, { status: 204 }))
    await ephemeral().rate('a1', 'up', { note: '  ' })
    expect(server.last).toMatchObject({ path: '/api/feedback', body: { answer_id: 'a1', rating: 'up' } })
    expect(server.last.body).not.toHaveProperty('note')
    await persistent().rate('a1', 'down', { note: ' Too short. ' })
    expect(server.last.body).toEqual({ answer_id: 'a1', rating: 'down', note: 'Too short.' })
  })
})

describe('errors of all contracts', () => {
  const cases: [string, Response, Partial<ChatError>][] = [
    [
      '429 with a header',
      json({ detail: 'x' }, 429, { 'Retry-After': '42' }),
      { kind: 'rate_limited', retryAfter: 42, retryable: true },
    ],
    [
      '429 of core',
      json({ error: { code: 'RATE_LIMIT_EXCEEDED', message: 'x', retryAfter: 7 } }, 429),
      { kind: 'rate_limited', retryAfter: 7 },
    ],
    ['429 that tells no time', new Response('', { status: 429 }), { kind: 'rate_limited', retryAfter: 60 }],
    [
      '503 of ask',
      json({ error: 'SERVICE_UNAVAILABLE', message: 'Too slow.', details: {} }, 503),
      { kind: 'unavailable', message: 'Too slow.', retryable: true },
    ],
    [
      '503 of core',
      json({ error: { code: 'LLM_TIMEOUT', message: 'Too slow.' } }, 503),
      { kind: 'unavailable', message: 'Too slow.' },
    ],
    ['500 of textbook', json({ detail: 'Broken.' }, 500), { kind: 'unavailable', message: 'Broken.' }],
    ['502 of a proxy', new Response('<html>', { status: 502 }), { kind: 'unavailable', retryable: true }],
    [
      '400 of ask',
      json({ error: 'INVALID_REQUEST', message: 'Too short.' }, 400),
      { kind: 'invalid', message: 'Too short.', retryable: false },
    ],
    ['422 of textbook', json({ detail: [{ msg: 'Malformed.' }] }, 422), { kind: 'invalid', retryable: false }],
    ['401', json({ error: { code: 'UNAUTHORIZED', message: 'No.' } }, 401), { kind: 'unknown', retryable: true }],
    ['403', new Response('', { status: 403 }), { kind: 'unknown', retryable: false }],
  ]
  it.each(cases)('%s', async (_, response, expected) => {
    server.next(response)
    expect(await failureOf(eventsOf(ephemeral(), { question: 'What?' }))).toMatchObject(expected)
  })

  it.each([
    ['validation', json({ error: 'INVALID_REQUEST', message: 'Too short.' }, 400)],
    ['validation', json({ detail: 'x' }, 429)],
    ['database', json({ error: { code: 'VECTOR_STORE_UNAVAILABLE', message: 'x' } }, 503)],
    ['llm', json({ error: { code: 'LLM_TIMEOUT', message: 'x' } }, 503)],
    ['agent', json({ error: 'agent', message: 'x', retryable: false }, 500)],
    ['unknown', json({ error: 'toString', message: 'x' }, 500)],
    ['unknown', new Response('<html>', { status: 502 })],
  ])('is of the type %s in the words of the data model', async (error_type, response) => {
    server.next(response)
    const failure = await failureOf(eventsOf(ephemeral(), { question: 'What?' }))
    expect(failure.context).toEqual({
      error_type,
      user_safe_message: failure.message,
      retry_able: failure.retryable,
    })
  })

  const ENTRY = { question: ' What is a gear? ', answer: 'A wheel with teeth.', url: '/docs/gears' }
  const WRONG = [7, null, { question: 'Why?' }, { question: ' ', answer: 'x' }, { question: 'Why?', answer: 3 }]
  it.each([
    ['core', { error: { code: 'VECTOR_STORE_UNAVAILABLE', message: 'x', fallbackFaq: [ENTRY, ...WRONG] } }],
    ['ask', { error: 'SERVICE_UNAVAILABLE', message: 'x', details: { fallback_faq: [...WRONG, ENTRY] } }],
  ])('brings the frequent questions of %s while there is no index', async (_, body) => {
    server.next(json(body, 503))
    const { faq } = await failureOf(eventsOf(ephemeral(), { question: 'What?' }))
    expect(faq).toEqual([{ question: 'What is a gear?', answer: 'A wheel with teeth.', url: '/docs/gears' }])
  })

  it.each([undefined, 'nonsense', { fallback_faq: {} }])('brings none where %j is all it has', async (details) => {
    server.next(json({ error: 'SERVICE_UNAVAILABLE', message: 'x', details }, 503))
    expect((await failureOf(eventsOf(ephemeral(), { question: 'What?' }))).faq).toEqual([])
  })

  it('says that the server cannot be reached', async () => {
    expect(await failureOf(eventsOf(ephemeral(), { question: 'What?' }))).toMatchObject({
      kind: 'network',
      retryable: true,
    })
  })

  it('says that a stream was cut', async () => {
    server.next(stream([{ content: 'Half', done: false }]))
    expect(await failureOf(eventsOf(ephemeral(), { question: 'What?' }))).toMatchObject({
      kind: 'interrupted',
      retryable: true,
    })
  })

  it("passes on the stream's own error", async () => {
    server.next(stream([{ chunk: 'Half' }, { error: 'The server is stopping. Please ask again.' }]))
    const failure = await failureOf(eventsOf(persistent(), { question: 'What?' }))
    expect(failure).toMatchObject({ kind: 'interrupted', message: 'The server is stopping. Please ask again.' })
  })

  it('survives frames that are not what they should be', async () => {
    server.next(
      new Response(
        'data: nonsense\n\ndata: [1]\n\ndata: {"chunk":7}\n\ndata: {"done":true,"sources":"x","confidence":9}\n\n',
      ),
    )
    expect(await eventsOf(persistent(), { question: 'What?' })).toEqual([{ type: 'done', answer: { citations: [] } }])
  })
})
