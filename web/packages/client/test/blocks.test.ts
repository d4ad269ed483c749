import { describe, expect, it } from 'vitest'
import { type Block, blocksOf, partsOf } from '../src/blocks'

const EVERY_KIND: Block[] = [
  {
    kind: 'paragraph',
    text: [
      { text: 'Torque is ', marks: [] },
      { text: '\\tau = K_t i', marks: ['formula'] },
      { text: 'always', marks: ['strong', 'emphasis', 'code'] },
    ],
  },
  { kind: 'list', ordered: true, start: 3, items: [[{ kind: 'paragraph', text: [{ text: 'One', marks: [] }] }], []] },
  { kind: 'table', header: [[{ text: 'a', marks: [] }], []], rows: [[[{ text: '1', marks: [] }], []]] },
  { kind: 'code', language: 'python', text: 'if a < b:\n\treturn' },
  { kind: 'formula', text: '\\frac{a}{b}' },
  { kind: 'quotation', blocks: [{ kind: 'formula', text: 'x' }] },
]

describe('blocks', () => {
  it('of every kind pass as they are', () => {
    expect(blocksOf(JSON.parse(JSON.stringify(EVERY_KIND)))).toEqual(EVERY_KIND)
  })

  it.each([
    ['nothing', undefined, []],
    ['a text', 'paragraph', []],
    ['numbers', [1, null, true, [[]]], []],
    ['a kind that is not there', [{ kind: 'script', text: 'x' }, { kind: 'constructor' }, { kind: {} }], []],
    ['a paragraph without text', [{ kind: 'paragraph', text: 7 }], [{ kind: 'paragraph', text: [] }]],
    [
      'runs and marks of other types',
      [
        {
          kind: 'paragraph',
          text: [{ text: 'a', marks: ['strong', 'script', 1] }, { text: {} }, null, { text: '' }],
        },
      ],
      [{ kind: 'paragraph', text: [{ text: 'a', marks: ['strong'] }] }],
    ],
    ['a list of nothing', [{ kind: 'list', start: '1' }], [{ kind: 'list', ordered: false, start: null, items: [] }]],
    ['a table of nothing', [{ kind: 'table', rows: [1] }], [{ kind: 'table', header: [], rows: [[]] }]],
    ['code of nothing', [{ kind: 'code', language: 1 }], [{ kind: 'code', language: '', text: '' }]],
  ])('that are %s do no harm', (_name, value, expected) => {
    expect(blocksOf(value)).toEqual(expected)
  })

  it('keep of a language its name alone', () => {
    const languages = ['c++', 'python title="x"', '"><img onerror=x>', 'x'.repeat(40), 'objective-c']
    const named = blocksOf(languages.map((language) => ({ kind: 'code', language, text: '' })))
    expect(named.map((block) => (block.kind === 'code' ? block.language : ''))).toEqual([
      'c++',
      'python',
      '',
      'x'.repeat(30),
      'objective-c',
    ])
  })

  it('lose what a reader cannot see, and keep emoji whole', () => {
    const hidden = 'a\u200bb\u202ec\u{e0041}d\ufe0fe \u2764\ufe0f 👩‍👩‍👧\r\nf'
    const seen = 'abcde \u2764\ufe0f 👩‍👩‍👧\nf'
    expect(blocksOf([{ kind: 'code', language: '', text: hidden }])).toEqual([
      { kind: 'code', language: '', text: seen },
    ])
    expect(blocksOf([{ kind: 'paragraph', text: [{ text: hidden, marks: [] }] }])).toEqual([
      { kind: 'paragraph', text: [{ text: seen, marks: [] }] },
    ])
  })

  it('nested without end are cut off', () => {
    let deep: unknown[] = [{ kind: 'formula', text: 'x' }]
    for (let depth = 0; depth < 2_000; depth += 1) deep = [{ kind: 'quotation', blocks: deep }]
    expect(JSON.stringify(blocksOf(deep)).length).toBeLessThan(1_000)
  })
})

describe('parts', () => {
  const blocks: Block[] = [{ kind: 'formula', text: 'x' }]

  it('have the position of their source, or none', () => {
    const positions = [1, 12, null, undefined, 0, -1, 1.5, '1', {}]
    expect(partsOf(positions.map((citation) => ({ blocks, citation })))?.map(({ citation }) => citation)).toEqual([
      1,
      12,
      ...Array<null>(7).fill(null),
    ])
  })

  it.each([undefined, null, [], {}, 'x', [{}], [{ blocks: [] }], [null]])('are none in %j', (value) => {
    expect(partsOf(value)).toBeUndefined()
  })
})
