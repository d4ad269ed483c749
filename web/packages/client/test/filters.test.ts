import { expect, it } from 'vitest'
import { Book, choicesOf } from '../src/index'
import { FakeServer, json } from './fakeServer'

const page = { id: 'a', title: 'A', url: '/a' }

it('offers what the book has: modules in its order, levels from easy to hard, tags by the alphabet', async () => {
  const chapters = [
    { ...page, module: 2, module_title: 'Motion', difficulty: 'advanced', tags: ['slam', 'imu'] },
    { ...page, module: 1, module_title: null, difficulty: 'beginner', tags: ['imu'] },
    { ...page, module: 2, module_title: 'Motion again' },
    { ...page, module: null, difficulty: 'heroic', tags: [7, '', null] },
    { ...page, module: 'x', difficulty: 3, tags: 'imu' },
  ]
  const book = new Book({ server: '', fetch: new FakeServer().next(json({ title: 'A book', chapters })).fetch })
  expect(choicesOf(await book.contents())).toEqual({
    modules: [
      { number: 2, title: 'Motion' },
      { number: 1, title: 'Module 1' },
    ],
    difficulties: ['beginner', 'advanced'],
    tags: ['imu', 'slam'],
  })
})

it('offers nothing of a book that is all of a piece', () => {
  const contents = { title: 'A book', language: 'en', chapters: [page] }
  expect(choicesOf(contents)).toEqual({ modules: [], difficulties: [], tags: [] })
})
