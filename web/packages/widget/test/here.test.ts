import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { SiteHere } from '../src/host/here'

const chapter = (id: string, url: string, module: number | null = null) => ({
  id,
  title: id,
  url,
  module,
  module_title: module === null ? null : 'Joints',
  difficulty: null,
  tags: [],
  sections: [],
})
const CHAPTERS = [chapter('intro', '/docs/'), chapter('gears', '/docs/gears', 1)]

let here: SiteHere

beforeEach(() => {
  history.replaceState(null, '', '/docs/gears.html?x=1#drives')
  here = new SiteHere('')
})
afterEach(() => {
  here.destroy()
  history.replaceState(null, '', '/')
})

it('is not known before the contents are', () => {
  expect(here.current()).toEqual({ title: '', isSought: true })
})

it('is the page of the book with this address, and its part', () => {
  here.know(CHAPTERS)
  expect(here.current()).toEqual({ chapterId: 'gears', title: 'gears', module: { number: 1, title: 'Joints' } })
})

it('is told anew when the reader goes to another page, and only then', () => {
  here.know(CHAPTERS)
  const told = vi.fn()
  here.subscribe(told)
  dispatchEvent(new PopStateEvent('popstate'))
  expect(told).not.toHaveBeenCalled()
  history.replaceState(null, '', '/docs/')
  dispatchEvent(new PopStateEvent('popstate'))
  expect(told).toHaveBeenCalledOnce()
  expect(here.current().chapterId).toBe('intro')
})

it('is none on a page that is not of the book, or whose book nobody knows', () => {
  history.replaceState(null, '', '/about')
  here.know(CHAPTERS)
  expect(here.current()).toEqual({ title: '' })
  const other = new SiteHere('')
  other.know([])
  expect(other.current()).toEqual({ title: '' })
  other.destroy()
})
