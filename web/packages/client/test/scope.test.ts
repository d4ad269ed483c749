import { describe, expect, it } from 'vitest'
import { EphemeralTransport, PersistentTransport, TabTransport } from '../src'
import { ASK_END, CORE_END, eventsOf, MOTION } from './asking'
import { FakeServer, json, stream } from './fakeServer'

const SCOPE = { chapterId: 'joints/gears', title: 'Gears' }

describe.each([
  ['ephemeral', EphemeralTransport, ASK_END],
  ['tab', TabTransport, ASK_END],
  ['persistent', PersistentTransport, CORE_END],
] as const)('a question about one page, %s', (_, Kind, end) => {
  it('names the page, and no filter beside it', async () => {
    const server = new FakeServer().next(stream([end]))
    const transport = new Kind({ server: '', fetch: server.fetch, storage: () => undefined })
    await eventsOf(transport, { question: 'What?', scope: SCOPE, filters: { module: MOTION } })
    expect(server.last.body.scope).toEqual({ chapter_id: 'joints/gears' })
    expect(server.last.body).not.toHaveProperty('filters')
  })

  it('tells the edition that answered, where the server does', async () => {
    const server = new FakeServer().next(stream([{ ...end, edition: 'e7' }])).next(stream([end]))
    const transport = new Kind({ server: '', fetch: server.fetch, storage: () => undefined })
    const ended = async () => (await eventsOf(transport, { question: 'What?' })).at(-1)
    expect(await ended()).toMatchObject({ answer: { edition: 'e7' } })
    expect(await ended()).not.toHaveProperty('answer.edition')
  })
})

it('a reason goes with the thumb, a missing one does not', async () => {
  const server = new FakeServer().next(json({}, 200)).next(json({}, 200))
  const transport = new EphemeralTransport({ server: '', fetch: server.fetch })
  await transport.rate('a1', 'down', { reason: 'incomplete' })
  expect(server.last.body).toEqual({ answer_id: 'a1', rating: 'down', reason: 'incomplete' })
  await transport.rate('a1', 'down')
  expect(server.last.body).toEqual({ answer_id: 'a1', rating: 'down' })
})
