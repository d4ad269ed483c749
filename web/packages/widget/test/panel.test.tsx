import { ChatError } from '@citebook/client'
import { act } from 'react'
import { describe, expect, it, vi } from 'vitest'
import { part, sentence, table } from './blocks'
import { answered, ask, button, chat, click, closed, find, place, press, show, transport, type } from './shownPanel'

const CITATION = {
  chapter: 'joints/gears',
  chapterTitle: 'Gears',
  sectionTitle: 'Harmonic drives',
  sourceFile: 'gears.mdx',
  excerpt: 'A harmonic drive is a gear.',
  url: '/docs/gears#drives',
}

describe('the keyboard', () => {
  it('has the input in focus when the chat opens', async () => {
    await show()
    expect(document.activeElement).toBe(find('.cb-input'))
  })

  it('sends with Enter', async () => {
    await show()
    await ask()
    expect(transport.asked).toEqual([{ question: 'What is it?' }])
    expect(find<HTMLTextAreaElement>('.cb-input').value).toBe('')
  })

  it.each([
    ['Shift+Enter', { shiftKey: true }],
    ['Enter of an input method', { isComposing: true }],
  ])('does not send with %s', async (_, more) => {
    await show()
    await type('What is it?')
    await press(find('.cb-input'), 'Enter', more)
    expect(transport.asked).toEqual([])
  })

  it('closes with Escape', async () => {
    await show()
    await press(find('.cb-input'), 'Escape')
    expect(closed).toHaveBeenCalledOnce()
  })

  it('closes only the excerpt with the first Escape on a chip', async () => {
    await show()
    await answered('A gear.', { citations: [CITATION] })
    await act(async () => find('.cb-chip').focus())
    expect(find('.cb-popover').textContent).toContain('A harmonic drive is a gear.')
    await press(find('.cb-chip'), 'Escape')
    expect(place.querySelector('.cb-popover')).toBeNull()
    expect(closed).not.toHaveBeenCalled()
  })

  it('widens and narrows the panel within its limits', async () => {
    await show()
    const handle = find('[role=separator]')
    for (let step = 0; step < 20; step += 1) await press(handle, 'ArrowLeft')
    expect(handle.getAttribute('aria-valuenow')).toBe('600')
    for (let step = 0; step < 20; step += 1) await press(handle, 'ArrowRight')
    expect(find('.cb-panel').style.width).toBe('320px')
  })
})

describe('an answer', () => {
  it('has a chip for each source, whose click goes to the book', async () => {
    await show()
    await answered('A gear.', { citations: [CITATION] })
    const chip = find<HTMLAnchorElement>('a.cb-chip')
    expect(chip.getAttribute('aria-label')).toBe('Source 1: Gears › Harmonic drives')
    expect(chip.href).toContain('/docs/gears#drives:~:text=')
    await click(chip)
    expect(chat.follow).toHaveBeenCalledWith(CITATION)
  })

  it.each(['https://evil.example/', 'javascript:alert(1)'])('has no link to %s', async (url) => {
    await show()
    await answered('A gear.', {
      citations: [{ ...CITATION, url }],
      suggestions: [{ title: 'Evil', url, snippet: 'Evil' }],
    })
    expect(place.querySelectorAll('a')).toHaveLength(0)
    expect(place.textContent).not.toContain('Evil')
  })

  it("says in the server's words whether it answers, and that a figure is not calibrated", async () => {
    await show()
    await answered('A gear.', {
      confidence: 0.42,
      calibrated: false,
      support: 'closest',
      supportText: 'Closest in the book',
    })
    expect(find('.cb-confidence summary').textContent).toBe('Closest in the book')
    expect(find('.cb-confidence').textContent).toContain('42 %')
    expect(find('.cb-confidence').textContent).toContain('not calibrated')
  })

  it('to a greeting is a reply, and not that the book has none', async () => {
    await show()
    await answered('Hello!', { confidence: 0, outcome: 'refused', support: 'talk' })
    expect(find('.cb-answer').getAttribute('aria-label')).toBe('Reply')
    expect(place.querySelector('.cb-refused, .cb-confidence')).toBeNull()
  })

  it('says above it what was searched for where words were mistyped', async () => {
    await show()
    await answered('A gear.', { corrected: 'what is a lidar' })
    const note = find('.cb-corrected')
    expect(note.textContent).toBe('Showing results for what is a lidar')
    expect(note.nextElementSibling?.textContent).toContain('A gear.')
  })

  it('says nothing of the kind where the question was searched for as it is', async () => {
    await show()
    await answered('A gear.', {})
    expect(place.querySelector('.cb-corrected')).toBeNull()
  })

  it('says what a language model took to write it, and nothing where none was used', async () => {
    await show()
    await answered('A gear.', { tokensUsed: { input: 900, output: 34, total: 934 } })
    expect(find('.cb-tokens').textContent).toBe('934 tokens used: 900 read, 34 written')
    await answered('A wheel.')
    expect(place.querySelectorAll('.cb-tokens')).toHaveLength(1)
  })

  it('warns when the confidence is low', async () => {
    await show()
    await answered('A gear.', { confidence: 0.25, lowConfidence: true })
    expect(find('.cb-band').textContent).toContain('Check the sources')
  })

  it('offers parts of the book when it is refused, and no confidence', async () => {
    await show()
    await answered('I did not find this in the book.', {
      outcome: 'refused',
      confidence: 0.1,
      suggestions: [{ title: 'Gears', url: '/docs/gears', snippet: 'A gear turns …' }],
    })
    expect(find('.cb-suggestions a').textContent).toBe('Gears')
    expect(find('.cb-snippet').textContent).toBe('A gear turns …')
    expect(place.querySelector('.cb-confidence')).toBeNull()
  })

  it('is stopped by the button that stands where one sends', async () => {
    await show()
    await ask()
    await act(() => transport.say('Half'))
    await click(button('Stop the answer'))
    expect(find('.cb-incomplete').textContent).toContain('incomplete')
  })

  const said = () => [...place.querySelectorAll('[role=log] p')].map((one) => one.textContent)

  it('says each part once to screen readers', async () => {
    await show()
    await ask()
    await act(() => transport.say('A gear. [1]', [sentence('A gear.', 1)]))
    const parts = [sentence('It bends.', 2), part(3, table(['a', 'b'], ['1', '2']))]
    await act(() => transport.say(' It bends. [2]', parts))
    await act(() => transport.finish({ parts: [sentence('A gear.', 1), ...parts] }))
    expect(said()).toEqual(['Searching the book…', 'A gear.', 'It bends.', 'a, b\n1, 2'])
  })

  it('without parts is shown and said as its text', async () => {
    await show()
    await ask()
    await act(() => transport.say('A **gear**.'))
    expect(said()).toEqual(['Searching the book…'])
    await act(() => transport.say(' It bends.'))
    await act(() => transport.finish())
    expect(said()).toEqual(['Searching the book…', 'A **gear**. It bends.'])
    expect(find('.cb-plain').textContent).toBe('A **gear**. It bends.')
  })

  it('is shown as blocks, with a button that copies their text', async () => {
    const writeText = vi.fn(() => Promise.resolve())
    vi.stubGlobal('navigator', { clipboard: { writeText } })
    await show()
    await ask()
    await act(() => transport.say('…', [part(1, table(['a', 'b'], ['1', '2']))]))
    await act(() => transport.finish({ citations: [{ ...CITATION, excerpt: '' }] }))
    expect(find('.cb-answer table').textContent).toBe('ab12')
    expect(find('.cb-tail .cb-chip').textContent).toBe('1')
    await click(button('Copy answer'))
    expect(writeText).toHaveBeenCalledWith(
      'a\tb\n1\t2\n[1]\n\nSources\n[1] Gears › Harmonic drives: http://localhost:3000/docs/gears#drives',
    )
  })

  it('takes a rating and an optional note', async () => {
    await show()
    await answered('A gear.', { answerId: 'a1' })
    await click(button('Bad answer'))
    const note = find<HTMLTextAreaElement>('.cb-feedback textarea')
    await act(async () => {
      Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')!.set!.call(note, 'Too short')
      note.dispatchEvent(new Event('input', { bubbles: true }))
    })
    await act(async () => find<HTMLFormElement>('.cb-feedback').requestSubmit())
    expect(transport.rated).toEqual([
      ['a1', 'down', undefined],
      ['a1', 'down', { note: 'Too short' }],
    ])
    expect(find('.cb-told').textContent).toContain('Thank you')
  })
})

describe('a failure', () => {
  it('counts down a rate limit and lets the reader ask again by itself', async () => {
    await show()
    vi.useFakeTimers()
    await ask()
    await act(() => transport.fail(new ChatError('rate_limited', 'Too many questions.', true, 65)))
    expect(find('.cb-countdown').textContent).toContain('1 min 05 s')
    await type('Another?')
    expect(button('Send').disabled).toBe(true)
    await act(() => vi.advanceTimersByTimeAsync(5000))
    expect(find('.cb-countdown').textContent).toContain('1 min 00 s')
    await act(() => vi.advanceTimersByTimeAsync(60_000))
    expect(place.querySelector('.cb-countdown')).toBeNull()
    expect(button('Send').disabled).toBe(false)
  })

  it('offers to try again and keeps the question', async () => {
    await show()
    await ask()
    await act(() => transport.fail(new ChatError('unavailable', 'The server cannot answer right now.', true)))
    expect(find('[role=alert]').textContent).toBe('The server cannot answer right now.')
    await click(button('Try again'))
    expect(transport.asked).toHaveLength(2)
    expect(place.querySelectorAll('.cb-question')).toHaveLength(1)
  })

  it('offers frequent questions while the book cannot be searched, each with the way to its place', async () => {
    await show()
    await ask()
    const faq = [
      { question: 'What is a gear?', answer: 'A <b>wheel</b> with teeth.', url: '/docs/gears#gear' },
      { question: 'Who wrote this?', answer: 'We did.', url: 'https://evil.example/' },
    ]
    await act(() => transport.fail(new ChatError('unavailable', 'No index.', true, 1, 503, 'x', faq)))
    expect([...place.querySelectorAll('.cb-faq summary')].map((one) => one.textContent)).toEqual([
      'What is a gear?',
      'Who wrote this?',
    ])
    expect(find('.cb-faq .cb-plain').textContent).toBe('A <b>wheel</b> with teeth.')
    expect(place.querySelectorAll('.cb-faq a')).toHaveLength(1)
    await click(find('.cb-faq a'))
    expect(chat.follow).toHaveBeenCalledWith(expect.objectContaining({ url: '/docs/gears#gear' }))
    await click(button('Try again'))
    expect(place.querySelector('.cb-faq')).toBeNull()
  })

  it('offers nothing where asking again cannot help', async () => {
    await show()
    await ask()
    await act(() => transport.fail(new ChatError('invalid', 'Too long.', false)))
    expect(() => button('Try again')).toThrow()
  })
})

describe('the input', () => {
  it('counts characters near the limit and refuses more', async () => {
    await show()
    await type('x'.repeat(79))
    expect(find('.cb-counter').textContent).toBe('')
    await type('x'.repeat(101))
    expect(find('.cb-counter').textContent).toBe('101 of 100 characters')
    expect(button('Send').disabled).toBe(true)
  })

  it('shows the passage, which can be made strict and removed', async () => {
    await show()
    await act(async () => chat.store.actions.setPassage({ text: 'A harmonic drive.', strict: false }))
    await click(find('[role=switch]'))
    expect(chat.store.getState().passage).toEqual({ text: 'A harmonic drive.', strict: true })
    await click(button('Remove passage'))
    expect(place.querySelector('.cb-passage')).toBeNull()
    expect(document.activeElement).toBe(find('.cb-input'))
  })
})

describe('the whole conversation', () => {
  it('is cleared only after the reader has said so twice', async () => {
    await show('persistent')
    await answered('A gear.')
    await click(button('Clear history'))
    expect(transport.forgotten).toBe(0)
    expect(document.activeElement).toBe(button('Keep'))
    await press(button('Keep'), 'Escape')
    expect(closed).not.toHaveBeenCalled()
    await click(button('Clear history'))
    await click(button('Delete'))
    expect(transport.forgotten).toBe(1)
    expect(document.activeElement).toBe(find('.cb-input'))
    expect(place.querySelector('.cb-answer')).toBeNull()
  })

  it('begins with example questions', async () => {
    await show('ephemeral', { examples: ['What is a gear?'] })
    await click(button('What is a gear?'))
    expect(transport.asked).toEqual([{ question: 'What is a gear?' }])
  })
})
