/** The words of a text or a page, each with its place, in a form in which the book's two spellings of a word are one. */

export interface Word {
  text: string
  /** Where the word stands: places in the text that was read. */
  start: number
  end: number
}

const WORD_CHARACTER = /[\p{L}\p{N}\p{M}]/u
/** Scripts that put no space between words: each character counts as a word. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
/** Characters that may stand within a word and are not seen there. */
const UNSEEN = /[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]/

export function wordsOf(text: string): Word[] {
  const words: Word[] = []
  let current: Word | null = null
  let place = 0
  for (const character of text) {
    const [start, end] = [place, place + character.length]
    place = end
    if (UNSEEN.test(character)) continue
    const plain = character.normalize('NFKC').toLowerCase()
    if (!WORD_CHARACTER.test(plain)) {
      current = null
    } else if (current === null || UNSPACED.test(plain)) {
      current = { text: plain, start, end }
      words.push(current)
      if (UNSPACED.test(plain)) current = null
    } else {
      current.text += plain
      current.end = end
    }
  }
  return words
}

export const GREEK: Readonly<Record<string, string>> = Object.fromEntries(
  (
    'alpha α beta β gamma γ delta δ epsilon ϵ varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι kappa κ lambda λ mu μ nu ν xi ξ pi π ' +
    'rho ρ sigma σ varsigma ς tau τ upsilon υ phi ϕ varphi φ chi χ psi ψ omega ω Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ ' +
    'Upsilon Υ Phi Φ Psi Ψ Omega Ω'
  )
    .split(' ')
    .flatMap((name, index, all) => (index % 2 === 0 ? [[name, all[index + 1]!]] : [])),
)

/** An excerpt without what is not on the page: addresses of links, anchors, fences of code and list numbers. */
export function withoutMarkup(excerpt: string): string {
  return excerpt
    .replace(/^[ \t]*(?:```|~~~).*$/gm, '')
    .replace(/\]\([^()\s]{0,500}\)/g, ']')
    .replace(/\{#[\w.-]{1,200}\}/g, ' ')
    .replace(/^[ \t]*(?:\d{1,3}[.)]|[-*+>])[ \t]+/gm, '')
}

/** Formulas by their letters, as they stand on a page that does not tell how they were written. */
export function withoutTex(excerpt: string): string {
  return excerpt
    .replace(/\\([a-zA-Z]{1,20})/g, (_match, name: string) => (Object.hasOwn(GREEK, name) ? ` ${GREEK[name]} ` : ' '))
    .replace(/\$[^$]{1,400}\$/g, (formula) => formula.replace(/\p{L}(?=\p{L})/gu, '$& '))
}
