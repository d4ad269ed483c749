import { afterEach, describe, expect, it } from 'vitest'
import { shareUrl, takeSharedQuestion } from '../src/navigation/sharedQuestion'

const visit = (path: string): void => history.replaceState({ key: 'kept' }, '', path)

afterEach(() => visit('/'))

describe('the link to an answer', () => {
  it('is the page with the question and the edition, and nothing else of its address', () => {
    const page = 'https://book.example/docs/gears?token=secret#drives'
    expect(shareUrl('What is a gear & why?', 'e7', page)).toBe(
      'https://book.example/docs/gears?ask=What+is+a+gear+%26+why%3F&edition=e7',
    )
    expect(shareUrl('What?', undefined, page)).toBe('https://book.example/docs/gears?ask=What%3F')
  })

  it('is taken once, and leaves the rest of the address and of the history as they are', () => {
    visit('/docs/?lang=en&ask=What+is+a+gear%3F&edition=e7#drives')
    const entries = history.length
    expect(takeSharedQuestion()).toEqual({ question: 'What is a gear?', edition: 'e7' })
    expect(location.pathname + location.search + location.hash).toBe('/docs/?lang=en#drives')
    expect(history.state).toEqual({ key: 'kept' })
    expect(history.length).toBe(entries)
    expect(takeSharedQuestion()).toBeUndefined()
  })

  it('of a hostile length is not asked, and does not stay in the address', () => {
    visit(`/docs/?ask=${'a'.repeat(1001)}`)
    expect(takeSharedQuestion()).toBeUndefined()
    expect(location.search).toBe('')
  })

  it('with an edition of a hostile length has none', () => {
    visit(`/docs/?ask=What%3F&edition=${'a'.repeat(101)}`)
    expect(takeSharedQuestion()).toEqual({ question: 'What?' })
  })
})
