import type { FilterChoices } from '@citebook/client'
import { act } from 'react'
import { describe, expect, it } from 'vitest'
import { answered, ask, button, chat, click, closed, find, place, press, show, transport } from './shownPanel'

describe('the part of the book', () => {
  const CHOICES: FilterChoices = {
    modules: [{ number: 2, title: 'Simulation' }],
    difficulties: ['beginner', 'advanced'],
    tags: ['imu', 'lidar', 'slam'],
  }
  const toggle = () => find<HTMLButtonElement>('.cb-filter-toggle')
  const select = (label: string): HTMLSelectElement => {
    const named = [...place.querySelectorAll('label')].find((one) => one.textContent === label)
    return find<HTMLSelectElement>(`[id="${named?.htmlFor}"]`)
  }
  const choose = (label: string, value: string): Promise<void> =>
    act(async () => {
      select(label).value = value
      select(label).dispatchEvent(new Event('change', { bubbles: true }))
    })

  it.each(['ephemeral', 'persistent'] as const)('is chosen in a chat that is %s', async (mode) => {
    await show(mode, { choices: CHOICES })
    expect(toggle().textContent).toBe('Search in: Whole book')
    await click(toggle())
    await choose('Part of the book', '2')
    await choose('Level', 'beginner')
    await choose('Topics', 'slam')
    await choose('Topics', 'imu')
    expect(toggle().textContent).toBe('Search in: Simulation · Beginner · slam · imu')
    await ask()
    expect(transport.asked[0]?.filters).toEqual({
      module: { number: 2, title: 'Simulation' },
      difficulty: 'beginner',
      tags: ['slam', 'imu'],
    })
    expect(place.querySelector('.cb-filters')).toBeNull()
  })

  it('is let go, topic by topic or all at once', async () => {
    await show('ephemeral', { choices: CHOICES })
    await click(toggle())
    await choose('Topics', 'slam')
    await choose('Topics', 'imu')
    expect([...select('Topics').options].map(({ value }) => value)).toEqual(['', 'lidar'])
    await click(button('Remove topic slam'))
    expect(chat.store.getState().filters).toEqual({ tags: ['imu'] })
    expect(document.activeElement).toBe(find('.cb-filters'))
    await choose('Level', 'advanced')
    await choose('Level', '')
    expect(chat.store.getState().filters).toEqual({ tags: ['imu'] })
    await click(button('Search the whole book'))
    expect(chat.store.getState().filters).toEqual({})
    expect(toggle().textContent).toBe('Search in: Whole book')
    expect(document.activeElement).toBe(find('.cb-filters'))
  })

  it('offers only what the book has', async () => {
    await show('ephemeral', { choices: { ...CHOICES, modules: [], tags: [] } })
    await click(toggle())
    expect([...place.querySelectorAll('.cb-filters label')].map((one) => one.textContent)).toEqual(['Level'])
    expect([...select('Level').options].map(({ value }) => value)).toEqual(['', 'beginner', 'advanced'])
  })

  it('cannot be chosen in a book that is all of a piece, nor for a question about a passage', async () => {
    await show()
    expect(place.querySelector('.cb-filter-toggle')).toBeNull()
    await show('ephemeral', { choices: CHOICES })
    await act(async () => chat.store.actions.setPassage({ text: 'A harmonic drive.', strict: false }))
    expect(place.querySelector('.cb-filter-toggle')).toBeNull()
  })

  it('is put away with Escape, which leaves the chat open', async () => {
    await show('ephemeral', { choices: CHOICES })
    await click(toggle())
    await press(select('Level'), 'Escape')
    expect(place.querySelector('.cb-filters')).toBeNull()
    expect(closed).not.toHaveBeenCalled()
    expect(document.activeElement).toBe(find('.cb-input'))
  })

  it('that has little, or that the book lacks, is told below the answer', async () => {
    await show()
    await answered('A gear.', { filterMessage: 'The book has nothing for tags: radar. It has tags: imu.' })
    expect(find('.cb-filter-note').textContent).toContain('It has tags: imu.')
  })
})
