import { act } from 'react'
import { describe, expect, it } from 'vitest'
import { code, part, sentence } from './blocks'
import { answered, ask, chat, click, find, place, show, transport } from './shownPanel'

const passage = (excerpt: string, url = '/docs/gears#drives') => ({
  chapter: 'gears',
  chapterTitle: 'Gears',
  sectionTitle: 'Drives',
  sourceFile: 'gears.mdx',
  excerpt,
  url,
})

describe('sources', () => {
  it('are counted by section, and each passage has its link', async () => {
    await show()
    await answered('A gear.', { citations: [passage('One.'), passage('Two.'), passage('Three.')] })
    expect(find('.cb-sources summary').textContent).toBe('1 source')
    const also = [...place.querySelectorAll<HTMLElement>('.cb-also a')]
    expect(also.map((link) => link.querySelector('[aria-hidden]')!.textContent)).toEqual(['2', '3'])
    await click(also[1]!)
    expect(chat.follow).toHaveBeenCalledWith(passage('Three.'))
  })
})

describe('the book’s own words', () => {
  const QUOTE = 'A harmonic drive bends a thin steel cup.'
  const used = { input: 10, output: 5, total: 15 }

  async function written(tokens: boolean): Promise<void> {
    await show()
    await ask()
    const parts = [sentence(QUOTE, 1), sentence('So it has no play at all.', 1), part(1, code('', QUOTE))]
    await act(() => transport.say(QUOTE, parts))
    await act(() => transport.finish({ citations: [passage(QUOTE)], ...(tokens ? { tokensUsed: used } : {}) }))
  }

  it('are marked among those of a language model', async () => {
    await written(true)
    expect([...place.querySelectorAll('.cb-quote')].map(({ tagName }) => tagName)).toEqual(['Q', 'BLOCKQUOTE'])
    expect(find('q.cb-quote').textContent).toBe(QUOTE)
    expect(find('q.cb-quote').title).toBe('The book’s own words')
  })

  it('are not marked where every word is the book’s', async () => {
    await written(false)
    expect(place.querySelector('.cb-quote')).toBeNull()
  })
})
