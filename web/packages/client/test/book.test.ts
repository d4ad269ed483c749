import { describe, expect, it } from 'vitest'
import { Book } from '../src'
import { FakeServer, json } from './fakeServer'

const SECTION = {
  title: 'Drives',
  page: 'Gears',
  part: null,
  url: '/docs/gears#drives',
  snippet: 'A drive bends a cup.',
}

function bookOf(): { server: FakeServer; book: Book } {
  const server = new FakeServer()
  return { server, book: new Book({ server: 'http://server', fetch: server.fetch }) }
}

describe('searching the book', () => {
  it('asks for what is typed, and tells sections and the words that were sought', async () => {
    const { server, book } = bookOf()
    server.next(json({ sections: [SECTION], corrections: [{ typed: 'drvie', searched: 'drive' }] }))
    expect(await book.search('harmonic drvie', 8)).toEqual({ sections: [SECTION], sought: ['drive'] })
    expect(server.last.path).toBe('/api/search?q=harmonic+drvie&limit=8')
  })

  it('never sends more than the server takes', async () => {
    const { server, book } = bookOf()
    server.next(json({ sections: [] }))
    await book.search('😀'.repeat(500), 8)
    expect([...new URL(`http://server${server.last.path}`).searchParams.get('q')!]).toHaveLength(200)
  })

  it('drops what is no section, and what a reader could not see', async () => {
    const { server, book } = bookOf()
    const hidden = { ...SECTION, title: 'Dri\u200bves' }
    server.next(json({ sections: [null, 7, { title: 'No address' }, hidden] }))
    expect((await book.search('x', 8)).sections).toEqual([SECTION])
  })

  it('fails where the answer is none', async () => {
    const { server, book } = bookOf()
    server.next(json({ detail: 'no' }))
    await expect(book.search('x', 8)).rejects.toThrow()
  })
})

describe('questions that the book answers', () => {
  const QUESTION = { question: 'What is a drive?', url: '/docs/gears#drives', section: 'Drives' }

  it('are asked for by page and by section, and no more than wanted', async () => {
    const { server, book } = bookOf()
    server.next(json({ questions: [QUESTION, QUESTION, QUESTION, QUESTION] }))
    expect(await book.questions({ page: 'gears' }, 3)).toHaveLength(3)
    expect(server.last.path).toBe('/api/questions?page=gears&limit=3')
    server.next(json({ questions: [QUESTION, { question: ' ' }, 'x'] }))
    expect(await book.questions({ after: '/docs/gears#drives' }, 3)).toEqual([QUESTION])
    expect(server.last.path).toBe('/api/questions?after=%2Fdocs%2Fgears%23drives&limit=3')
  })

  it('are asked for once where the server knows none', async () => {
    const { server, book } = bookOf()
    server.next(json({}, 404))
    expect(await book.questions({ page: 'gears' }, 3)).toEqual([])
    expect(await book.questions({ page: 'gears' }, 3)).toEqual([])
    expect(server.requests).toHaveLength(1)
  })

  it('are none while the server fails, and asked for again', async () => {
    const { server, book } = bookOf()
    server.next(json({}, 503)).next(json({ questions: [QUESTION] }))
    expect(await book.questions({ page: 'gears' }, 3)).toEqual([])
    expect(await book.questions({ page: 'gears' }, 3)).toEqual([QUESTION])
  })
})
