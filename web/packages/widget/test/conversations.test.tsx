import { act } from 'react'
import { describe, expect, it } from 'vitest'
import { answered, button, chat, click, closed, find, place, press, show, transport } from './shownPanel'

const GEARS = {
  id: 's1',
  title: 'What is a gear?',
  lastActivityAt: new Date('2026-01-05T09:30:00Z'),
  isCurrent: false,
}
const MOTORS = {
  id: 's2',
  title: 'What is a motor?',
  lastActivityAt: new Date('2026-01-06T09:30:00Z'),
  isCurrent: true,
}
const OLDER = { id: 's3', title: '', isCurrent: false }
const message = (id: string, content: string) => ({ id, role: 'user' as const, content, timestamp: new Date(0) })

const rows = () => [...place.querySelectorAll<HTMLElement>('.cb-conversations button')]
const titles = () => rows().map((row) => row.querySelector('.cb-conversation-title')?.textContent)

/** A chat that has loaded, where these can be opened. */
async function showWith(...listed: typeof transport.listed): Promise<void> {
  await show('persistent')
  transport.listed = listed
  await act(() => chat.store.actions.load())
}

describe('earlier conversations', () => {
  it('are not offered where there are none but the one that is open', async () => {
    await showWith({ entries: [MOTORS] })
    expect(() => button('Earlier conversations')).toThrow()
    expect(() => button('Clear history')).toThrow()
  })

  it('are listed newest first, with the one that is open marked', async () => {
    await showWith({ entries: [GEARS, MOTORS] })
    await click(button('Earlier conversations'))
    expect(titles()).toEqual(['What is a motor?', 'What is a gear?'])
    expect(rows().map((row) => row.getAttribute('aria-current'))).toEqual(['true', 'false'])
    expect(rows()[0]?.textContent).toContain('open now')
    expect(rows()[1]?.textContent).toContain('2026')
  })

  it('are opened by a press, and the list is put away', async () => {
    await showWith({ entries: [GEARS, MOTORS] })
    await answered('A motor turns.')
    await click(button('Earlier conversations'))
    transport.kept = [message('m1', 'What is a gear?')]
    await click(rows()[1]!)
    expect(transport.opened).toEqual(['s1'])
    expect(find('.cb-question').textContent).toBe('What is a gear?')
    expect(place.querySelectorAll('.cb-question')).toHaveLength(1)
    expect(place.querySelector('.cb-sheet')).toBeNull()
    expect(document.activeElement).toBe(find('.cb-input'))
  })

  it('stay as they are where the one that is open is pressed', async () => {
    await showWith({ entries: [GEARS, MOTORS] })
    await click(button('Earlier conversations'))
    await click(rows()[0]!)
    expect(transport.opened).toEqual([])
  })

  it('come in pages', async () => {
    await showWith({ entries: [GEARS, MOTORS], next: '1' }, { entries: [OLDER, GEARS] })
    await click(button('Earlier conversations'))
    await click(button('Show more'))
    expect(titles()).toEqual(['What is a motor?', 'What is a gear?', 'Conversation'])
    expect(() => button('Show more')).toThrow()
    expect(document.activeElement).toBe(rows()[2])
  })

  it('say so where one is kept no longer', async () => {
    await showWith({ entries: [GEARS, MOTORS] })
    await click(button('Earlier conversations'))
    await click(rows()[1]!)
    expect(find('[role=alert]').textContent).toBe('This conversation is kept no longer.')
  })

  it('are put away with Escape, which leaves the chat open', async () => {
    await showWith({ entries: [GEARS, MOTORS] })
    await click(button('Earlier conversations'))
    expect(document.activeElement).toBe(button('Back to the chat'))
    await press(button('Back to the chat'), 'Escape')
    expect(place.querySelector('.cb-sheet')).toBeNull()
    expect(closed).not.toHaveBeenCalled()
  })

  it('can be cleared where the chat itself is still empty', async () => {
    await showWith({ entries: [GEARS] })
    await click(button('Clear history'))
    await click(button('Delete'))
    expect(transport.forgotten).toBe(1)
  })
})

describe('a conversation that comes late', () => {
  it('is not shown in the one that was opened after it', async () => {
    await show('persistent')
    let tell: (messages: (typeof transport)['kept']) => void = () => undefined
    transport.history = () =>
      new Promise((resolve) => {
        tell = resolve
      })
    const loading = chat.store.actions.load()
    await act(async () => chat.store.actions.newChat())
    await act(async () => {
      tell([message('m1', 'An old question')])
      await loading
    })
    expect(place.querySelector('.cb-question')).toBeNull()
  })
})
