// @vitest-environment jsdom
import type { AnswerPart, Block } from '@citebook/client'
import { act } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { partsOf } from '../../../client/src/blocks'
import { PlainAnswer, RenderedAnswer, RenderedSection } from '../../src/rendering'
import { loadMaths } from '../../src/rendering/Maths'
import {
  bullets,
  code,
  everyPlace,
  formula,
  numbered,
  paragraph,
  part,
  quotation,
  run,
  sentence,
  table,
} from '../blocks'
import { HOSTILE } from './hostile'

const HTML_ELEMENTS = new Set(
  'div p span strong em code pre button ul ol li table thead tbody tr th td blockquote cite'.split(' '),
)
const MATH_ELEMENT = /^(math|semantics|annotation|m[a-z]+|none)$/
const ATTRIBUTES = new Set(
  'class dir role aria-label tabindex type scope start data-number data-citebook-skip'.split(' '),
)

let root: Root
let host: HTMLElement

beforeAll(async () => {
  ;(globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT = true
  await loadMaths()
})

beforeEach(() => {
  host = document.createElement('div')
  root = createRoot(host)
})

afterEach(() => act(() => root.unmount()))

const citation = (number: number) => <cite data-number={number}>{number}</cite>

function show(...parts: AnswerPart[]): HTMLElement {
  act(() => root.render(<RenderedAnswer parts={parts} citation={citation} />))
  return host.firstElementChild as HTMLElement
}

function showBlocks(...blocks: Block[]): HTMLElement {
  act(() => root.render(<RenderedSection blocks={blocks} />))
  return host.firstElementChild as HTMLElement
}

/** What a server sends, as the client takes it. */
function received(blocks: Block[], position = 1): AnswerPart[] {
  return partsOf(JSON.parse(JSON.stringify([{ blocks, citation: position }]))) ?? []
}

const isMaths = (element: Element): boolean => element.namespaceURI === 'http://www.w3.org/1998/Math/MathML'

function isAllowed(element: Element): boolean {
  return isMaths(element) ? MATH_ELEMENT.test(element.localName) : HTML_ELEMENTS.has(element.localName)
}

/** Formulas have many attributes of their own, none of which leads anywhere; a label may say anything. */
function isHarmless(element: Element, { name, value }: Attr): boolean {
  const isKnown = ATTRIBUTES.has(name) || (isMaths(element) && !/^(on|href|src|xlink|id$|style)/.test(name))
  return isKnown && (name === 'aria-label' || name === 'encoding' || !/[:/(]/.test(value))
}

function dangersIn(element: Element): string[] {
  return [...element.querySelectorAll('*')].flatMap((found) => [
    ...(isAllowed(found) ? [] : [`<${found.localName}>`]),
    ...[...found.attributes]
      .filter((attribute) => !isHarmless(found, attribute))
      .map(({ name, value }) => `${name}="${value}"`),
  ])
}

describe('hostile text', () => {
  it.each(HOSTILE)('stays harmless wherever a block can have text: %s', (text) => {
    const shown = show(...received(everyPlace(text)))
    expect(dangersIn(shown)).toEqual([])
    expect(shown.querySelectorAll('table, pre, blockquote, ol, ul, .cb-formula').length).toBeGreaterThan(10)
  })

  it('stays harmless while an answer grows part by part, and ends as it would in one piece', () => {
    const parts = HOSTILE.flatMap((text, index) => received(everyPlace(text).slice(index % 3), (index % 9) + 1))
    for (let end = 1; end <= parts.length; end += 1) show(...parts.slice(0, end))
    expect(dangersIn(host)).toEqual([])
    const grown = host.innerHTML
    show()
    show(...parts)
    expect(host.innerHTML).toBe(grown)
  })

  it('is shown as the characters it is written with', () => {
    const text = 'a <script>alert(1)</script> **b** [c](javascript:alert(1)) &lt; $x$ [1]'
    expect(show(sentence(text)).textContent).toBe(text)
    expect(showBlocks(code('', text)).querySelector('pre')!.textContent).toBe(text)
  })

  it('stays harmless in an answer that was kept as text', () => {
    for (const text of HOSTILE) {
      act(() => root.render(<PlainAnswer text={text} />))
      expect(dangersIn(host)).toEqual([])
    }
  })
})

describe('blocks', () => {
  const cases: [string, Block, string][] = [
    [
      'marks',
      paragraph(
        'a ',
        run('b', 'strong'),
        ' ',
        run('c', 'emphasis'),
        run('d', 'strong', 'emphasis'),
        run('e', 'code'),
      ),
      '<p>a <strong>b</strong> <em>c</em><strong><em>d</em></strong><code>e</code></p>',
    ],
    [
      'a list with a list inside',
      bullets([paragraph('a'), bullets([paragraph('b')])], [paragraph('c')]),
      '<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>',
    ],
    [
      'a numbered list that goes on',
      numbered(3, [paragraph('a')], [paragraph('b')]),
      '<ol start="3"><li>a</li><li>b</li></ol>',
    ],
    ['a numbered list without a number', numbered(null, [paragraph('a')]), '<ol><li>a</li></ol>'],
    [
      'a loose list',
      bullets([paragraph('a'), paragraph('b')], [paragraph('c')]),
      '<ul><li><p>a</p><p>b</p></li><li><p>c</p></li></ul>',
    ],
    [
      'quotations',
      quotation(paragraph('a'), quotation(paragraph('b'))),
      '<blockquote><p>a</p><blockquote><p>b</p></blockquote></blockquote>',
    ],
  ]
  it.each(cases)('show %s', (_name, block, html) => {
    expect(showBlocks(block).innerHTML).toBe(html)
  })

  it('show tables with their header, in a box that can be scrolled', () => {
    const shown = showBlocks(table(['a', ''], ['1 | 2', run('x', 'code')], ['3']))
    expect(shown.querySelector('.cb-table > table')).not.toBeNull()
    expect(shown.querySelector('thead')!.innerHTML).toBe('<tr><th scope="col">a</th><td></td></tr>')
    expect([...shown.querySelectorAll('tbody td')].map((cell) => cell.innerHTML)).toEqual([
      '1 | 2',
      '<code>x</code>',
      '3',
    ])
  })

  it('show tables without a header', () => {
    const shown = showBlocks(table([], ['1', '2']))
    expect(shown.querySelector('thead')).toBeNull()
    expect(shown.querySelectorAll('td')).toHaveLength(2)
  })

  it('name a column by its formula', () => {
    expect(
      showBlocks(table([run('x^2', 'formula')]))
        .querySelector('th math')!
        .getAttribute('aria-label'),
    ).toBe('x^2')
  })

  it('show code with its language, as written', () => {
    const shown = showBlocks(code('python', 'if a < b:\n\n\t**c**'))
    expect(shown.querySelector('.cb-code-language')!.textContent).toBe('python')
    expect(shown.querySelector('button')!.getAttribute('aria-label')).toBe('Copy code: python')
    expect(shown.querySelector('pre code')!.textContent).toBe('if a < b:\n\n\t**c**')
  })
})

describe('the parts of an answer', () => {
  it('are one paragraph where they are sentences, each with its source', () => {
    expect(show(sentence('A.', 1), sentence('B.', 2), sentence('C.')).innerHTML).toBe(
      '<p>A. <cite data-number="1">1</cite> B. <cite data-number="2">2</cite> C.</p>',
    )
  })

  it('have their source after the last words', () => {
    const shown = show(
      part(1, paragraph('Do:'), numbered(1, [paragraph('a')], [paragraph('b'), bullets([paragraph('c')])])),
      part(2, quotation(paragraph('d'))),
    )
    expect([...shown.querySelectorAll('cite')].map((cite) => cite.parentElement!.textContent)).toEqual(['c 1', 'd 2'])
  })

  it.each([
    ['code', code('', 'x')],
    ['a table', table(['a'], ['b'])],
    ['a formula', formula('x')],
  ])('have it in a line of its own after %s', (_name, block) => {
    expect(show(part(3, block)).lastElementChild!.outerHTML).toBe(
      '<p class="cb-tail"> <cite data-number="3">3</cite></p>',
    )
  })

  it('keep their elements when more parts arrive', () => {
    const parts = [part(1, table(['a'], ['b'])), sentence('One.', 1)]
    const before = [...show(...parts).querySelectorAll('table, p')]
    const after = [...show(...parts, sentence('Two.', 2), part(1, code('', 'x'))).querySelectorAll('table, p')]
    expect(after.slice(0, before.length)).toEqual(before)
  })
})

describe('formulas', () => {
  it('are MathML that carries its source', () => {
    const shown = showBlocks(paragraph('Take ', run('a^2', 'formula')), formula('\\frac{a}{b}'))
    expect(shown.querySelector('p math msup')!.textContent).toBe('a2')
    expect(shown.querySelector('.cb-formula math[display=block] mfrac')!.textContent).toBe('ab')
    expect([...shown.querySelectorAll('annotation')].map((one) => one.textContent)).toEqual(['a^2', '\\frac{a}{b}'])
  })

  it.each(['\\frac{a', `${'{'.repeat(500)}a${'}'.repeat(500)}`, '\\def\\a{\\a\\a}\\a'])(
    'that are wrong or without end are shown as their source: %.20s',
    (source) => {
      const shown = showBlocks(formula(source))
      expect(shown.querySelector('math')).toBeNull()
      expect(shown.textContent).toBe(source)
    },
  )

  it('without number are shown as their source', () => {
    const shown = showBlocks(...Array.from({ length: 2_001 }, () => formula('x')))
    expect(shown.querySelectorAll('math')).toHaveLength(0)
    expect(shown.querySelectorAll('.cb-formula-source')).toHaveLength(2_001)
  })
})

describe('an answer that was kept as text', () => {
  it('is one paragraph of it', () => {
    act(() => root.render(<PlainAnswer text={'A **gear**. [1]\n- b\u202e'} />))
    expect(host.innerHTML).toBe(
      '<div class="cb-rendered" dir="auto"><p class="cb-plain">A **gear**. [1]\n- b</p></div>',
    )
  })
})
