import { describe, expect, it } from 'vitest'

import { hashOf, type Place, placeOf, quotedAt } from '../src/route'

describe('a place in the address', () => {
  it.each<Place>([
    { chapter: 'intro' },
    { chapter: 'module 1/chapter?x#y', section: 'a&b=c' },
    { chapter: 'kapitel/ärmel', section: 'page=3', quote: 'It’s 50 % + “more”, isn’t it? — yes & no' },
  ])('comes back as it was: %j', (place) => {
    expect(placeOf(hashOf(place))).toEqual(place)
  })

  it.each(['', '#', '#/', '#/read/', '#/other/x', '#/read/%E0%A4%A'])('is none in %j', (hash) => {
    expect(placeOf(hash)).toBeNull()
  })

  it('holds a long passage by whole words of its two ends', () => {
    const quoted = quotedAt(`Begin here ${'word '.repeat(1000)}and end there.`)
    expect(quoted.quote).toMatch(/^Begin here .*word$/)
    expect(quoted.quoteEnd).toMatch(/^word .* and end there\.$/)
    expect(placeOf(hashOf({ chapter: 'a', ...quoted }))).toEqual({ chapter: 'a', ...quoted })
    expect(hashOf({ chapter: 'a', ...quoted }).length).toBeLessThan(320)
  })
})
