import { describe, expect, it } from 'vitest'
import { readable } from '../src/components/snippet'

describe('a snippet', () => {
  it.each([
    ['The Jacobian $J(\\theta)$ maps.', 'The Jacobian J(θ) maps.'],
    ['to $\\dot{x} = J(\\theta)\\,\\dot\\theta$.', 'to x\u0307 = J(θ) θ\u0307.'],
    ['at $\\frac{1}{2} \\cdot m v^2 \\le 3$', 'at 1/2 · m v^2 ≤ 3'],
    ['of $\\sin\\alpha$ and $F$', 'of sinα and F'],
    ['with $\\constructor$ in it', 'with  in it'],
  ])('has no TeX: %s', (snippet, expected) => {
    expect(readable(snippet)).toBe(expected)
  })

  it.each(['costs $5 and $6', 'costs $5', 'from $50 to $100', 'no formula'])('keeps prices: %s', (snippet) => {
    expect(readable(snippet)).toBe(snippet)
  })
})
