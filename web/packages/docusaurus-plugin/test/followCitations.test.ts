import type { Citation } from '@citebook/client'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { follower, pageIsDrawn } from '../src/followCitations'

const CITATION: Citation = {
  chapter: 'gears',
  chapterTitle: 'Gears',
  sourceFile: 'gears.mdx',
  excerpt: 'A gear turns.',
}
const page = (path: string): URL => new URL(path, location.origin)

beforeEach(() => {
  vi.useFakeTimers()
  history.replaceState(null, '', '/docs/here')
})
afterEach(() => vi.useRealTimers())

describe('a citation of another page', () => {
  it('is shown when the router has drawn that page, and not before', () => {
    const [push, show] = [vi.fn(), vi.fn(() => true)]
    expect(follower(push, show)(CITATION, page('/docs/gears?a=b#drives'))).toBe(true)
    expect(push).toHaveBeenCalledWith('/docs/gears?a=b#drives')
    pageIsDrawn('/docs/other')
    vi.advanceTimersByTime(1000)
    expect(show).not.toHaveBeenCalled()
    pageIsDrawn('/docs/gears/')
    vi.advanceTimersByTime(1000)
    expect(show).toHaveBeenCalledExactlyOnceWith('A gear turns.', '#drives')
  })

  it('is tried again while parts of the page are still to come, and given up in the end', () => {
    const show = vi.fn(() => false)
    follower(vi.fn(), show)(CITATION, page('/docs/gears'))
    pageIsDrawn('/docs/gears')
    vi.advanceTimersByTime(60_000)
    expect(show.mock.calls.length).toBeGreaterThan(5)
    const tries = show.mock.calls.length
    vi.advanceTimersByTime(60_000)
    expect(show).toHaveBeenCalledTimes(tries)
  })

  it('gives way to the next one', () => {
    const [first, second] = [vi.fn(() => false), vi.fn(() => true)]
    follower(vi.fn(), first)(CITATION, page('/docs/gears'))
    pageIsDrawn('/docs/gears')
    follower(vi.fn(), second)(CITATION, page('/docs/motors'))
    pageIsDrawn('/docs/motors')
    vi.advanceTimersByTime(60_000)
    expect(first).not.toHaveBeenCalled()
    expect(second).toHaveBeenCalledOnce()
  })
})

it('a citation of the page one is on is shown without the router', () => {
  const show = vi.fn(() => true)
  follower(vi.fn(), show)(CITATION, page('/docs/here/#part'))
  vi.advanceTimersByTime(1000)
  expect(show).toHaveBeenCalledOnce()
})

it.each(['https://elsewhere.example/docs/gears', '/docs/tables.pdf#page=2', '/docs/data.csv'])(
  '%s is no page of the router',
  (address) => {
    const push = vi.fn()
    expect(follower(push, vi.fn())(CITATION, page(address))).toBe(false)
    expect(push).not.toHaveBeenCalled()
  },
)
