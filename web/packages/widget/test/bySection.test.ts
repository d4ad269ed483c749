import { expect, it } from 'vitest'
import { bySection } from '../src/components/Sources'

const passage = (excerpt: string, url = '/docs/gears#drives') => ({
  chapter: 'gears',
  chapterTitle: 'Gears',
  sectionTitle: 'Drives',
  sourceFile: 'gears.mdx',
  excerpt,
  url,
})

it('sources of one section stand together, in the order of the answer', () => {
  const citations = [passage('One.'), passage('Two.', '/docs/teeth'), passage('Three.')]
  const numbers = bySection(citations).map((section) => section.map(({ number }) => number))
  expect(numbers).toEqual([[1, 3], [2]])
})

it('sources without an address are not taken for one another', () => {
  const { url: _url, ...bare } = passage('One.')
  expect(bySection([bare, bare])).toHaveLength(2)
})
