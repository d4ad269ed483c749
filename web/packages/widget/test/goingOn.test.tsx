/** What an answer leads to: sections, questions, the page alone, a link. */
import { act } from 'react'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { announceAnswers } from '../src/host/announcing'
import { isolated } from '../src/words'
import { sentence } from './blocks'
import { announce, answered, ask, book, button, chat, click, find, here, place, show, transport } from './shownPanel'

const CITATION = {
  chapter: 'joints/gears',
  chapterTitle: 'Gears',
  sourceFile: 'gears.mdx',
  excerpt: 'A gear.',
  sectionTitle: 'Cups',
  url: '/docs/gears#cups',
}
const SECTION = { title: 'Drives', page: 'Gears', part: null, url: '/docs/gears#drives', snippet: 'A drive.' }
const links = (selector: string): string[] =>
  [...place.querySelectorAll(`${selector} a, ${selector} button`)].map((each) => each.textContent!)

beforeEach(() => {
  book.search.mockResolvedValue({ sections: [SECTION], sought: [] })
})

describe('a refusal', () => {
  it('ends in the sections that the server names', async () => {
    await show()
    await answered('Not there.', {
      outcome: 'refused',
      suggestions: [{ title: 'Teeth', url: '/docs/teeth', snippet: '' }],
    })
    expect(links('.cb-suggestions')).toEqual(['Teeth'])
    expect(book.search).not.toHaveBeenCalled()
  })

  it('ends in nothing where the server names none: a search finds the words of any question somewhere', async () => {
    await show()
    await answered('Not there.', { outcome: 'refused' })
    expect(book.search).not.toHaveBeenCalled()
    expect(place.querySelector('.cb-suggestions')).toBeNull()
  })
})

describe('an answer', () => {
  it.each([{ support: 'unsure' as const }, { support: 'closest' as const }, { lowConfidence: true }])(
    'that is not sure (%o) ends in sections that a search finds, each with its page',
    async (how) => {
      await show()
      await answered('Perhaps.', { outcome: 'answered', ...how })
      expect(book.search).toHaveBeenCalledWith('What is it?', expect.any(Number), expect.anything())
      expect(links('.cb-suggestions')).toEqual(['Gears: Drives'])
    },
  )

  it('does not name its own source among them', async () => {
    await show()
    await answered('Perhaps.', { support: 'unsure', citations: [{ ...CITATION, url: SECTION.url }] })
    expect(place.querySelector('.cb-suggestions')).toBeNull()
  })

  it('that is likely, and a greeting, end in none', async () => {
    await show()
    await answered('Yes.', { outcome: 'answered', support: 'likely' })
    await answered('Hello.', { outcome: 'refused', support: 'talk' })
    expect(book.search).not.toHaveBeenCalled()
  })

  it('is followed by questions that lead on, without those that were asked', async () => {
    book.questions.mockImplementation(async (about: object) =>
      'after' in about
        ? ['What is it', 'How is it made?', 'Why?'].map((question) => ({ question, url: '', section: '' }))
        : [],
    )
    await show()
    await answered('A gear.', { citations: [CITATION] })
    expect(book.questions).toHaveBeenCalledWith({ after: CITATION.url }, 3)
    expect(links('.cb-go-on')).toEqual(['How is it made?', 'Why?'])
    await click(button('Why?'))
    expect(transport.asked.at(-1)!.question).toBe('Why?')
    expect(place.querySelector('.cb-go-on')).toBeNull()
  })

  it('that is not sure is not followed by any: it ends in sections', async () => {
    book.questions.mockResolvedValue([{ question: 'Why?', url: '', section: '' }])
    await show()
    await answered('Perhaps.', { support: 'closest', citations: [CITATION] })
    expect(place.querySelector('.cb-go-on')).toBeNull()
  })

  it('says that the book has changed since its link was made, and only then', async () => {
    await show()
    await act(async () => void chat.store.actions.askShared('What is it?', 'e1'))
    await act(() => transport.say('A gear.', [sentence('A gear.')]))
    await act(() => transport.finish({ edition: 'e2' }))
    expect(find('.cb-changed').textContent).toContain('The book has changed')
  })

  it.each([
    ['e1', 'e1'],
    ['e1', undefined],
    [undefined, 'e1'],
  ])('says nothing of a change from %s to %s', async (shared, edition) => {
    await show()
    await act(async () => void chat.store.actions.askShared('What is it?', shared))
    await act(() => transport.say('A gear.'))
    await act(() => transport.finish(edition ? { edition } : {}))
    expect(place.querySelector('.cb-changed')).toBeNull()
  })

  it('has a link that carries its question and its edition', async () => {
    const writeText = vi.fn(async () => undefined)
    vi.stubGlobal('navigator', { clipboard: { writeText } })
    await show()
    await answered('A gear.', { edition: 'e7' })
    await click(button('Copy link to this answer'))
    expect(writeText).toHaveBeenCalledWith(`${location.origin}/?ask=What+is+it%3F&edition=e7`)
    expect(button('Link copied')).toBeDefined()
  })

  it('about a passage has no link, because the link would ask something else', async () => {
    await show()
    await act(async () => chat.store.actions.setPassage({ text: 'A harmonic drive.', strict: false }))
    await answered('A gear.', { answerId: 'a1' })
    expect(() => button('Copy link to this answer')).toThrow()
  })
})

describe('the page that the reader has before them', () => {
  const PAGE = { chapterId: 'gears', title: 'Gears', module: { number: 1, title: 'Joints' } }

  beforeEach(() => {
    here.current.mockReturnValue(PAGE)
  })

  it('gives questions to begin with', async () => {
    book.questions.mockResolvedValue([{ question: 'What is a gear?', url: '', section: '' }])
    await show()
    await act(() => vi.waitFor(() => expect(book.questions).toHaveBeenCalledWith({ page: 'gears' }, 3)))
    await click(button('What is a gear?'))
    expect(transport.asked[0]!.question).toBe('What is a gear?')
  })

  it('gives way to the questions of the site', async () => {
    await show('ephemeral', { examples: ['Our own?'] })
    expect(links('.cb-examples')).toEqual(['Our own?'])
    expect(find('.cb-examples bdi').textContent).toBe('Our own?')
    expect(book.questions).not.toHaveBeenCalled()
  })

  it('can be asked about alone, which is seen, told and taken back', async () => {
    await show()
    await click(button('Ask about this page only'))
    expect(find('.cb-filter-toggle').textContent).toContain('Gears')
    await ask()
    expect(transport.asked[0]).toMatchObject({ scope: { chapterId: 'gears', title: 'Gears' } })
    expect(find('.cb-asked-scope').textContent).toBe(`Only in: ${isolated('Gears')}`)
    await act(() => transport.finish())
    await click(button('Search the whole book again'))
    expect(find('.cb-filter-toggle').textContent).toContain('Whole book')
    await ask('And then?')
    expect(transport.asked[1]).not.toHaveProperty('scope')
  })

  it('that has no answer leads to the whole book', async () => {
    await show()
    await act(async () => chat.store.actions.setScope({ chapterId: 'gears', title: 'Gears' }))
    await answered('Not there.', { outcome: 'refused' })
    await click(button('Ask the whole book'))
    expect(transport.asked[1]).toEqual({ question: 'What is it?', history: expect.anything() })
  })

  it('is the first choice among the parts of the book', async () => {
    await show('ephemeral', {
      choices: {
        modules: [
          { number: 1, title: 'Joints' },
          { number: 2, title: 'Motion' },
        ],
        difficulties: [],
        tags: [],
      },
    })
    await click(find('.cb-filter-toggle'))
    const options = [...place.querySelectorAll('.cb-filters option')].map((option) => option.textContent)
    expect(options).toEqual([
      'Whole book',
      `This page: ${isolated('Gears')}`,
      `This part: ${isolated('Joints')}`,
      'Motion',
    ])
  })
})

describe('a question of a link', () => {
  it('is asked alone, whatever was said before', async () => {
    await show()
    await answered('A gear.')
    await act(async () => void chat.store.actions.askShared('What is it?'))
    expect(transport.asked[1]).toEqual({ question: 'What is it?' })
  })

  it('begins a conversation of its own where the server keeps them', async () => {
    await show('persistent')
    await act(async () => void chat.store.actions.askShared('What is it?'))
    expect(transport.startedAnew).toBe(1)
  })

  it.each(['ab', 'a'.repeat(101), ' \u200b '])('is not asked where it breaks the limits: %j', async (question) => {
    await show()
    await act(async () => expect(chat.store.actions.askShared(question)).toBe(false))
    expect(transport.asked).toEqual([])
  })
})

describe('the site', () => {
  it('hears of questions, answers, refusals and ratings', async () => {
    await show()
    const stop = announceAnswers(chat.store, announce)
    await answered('A gear.', { answerId: 'a1', confidence: 0.9, citations: [CITATION], edition: 'e7' })
    await click(button('Good answer'))
    await answered('Not there.', { outcome: 'refused', answerId: 'a2' })
    stop()
    expect(announce.mock.calls).toEqual([
      ['asked', { question: 'What is it?', hasPassage: false }],
      [
        'answered',
        {
          question: 'What is it?',
          answerId: 'a1',
          confidence: 0.9,
          edition: 'e7',
          sources: [{ title: CITATION.sectionTitle, url: CITATION.url }],
        },
      ],
      ['rated', { answerId: 'a1', rating: 'up' }],
      ['asked', { question: 'What is it?', hasPassage: false }],
      ['refused', { question: 'What is it?', answerId: 'a2', suggestions: [] }],
    ])
  })

  it('hears nothing of an answer that was stopped', async () => {
    await show()
    const stop = announceAnswers(chat.store, announce)
    await ask()
    await act(() => transport.say('A ge'))
    await click(button('Stop the answer'))
    await vi.waitFor(() => expect(chat.store.getState().isLoading).toBe(false))
    stop()
    expect(announce.mock.calls.map(([name]) => name)).toEqual(['asked'])
  })
})

it('a thumb down takes a reason', async () => {
  await show()
  await answered('A gear.', { answerId: 'a1' })
  await click(button('Bad answer'))
  const reasons = [...place.querySelectorAll<HTMLInputElement>('.cb-reasons input')]
  expect(reasons).toHaveLength(4)
  await click(reasons[1]!)
  await act(async () => find<HTMLFormElement>('.cb-feedback').requestSubmit())
  expect(transport.rated.at(-1)).toEqual(['a1', 'down', { reason: 'incomplete' }])
})
