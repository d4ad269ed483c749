import { expect, it } from 'vitest'
import { matchedParts, wordsOf } from '../src/components/matching'

const marked = (text: string, typed: string): string =>
  matchedParts(text, wordsOf(typed))
    .map((part) => (part.isMatch ? `[${part.text}]` : part.text))
    .join('')

it.each([
  ['Gimbal lock', 'gimb', '[Gimb]al lock'],
  ['Inverse kinematics', 'kinematics inverse', '[Inverse] [kinematics]'],
  ['A kinematic chain', 'kinematics', 'A [kinematic] chain'],
  ['Crème brûlée', 'brulee', 'Crème [brûlée]'],
  ['A cat and a map', 'a map', 'A cat and a [map]'],
  ['Relock', 'lock', 'Relock'],
  ['C++ (a language)', '++ (', 'C++ (a language)'],
  ['', 'x', ''],
])('in “%s”, “%s” marks %s', (text, typed, expected) => {
  expect(marked(text, typed)).toBe(expected)
})
