import { afterEach, describe, expect, it, vi } from 'vitest'

import { clearHighlight, findExcerpt, highlightExcerpt } from '../../src/highlighting'

function page(html: string): HTMLElement {
  document.body.innerHTML = `<main>${html}</main>`
  return document.querySelector('main')!
}

function found(html: string, excerpt: string): string | undefined {
  return findExcerpt(page(html), excerpt)?.toString().replace(/\s+/g, ' ').trim()
}

afterEach(() => clearHighlight())

describe('an excerpt is found', () => {
  it.each([
    ['as it is', '<p>One. Two things happen. Three.</p>', 'Two things happen.', 'Two things happen.'],
    ['whatever the white space', '<p>Two\n   things&nbsp;happen.</p>', 'Two things\thappen.', 'Two things happen.'],
    [
      'across formatting',
      '<p>A <strong>har</strong>monic <em>drive</em> bends <code>cup_x</code>.</p>',
      'A harmonic drive bends cup_x.',
      'A harmonic drive bends cup_x.',
    ],
    [
      'with soft hyphens and joiners',
      '<p>kine\u00admatics and dy\u200bnamics</p>',
      'kinematics and dynamics',
      'kine\u00admatics and dy\u200bnamics',
    ],
    [
      'with other quotation marks',
      '<p>It’s “the truth” — plus noise.</p>',
      `It's "the truth" - plus noise.`,
      'It’s “the truth” — plus noise.',
    ],
    ['with ligatures and full-width letters', '<p>The ﬁrst Ａ</p>', 'The first A', 'The ﬁrst Ａ'],
    [
      'with Markdown left in it',
      '<p>Use the <a href="#x">next chapter</a> for <strong>frames</strong>.</p>',
      'Use the [next chapter](./04.mdx#x) for **frames**.',
      'Use the next chapter for frames.',
    ],
    [
      'over list items',
      '<ol><li>Sense the world.</li><li>Plan a path.</li></ol>',
      '1. Sense the world.\n2. Plan a path.',
      'Sense the world.Plan a path.',
    ],
    [
      'over table cells',
      '<table><tr><td>Module</td><td>Theme</td></tr><tr><td>1</td><td>ROS 2</td></tr></table>',
      '| Module | Theme |\n| 1 | ROS 2 |',
      'ModuleTheme1ROS 2',
    ],
    [
      'with MathML',
      '<p>Torque is <math><mi>τ</mi><mo>=</mo><msub><mi>K</mi><mi>t</mi></msub><mi>i</mi></math>, always.</p>',
      'Torque is $\\tau = K_t\\, i$, always.',
      'Torque is τ=Kti, always.',
    ],
    [
      'with a product in a formula',
      '<p>Solve <math><mi>A</mi><mi>X</mi><mo>=</mo><mn>15</mn></math>.</p>',
      'Solve $AX = 15$.',
      'Solve AX=15.',
    ],
    [
      'with KaTeX',
      '<p>Take <span class="katex"><span class="katex-mathml"><math><mi>x</mi><annotation>x</annotation></math></span><span class="katex-html">x</span></span> here.</p>',
      'Take $x$ here.',
      'Take xxx here.',
    ],
    [
      'past a copy button',
      '<p>Run it:</p><pre><code>ros2 run demo</code></pre><button>Copy</button><p>Then wait.</p>',
      'Run it: ros2 run demo Then wait.',
      'Run it:ros2 run demoCopyThen wait.',
    ],
    ['in a script without spaces', '<p>机器人感知世界，然后行动。</p>', '然后行动', '然后行动。'],
    ['among words like it', '<p>The arm moves.</p><p>The arm stops.</p>', 'The arm stops.', 'The arm stops.'],
  ])('%s', (_name, html, excerpt, shown) => {
    expect(found(html, excerpt)).toBe(shown)
  })

  const MANY = Array.from({ length: 900 }, (_, index) => `word${index}`)

  it('whole, however long it is', () => {
    expect(found(`<p>Before. ${MANY.join(' ')}. After.</p>`, MANY.join(' '))).toBe(`${MANY.join(' ')}.`)
  })

  it('whole by its two ends, where a long one differs a little', () => {
    const differing = MANY.with(20, 'other').with(880, 'another')
    expect(found(`<p>Before. ${MANY.join(' ')}. After.</p>`, differing.join(' '))).toBe(`${MANY.join(' ')}.`)
  })

  it('with the marks of code around it', () => {
    const html = '<pre><code>&lt;a&gt;\n&lt;root id="1"&gt;&lt;/root&gt;\n&lt;b&gt;</code></pre>'
    expect(found(html, '<root id="1"></root>')).toBe('<root id="1"></root>')
  })

  it('from its first words to its last', () => {
    const html = '<p>It ends there. It begins here, goes on.</p><p>And it ends there. It ends there.</p>'
    const range = findExcerpt(page(html), 'It begins here', 'it ends there')
    expect(range?.toString()).toBe('It begins here, goes on.And it ends there.')
  })

  it('nearly, where a few words differ', () => {
    const html = '<p>Before. A robot arm has six joints and one gripper at its end. After.</p>'
    expect(found(html, 'A robot arm has seven joints and a gripper at its very end.')).toBe(
      'A robot arm has six joints and one gripper at its end.',
    )
  })

  it('by its longest run of words, where much differs', () => {
    const html = '<p>We say that the action alters what will be sensed next, at least here.</p>'
    expect(
      found(html, 'Nothing at all of this was ever written except the action alters what will be sensed next'),
    ).toBe('the action alters what will be sensed next,'.slice(0, -1))
  })
})

describe('an excerpt is not found', () => {
  it.each(['', '  ', '***', 'Quite another sentence about cats.', 'one two'])('%j', (excerpt) => {
    expect(found('<p>The action alters what will be sensed.</p>', excerpt)).toBeUndefined()
  })

  it('on an empty page', () => expect(found('', 'word')).toBeUndefined())
})

describe('what was found', () => {
  it('gets the focus, and loses the mark when it is cleared', () => {
    const root = page('<p id="a">One.</p><p id="b">Two things happen.</p>')
    expect(highlightExcerpt(root, 'Two things happen')).not.toBeNull()
    expect(document.activeElement!.id).toBe('b')
    expect(root.innerHTML).not.toContain('<mark')
    clearHighlight()
    expect(document.body.innerHTML).toBe('<main><p id="a">One.</p><p id="b">Two things happen.</p></main>')
  })

  it('is marked by a custom highlight where the browser has them', () => {
    const highlights = new Map<string, unknown>()
    vi.stubGlobal(
      'Highlight',
      class {
        constructor(readonly range: Range) {}
      },
    )
    vi.stubGlobal('CSS', { highlights })
    vi.stubGlobal(
      'CSSStyleSheet',
      class {
        replaceSync(): void {}
      },
    )
    Object.defineProperty(document, 'adoptedStyleSheets', { value: [], writable: true, configurable: true })
    highlightExcerpt(page('<p>Two things happen.</p>'), 'Two things happen.')
    expect([...highlights.keys()]).toEqual(['citebook-citation'])
    clearHighlight()
    expect(highlights.size).toBe(0)
    expect(document.adoptedStyleSheets).toEqual([])
    Reflect.deleteProperty(document, 'adoptedStyleSheets')
  })

  it('is unfolded', () => {
    const root = page('<details><summary>More</summary><p>Two things happen.</p></details>')
    highlightExcerpt(root, 'Two things happen.')
    expect(root.querySelector('details')!.open).toBe(true)
  })

  it('is brought out of a hidden tab', () => {
    const root = page(
      '<div><ul><li role="tab">a</li><li role="tab">b</li></ul><div><div role="tabpanel"></div><div role="tabpanel" hidden><p>Two things happen.</p></div></div></div>',
    )
    const clicked = vi.fn()
    root.querySelectorAll('[role=tab]')[1]!.addEventListener('click', clicked)
    highlightExcerpt(root, 'Two things happen.')
    expect(clicked).toHaveBeenCalledOnce()
  })
})
