import type { Inline } from '@citebook/client'
import { describe, expect, it } from 'vitest'
import { keySentenceOf, splitRuns } from '../src/components/keySentence'
import { bullets, code, paragraph, run } from './blocks'

const TEXT = 'A drive bends a cup. Gimbal lock is a loss of one degree (see 3.5). It is rare.'
const said = (runs: Inline[]): string => runs.map(({ text }) => text).join('')

describe('the sentence that says most of what was asked', () => {
  it('is found in its paragraph, whole', () => {
    const key = keySentenceOf([paragraph('First. Second.'), paragraph(TEXT)], 'what is gimbal lock?')!
    expect(key.block).toBe(1)
    expect(TEXT.slice(key.start, key.end)).toBe('Gimbal lock is a loss of one degree (see 3.5).')
  })

  it.each([
    ['the passage is one sentence', [paragraph('Gimbal lock is a loss.')], 'gimbal lock'],
    ['two say as much', [paragraph('Gimbal lock is bad. Gimbal lock is rare.')], 'gimbal lock'],
    ['none has a word of the question', [paragraph(TEXT)], 'harmonic'],
    ['the question has no word of its own', [paragraph(TEXT)], 'why is it so?'],
    ['nothing was asked', [paragraph(TEXT)], ''],
    ['there is no paragraph', [code('', TEXT), bullets([paragraph(TEXT)])], 'gimbal lock'],
  ])('is none where %s', (_, blocks, question) => {
    expect(keySentenceOf(blocks, question)).toBeUndefined()
  })

  it('is cut out of its runs, which keep their marks', () => {
    const runs = [run('One. '), run('Gimbal', 'strong'), run(' lock'), run('x^2', 'formula'), run('. Three.')]
    const end = said(runs).indexOf(' Three.')
    const [before, key, after] = splitRuns(runs, 'One. '.length, end)
    expect([said(before), said(key), said(after)]).toEqual(['One. ', 'Gimbal lockx^2.', ' Three.'])
    expect(key[0]!.marks).toEqual(['strong'])
    expect(key[2]!.marks).toEqual(['formula'])
  })

  it('loses nothing, wherever it is cut', () => {
    const runs = [run('abc'), run('de', 'code'), run('f')]
    for (let start = 0; start <= 6; start += 1)
      for (let end = start; end <= 6; end += 1) expect(splitRuns(runs, start, end).map(said).join('')).toBe('abcdef')
  })
})
