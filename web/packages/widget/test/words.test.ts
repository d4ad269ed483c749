import { expect, it } from 'vitest'
import { directionOf, languageOf } from '../src/host/language'
import { english, filled, wordsIn } from '../src/words'

const gaps = (text: string): Set<string> => new Set(text.match(/\{\w+\}/g))

it.each(['de', 'fr', 'es', 'ur'])('%s says all that English says, with the same gaps', async (language) => {
  const words = await wordsIn(language)
  expect(words).not.toBe(english)
  expect(new Set(Object.keys(words))).toEqual(new Set(Object.keys(english)))
  for (const name of Object.keys(english) as (keyof typeof english)[]) {
    expect(words[name].trim(), name).not.toBe('')
    expect(gaps(words[name]), name).toEqual(gaps(english[name]))
  }
})

it('is English in a language that the chat does not speak', async () => {
  expect(await wordsIn('tlh')).toBe(english)
  expect(languageOf('ar-EG')).toBe('en')
})

it('speaks the language of the page unless told otherwise', () => {
  document.documentElement.lang = 'de-AT'
  expect(languageOf('auto')).toBe('de')
  expect(languageOf('ur')).toBe('ur')
  document.documentElement.lang = ''
  expect(languageOf('auto')).toBe('en')
})

it('writes Urdu from right to left', () => {
  expect(['en', 'de', 'fr', 'es', 'ur'].map(directionOf)).toEqual(['ltr', 'ltr', 'ltr', 'ltr', 'rtl'])
})

it('fills gaps, and leaves those that nothing is told for', () => {
  expect(filled('{a} of {b}', { a: 1 })).toBe('1 of {b}')
})
