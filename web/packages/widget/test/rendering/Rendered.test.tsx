// @vitest-environment jsdom
import { act } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Rendered } from '../../src/rendering'
import { loadMaths } from '../../src/rendering/Maths'
import { HOSTILE } from './hostile'

const HTML_ELEMENTS = new Set(
  'div p span strong em del code pre button ul ol li table thead tbody tr th td blockquote h3 h4 h5 h6 hr br cite'.split(
    ' ',
  ),
)
const MATH_ELEMENT = /^(math|m[a-z]+|none)$/
const ATTRIBUTES = new Set('class role aria-label tabindex type scope start data-number'.split(' '))

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

const citation = (number: number) => (number > 0 && number < 10 ? <cite data-number={number}>{number}</cite> : null)

function show(text: string, streaming = false): HTMLElement {
  act(() => root.render(<Rendered text={text} streaming={streaming} citation={citation} />))
  return host.firstElementChild as HTMLElement
}

function shownOnce(text: string): HTMLElement {
  const fresh = document.createElement('div')
  const freshRoot = createRoot(fresh)
  act(() => freshRoot.render(<Rendered text={text} citation={citation} />))
  const shown = fresh.cloneNode(true) as HTMLElement
  act(() => freshRoot.unmount())
  return shown
}

function dangersIn(element: Element): string[] {
  const dangers: string[] = []
  for (const found of element.querySelectorAll('*')) {
    const allowed =
      found.namespaceURI === 'http://www.w3.org/1998/Math/MathML'
        ? MATH_ELEMENT.test(found.localName)
        : HTML_ELEMENTS.has(found.localName)
    if (!allowed) dangers.push(`<${found.localName}>`)
    for (const { name, value } of found.attributes) {
      const inMaths = found.namespaceURI !== 'http://www.w3.org/1999/xhtml' && !/^(on|href|src|xlink|id$)/.test(name)
      if (!ATTRIBUTES.has(name) && !inMaths) dangers.push(`${name}=`)
      if (/[:/(]/.test(value)) dangers.push(`${name}="${value}"`)
    }
  }
  return dangers
}

describe('hostile answers', () => {
  it.each(HOSTILE)('stay harmless at every offset of the stream: %s', { timeout: 30_000 }, (text) => {
    for (let end = 0; end <= text.length; end += 1) {
      expect(dangersIn(show(text.slice(0, end), true)), text.slice(0, end)).toEqual([])
    }
    expect(dangersIn(show(text))).toEqual([])
    expect(host.isEqualNode(shownOnce(text))).toBe(true)
  })

  it('stay harmless when two of them are put together, and end as they would in one piece', {
    timeout: 60_000,
  }, () => {
    HOSTILE.forEach((first, index) => {
      const text = `${first}\n\n${HOSTILE[(index * 7 + 3) % HOSTILE.length]}\n${first}`
      for (let end = 0; end <= text.length; end += 37) show(text.slice(0, end), true)
      expect(dangersIn(show(text))).toEqual([])
      expect(host.isEqualNode(shownOnce(text))).toBe(true)
    })
  })

  it('show HTML as the characters it is written with', () => {
    expect(show('a <script>alert(1)</script> b').textContent).toBe('a <script>alert(1)</script> b')
  })

  it('show links and images by their words alone', () => {
    const shown = show('See [the page](https://attacker.example) and ![a plot](https://attacker.example/p.png).')
    expect(shown.textContent).toBe('See the page and a plot.')
  })

  it('lose what a reader cannot see, and keep emoji whole', () => {
    expect(show('a\u200bb\u202ec\u{e0041}d\ufe0fe \u2764\ufe0f 👩‍👩‍👧').textContent).toBe('abcde \u2764\ufe0f 👩‍👩‍👧')
  })
})

describe('Markdown', () => {
  const cases: [string, string, string][] = [
    ['emphasis', 'a **b *c* d** _e_ ~~f~~', '<p>a <strong>b <em>c</em> d</strong> <em>e</em> <del>f</del></p>'],
    ['bold italics', '***a*** **a*b**', '<p><strong><em>a</em></strong> <strong>a*b</strong></p>'],
    ['names with underscores', 'use_sim_time 2 * 3 * 4', '<p>use_sim_time 2 * 3 * 4</p>'],
    ['code spans', '``a`b`` `x', '<p><code>a`b</code> `x</p>'],
    ['line breaks', 'a  \nb\\\nc<br/>d', '<p>a<br>b<br>c<br>d</p>'],
    ["headings below the page's own", '# A\n### B {#b}\nC\n===', '<h3>A</h3><h5>B</h5><h3>C</h3>'],
    ['a list with a list inside', '- a\n  - b\n- c', '<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>'],
    ['a numbered list that goes on', '3. a\n4. b', '<ol start="3"><li>a</li><li>b</li></ol>'],
    ['a loose list', '- a\n\n- b', '<ul><li><p>a</p></li><li><p>b</p></li></ul>'],
    ['a list right under its paragraph', 'Do:\n1. a\n2. b', '<p>Do:</p><ol><li>a</li><li>b</li></ol>'],
    ['quotes', '> a\n> b\n\nc', '<blockquote><p>a\nb</p></blockquote><p>c</p>'],
    ['rules', 'a\n\n***\n\nb', '<p>a</p><hr><p>b</p>'],
    ['escapes and entities', '\\*a\\* &amp; &#8212; &bogus;', '<p>*a* &amp; — &amp;bogus;</p>'],
    ['money, which is no formula', 'It costs $5 and $10.', '<p>It costs $5 and $10.</p>'],
    ['brackets that are no link', '[sic](as it was) [a] b]', '<p>[sic](as it was) [a] b]</p>'],
  ]
  it.each(cases)('shows %s', (_name, text, html) => {
    expect(show(text).innerHTML).toBe(html)
  })

  it('shows tables with alignment, in a box that can be scrolled', () => {
    const shown = show('| a | b |\n| :-- | --: |\n| 1 \\| 2 | `x` |\n\nend')
    expect(shown.querySelector('.cb-table > table')).not.toBeNull()
    expect([...shown.querySelectorAll('td')].map((cell) => cell.textContent)).toEqual(['1 | 2', 'x'])
    expect(shown.querySelectorAll('td')[1]!.className).toBe('cb-right')
    expect(shown.lastElementChild!.textContent).toBe('end')
  })

  it('shows code with its language, as written', () => {
    const shown = show('```python title=x\nif a < b:\n\n    **c**\n```\nafter')
    expect(shown.querySelector('.cb-code-language')!.textContent).toBe('python')
    expect(shown.querySelector('pre code')!.textContent).toBe('if a < b:\n\n    **c**')
    expect(shown.lastElementChild!.outerHTML).toBe('<p>after</p>')
  })

  it('gives each citation marker to the caller, and leaves unknown ones as text', () => {
    const shown = show('A.[1] B [2, 3] C [1][2] `[4]` [99]')
    expect([...shown.querySelectorAll('cite')].map((cite) => cite.textContent)).toEqual(['1', '2', '3', '1', '2'])
    expect(shown.textContent).toContain('[4] [99]')
  })
})

describe('maths', () => {
  it.each(['$a^2$', '\\(a^2\\)', '$$a^2$$', '\\[a^2\\]', '$$\na^2\n$$', '\\[\na^2\n\\]'])('is MathML: %s', (text) => {
    expect(show(text).querySelector('math msup')!.textContent).toBe('a2')
  })

  it('that is wrong or without end is shown as its source', () => {
    expect(show('$\\frac{a$').textContent).toBe('\\frac{a')
    expect(show(`$${'{'.repeat(500)}a${'}'.repeat(500)}$`).querySelector('math')).toBeNull()
    expect(show('$\\def\\a{\\a\\a}\\a$').querySelector('math')).toBeNull()
  })
})

describe('a stream', () => {
  it.each([
    ['```py\nx = 1', 'x = 1'],
    ['```py\nx = 1\n``', 'x = 1'],
    ['a **bo', 'a bo'],
    ['a **bold**', 'a bold'],
    ['a `co', 'a co'],
    ['a.[1', 'a.'],
    ['see [the pa', 'see the pa'],
    ['see [the page](https://x.exa', 'see the page'],
    ['$$\nx + ', 'x+'],
    ['| a | b |\n| -', 'ab'],
  ])('shows what is open at its end as if it were closed: %j', (text, shown) => {
    const element = show(text, true)
    element.querySelector('.cb-code-bar')?.remove()
    expect(element.textContent!.trim()).toBe(shown)
  })

  it('keeps the elements of finished blocks', () => {
    const first = show('One.\n\nTwo', true).querySelector('p')
    expect(show('One.\n\nTwo and more.\n\n- th', true).querySelector('p')).toBe(first)
  })
})

describe('a megabyte', () => {
  it('is shown, of which the first part as Markdown and the rest as it is', { timeout: 60_000 }, () => {
    const paragraph = `${'Robots **sense**, *plan* and `act` [1]. '.repeat(25)}\n\n- one\n- two\n\n`
    const shown = show(paragraph.repeat(Math.ceil(1_000_000 / paragraph.length)))
    expect(shown.querySelectorAll('ul').length).toBeGreaterThan(90)
    expect(shown.querySelector('.cb-rest')?.textContent?.length).toBeGreaterThan(890_000)
    expect(shown.querySelectorAll('*').length).toBeLessThan(20_000)
  })
})
