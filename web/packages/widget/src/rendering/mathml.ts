/**
 * Turns TeX into a tree of MathML; only presentation elements and harmless attributes get through.
 *
 * Imports nothing but Temml, so that the widget and the page, which have a React each, can load the same file.
 */
import temml from 'temml'

/** An element of MathML, whose children are elements and text. */
export interface MathElement {
  name: string
  attributes: Record<string, string>
  children: (MathElement | string)[]
}

/** A node of temml's tree: an element, a text, or a fragment that has children alone. */
interface MathNode {
  type?: string
  text?: string
  attributes?: Record<string, unknown>
  style?: Record<string, unknown>
  classes?: string[]
  children?: MathNode[]
}

const MAX_SOURCE = 4_000
const MAX_DEPTH = 60
const MAX_EXPANSIONS = 500
const MAX_EMS = 40

const ELEMENTS = new Set(
  (
    'math mrow mi mn mo ms mtext mspace mfrac msqrt mroot mstyle merror mpadded mphantom msub msup msubsup munder mover ' +
    'munderover mmultiscripts mprescripts none mtable mtr mtd menclose'
  ).split(' '),
)
const ATTRIBUTES = new Set(
  (
    'display displaystyle scriptlevel mathvariant fence form stretchy symmetric separator accent accentunder movablelimits ' +
    'largeop lspace rspace minsize maxsize width height depth voffset linethickness columnalign rowspacing columnspacing ' +
    'columnlines rowlines columnspan rowspan notation'
  ).split(' '),
)
const HARMLESS_VALUE = /^[\w\s.,%#+-]{0,60}$/

/** Null where the formula is wrong, or would take too long. */
export function mathmlOf(source: string, display: boolean): MathElement | null {
  if (source.length > MAX_SOURCE || deepestBrace(source) > MAX_DEPTH) return null
  try {
    const options = {
      displayMode: display,
      throwOnError: true,
      strict: false,
      trust: false,
      maxExpand: MAX_EXPANSIONS,
    }
    const tree = temml.__renderToMathMLTree(source, { ...options, maxSize: [MAX_EMS, MAX_EMS] }) as MathNode
    return withSource(tree, source)
  } catch {
    return null
  }
}

/** The source goes with the formula, as KaTeX has it: whoever looks for an excerpt on the page finds its words there. */
function withSource(tree: MathNode, source: string): MathElement {
  const formula = element('mrow', {}, childrenOf(tree, 0))
  const annotation = element('annotation', { encoding: 'application/x-tex' }, [source])
  return element('math', attributesOf(tree), [element('semantics', {}, [formula, annotation])])
}

function element(name: string, attributes: Record<string, string>, children: MathElement['children']): MathElement {
  return { name, attributes, children }
}

/** An element that is not known is left out, and what is in it stays. */
function childrenOf(node: MathNode, depth: number): MathElement['children'] {
  if (depth > 4 * MAX_DEPTH) return []
  return (node.children ?? []).flatMap((child) => {
    if (typeof child.text === 'string') return [child.text]
    const children = childrenOf(child, depth + 1)
    return child.type && ELEMENTS.has(child.type) ? [element(child.type, attributesOf(child), children)] : children
  })
}

function attributesOf(node: MathNode): Record<string, string> {
  const found: Record<string, string> = {}
  for (const [name, value] of Object.entries(node.attributes ?? {})) {
    if (ATTRIBUTES.has(name) && HARMLESS_VALUE.test(String(value))) found[name] = String(value)
  }
  const classes = (node.classes ?? []).filter((name) => /^[\w-]{1,40}$/.test(name))
  // Cells of `cases` and `aligned` lean to a side; a class says so, since style attributes may be forbidden.
  if (/^(left|right)$/.test(String(node.style?.textAlign))) classes.push(`cb-${String(node.style?.textAlign)}`)
  if (classes.length > 0) found.class = classes.join(' ')
  return found
}

function deepestBrace(source: string): number {
  let [depth, deepest] = [0, 0]
  for (const character of source) {
    if (character === '{') deepest = Math.max(deepest, ++depth)
    else if (character === '}') depth -= 1
  }
  return deepest
}
