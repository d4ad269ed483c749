/** A snippet of the book in a line of its own: formulas by their letters, since there is no room to draw them. */
import { GREEK } from '../highlighting/words'

/** As authors write one, so that the price of something is none. */
const FORMULA = /\$(?!\s)([^$\n]{1,400}?)(?<!\s)\$(?!\d)/g
const SYMBOLS: Record<string, string> = Object.fromEntries(
  'cdot · times × le ≤ leq ≤ ge ≥ geq ≥ ne ≠ approx ≈ to → pm ± infty ∞ sum Σ in ∈ sqrt √ partial ∂ nabla ∇ circ ° top T'
    .split(' ')
    .flatMap((name, index, all) => (index % 2 === 0 ? [[name, all[index + 1]!]] : [])),
)
/** They stand behind their letter. */
const ACCENTS: Record<string, string> = {
  dot: '\u0307',
  ddot: '\u0308',
  hat: '\u0302',
  bar: '\u0304',
  tilde: '\u0303',
}
/** Functions are read by their names; what else TeX is told, such as a font, is not seen. */
const NAMED = /^(?:sin|cos|tan|exp|log|ln|max|min|det|arg|lim|tr)$/

export function readable(snippet: string): string {
  return snippet.replace(FORMULA, (_formula, tex: string) => lettersOf(tex))
}

function lettersOf(tex: string): string {
  return tex
    .replace(/\\frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}/g, '$1/$2')
    .replace(
      /\\(dot|ddot|hat|bar|tilde)\s*(\{[^{}]\}|\{?\\[a-zA-Z]{1,20}\}?|\w)/g,
      (_command, name: string, letter: string) => letter + ACCENTS[name],
    )
    .replace(/\\([a-zA-Z]{1,20})/g, (_command, name: string) => wordOf(name))
    .replace(/\\./g, ' ')
    .replace(/[{}]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
}

function wordOf(name: string): string {
  if (NAMED.test(name)) return name
  return (Object.hasOwn(GREEK, name) && GREEK[name]) || (Object.hasOwn(SYMBOLS, name) && SYMBOLS[name]) || ''
}
