// @vitest-environment jsdom
import { act } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { findExcerpt } from '../../src/highlighting'
import { RenderedSection } from '../../src/rendering'
import { loadMaths } from '../../src/rendering/Maths'
import { bullets, code, formula, numbered, paragraph, quotation, run, table } from '../blocks'

const SECTION = [
  paragraph(
    'Torque is ',
    run('\\tau_{\\text{max}} = K_t\\, i', 'formula'),
    ', always. ',
    run('Nothing', 'strong'),
    ' else.',
  ),
  code('python', 'def torque(current):\n    return K_T * current  # newton metres'),
  paragraph('It is measured as follows.'),
  table(['Motor', run('K_t', 'formula')], ['small', '0.01'], ['large', '0.2']),
  formula('\\sin^2\\theta + \\cos^2\\theta = 1'),
  numbered(1, [paragraph('Sense the world.')], [paragraph('Plan a path.'), bullets([paragraph('Or two.')])]),
  quotation(paragraph('A note, ', run('use_sim_time', 'code'), ' included.')),
]

let root: Root
let host: HTMLElement

beforeAll(async () => {
  ;(globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT = true
  await loadMaths()
})

beforeEach(() => {
  host = document.body.appendChild(document.createElement('main'))
  root = createRoot(host)
  act(() => root.render(<RenderedSection blocks={SECTION} />))
})

afterEach(() => {
  act(() => root.unmount())
  host.remove()
})

/** What is marked, without what no reader sees: sources of formulas, and the mark of a function. */
function marked(excerpt: string): string | undefined {
  const found = findExcerpt(host, excerpt)?.cloneContents()
  for (const source of found?.querySelectorAll('annotation') ?? []) source.remove()
  return found?.textContent
    ?.replace(/\u2061/g, '')
    .replace(/\s+/g, ' ')
    .trim()
}

describe('in a section of blocks, an excerpt is found', () => {
  it.each([
    ['with a formula', 'Torque is $\\tau_{\\text{max}} = K_t\\, i$, always.', 'Torque is τmax=Kti, always.'],
    ['that is a formula alone', '$$\n\\sin^2\\theta + \\cos^2\\theta = 1\n$$', 'sin2θ+cos2θ=1'],
    [
      'that is code, with its fence',
      '```python\ndef torque(current):\n    return K_T * current  # newton metres\n```',
      'def torque(current): return K_T * current # newton metres',
    ],
    ['that is one line of code', 'return K_T * current', 'return K_T * current'],
    [
      'that is a table',
      '| Motor | $K_t$ |\n| --- | --: |\n| small | 0.01 |\n| large | 0.2 |',
      'MotorKtsmall0.01large0.2',
    ],
    ['that is a row of a table', 'large | 0.2', 'large0.2'],
    [
      'over the items of a list',
      '1. Sense the world.\n2. Plan a path.\n   - Or two.',
      'Sense the world.Plan a path.Or two.',
    ],
    ['in a quotation', '> A note, `use_sim_time` included.', 'A note, use_sim_time included.'],
    ['over marks', 'always. **Nothing** else.', 'always. Nothing else.'],
  ])('%s', (_name, excerpt, shown) => {
    expect(marked(excerpt)).toBe(shown)
  })

  it('from a listing to the words after it, without the name of its language', () => {
    const found = findExcerpt(host, '# newton metres\n```\n\nIt is measured as follows.')
    expect(found?.toString()).toBe('newton metresIt is measured as follows.')
  })
})
