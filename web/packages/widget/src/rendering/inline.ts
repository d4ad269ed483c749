/** Reads the inline part of Markdown (emphasis, code, maths, citation markers) in one pass, in linear time. */

import { visibleText } from './visible'

export type Inline =
  | { kind: 'text'; text: string }
  | { kind: 'code'; text: string }
  | { kind: 'maths'; source: string; display: boolean }
  | { kind: 'citation'; number: number }
  | { kind: 'break' }
  | { kind: 'image'; alt: string }
  | { kind: 'strong' | 'emphasis' | 'deleted'; children: Inline[] }

interface Frame {
  marker: string
  children: Inline[]
}

/** Open emphasis and brackets beyond this are read as plain characters, so that no nesting can exhaust the stack. */
const MAX_OPEN = 16
const SPECIAL = /[\\`*_~$[\]!<&\n]/g
const PUNCTUATION = /[\p{P}\p{S}]/u
const CITATION = /\[(\d{1,3}(?:[ ]?,[ ]?\d{1,3}){0,9})\]/y
const ADDRESS = /^(?:<[^<>]*>|\S*)(?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?$/
const LINE_BREAK_TAG = /<br[ ]{0,3}\/?>/iy
const ENTITY = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-zA-Z]{2,8}));/y
const NAMED_ENTITIES = new Map(
  Object.entries({
    amp: '&',
    lt: '<',
    gt: '>',
    quot: '"',
    apos: "'",
    nbsp: '\u00a0',
    ndash: '–',
    mdash: '—',
    hellip: '…',
    times: '×',
    deg: '°',
  }),
)
const EMPHASIS = { '**': 'strong', __: 'strong', '*': 'emphasis', _: 'emphasis', '~~': 'deleted' } as const

export function readInline(text: string, streaming = false): Inline[] {
  return new InlineReader(streaming ? withoutUnfinishedMarker(text) : text, streaming).read()
}

/** What a tree of inline nodes says, without its form. */
export function plainText(nodes: readonly Inline[]): string {
  return nodes.map(plainTextOf).join('')
}

function plainTextOf(node: Inline): string {
  switch (node.kind) {
    case 'text':
    case 'code':
      return node.text
    case 'maths':
      return node.source
    case 'citation':
      return `[${node.number}]`
    case 'break':
      return '\n'
    case 'image':
      return node.alt
    default:
      return plainText(node.children)
  }
}

/** A marker that the stream has just begun, such as `**` or `[1`, is held back until one sees what it becomes. */
function withoutUnfinishedMarker(text: string): string {
  let end = text.length
  while (end > 0 && '*_~`\\'.includes(text[end - 1]!)) end -= 1
  const bracket = /!?\[[\d, ]{0,12}$/.exec(text.slice(Math.max(0, end - 16), end))
  if (end === text.length && bracket) end -= bracket[0].length
  return text.slice(0, end)
}

class InlineReader {
  private position = 0
  private readonly root: Frame = { marker: '', children: [] }
  private readonly frames: Frame[] = [this.root]
  private readonly missing = new Set<string>()
  private backticks: Map<number, number[]> | null = null

  constructor(
    private readonly text: string,
    private readonly streaming: boolean,
  ) {}

  read(): Inline[] {
    while (this.position < this.text.length) {
      SPECIAL.lastIndex = this.position
      const next = SPECIAL.exec(this.text)?.index ?? this.text.length
      this.addText(this.text.slice(this.position, next))
      this.position = next
      if (next < this.text.length) this.readSpecial(this.text[next]!)
    }
    while (this.frames.length > 1) this.abandonFrame(this.streaming)
    return this.root.children
  }

  private readSpecial(character: string): void {
    switch (character) {
      case '\\':
        return this.readBackslash()
      case '`':
        return this.readCode()
      case '$':
        return this.readDollar()
      case '[':
        return this.readOpeningBracket()
      case ']':
        return this.readClosingBracket()
      case '!':
        return this.readExclamation()
      case '<':
        return this.readTag()
      case '&':
        return this.readEntity()
      case '\n':
        return this.readNewline()
      default:
        return this.readEmphasis(character)
    }
  }

  private readBackslash(): void {
    const next = this.text[this.position + 1]
    if (next === '(') return this.readMaths('\\(', '\\)', false)
    if (next === '[') return this.readMaths('\\[', '\\]', true)
    if (next === '\n') {
      this.add({ kind: 'break' })
      this.position += 2
      return
    }
    if (next !== undefined && /[!-/:-@[-`{-~]/.test(next)) return this.takeText(next, 2)
    this.takeText('\\', 1)
  }

  private readMaths(opener: string, closer: string, display: boolean): void {
    const start = this.position + opener.length
    const end = this.find(closer, start)
    const source = end === -1 ? '' : this.text.slice(start, end).trim()
    if (source === '') return this.takeText(opener, opener.length)
    this.add({ kind: 'maths', source, display })
    this.position = end + closer.length
  }

  /** `$5 and $10` is money: a formula's dollar signs stand close to it, and no digit follows the second. */
  private readDollar(): void {
    if (this.text.startsWith('$$', this.position)) return this.readMaths('$$', '$$', true)
    const start = this.position + 1
    let end = this.find('$', start)
    while (end !== -1 && isEscaped(this.text, end)) end = this.find('$', end + 1)
    const isFormula =
      end > start &&
      !isSpace(this.text[start]) &&
      !isSpace(this.text[end - 1]) &&
      !/[0-9]/.test(this.text[end + 1] ?? '')
    if (!isFormula) return this.takeText('$', 1)
    this.add({ kind: 'maths', source: this.text.slice(start, end), display: false })
    this.position = end + 1
  }

  private readCode(): void {
    const length = this.runLength('`')
    const start = this.position + length
    const end = this.closingBackticks(length, start)
    if (end === -1 && !this.streaming) return this.takeText('`'.repeat(length), length)
    const code = this.text.slice(start, end === -1 ? undefined : end).replace(/\n/g, ' ')
    const padded = code.length > 2 && code.startsWith(' ') && code.endsWith(' ') && code.trim() !== ''
    this.add({ kind: 'code', text: padded ? code.slice(1, -1) : code })
    this.position = end === -1 ? this.text.length : end + length
  }

  private closingBackticks(length: number, from: number): number {
    if (this.backticks === null) {
      this.backticks = new Map()
      for (const run of this.text.matchAll(/`+/g)) {
        const places = this.backticks.get(run[0].length)
        if (places) places.push(run.index)
        else this.backticks.set(run[0].length, [run.index])
      }
    }
    return firstAtLeast(this.backticks.get(length) ?? [], from)
  }

  private readOpeningBracket(): void {
    CITATION.lastIndex = this.position
    const citation = CITATION.exec(this.text)
    if (citation && this.text[CITATION.lastIndex] !== '(') {
      for (const number of citation[1]!.split(',')) this.add({ kind: 'citation', number: Number(number) })
      this.position = CITATION.lastIndex
      return
    }
    this.openFrame('[')
  }

  private readExclamation(): void {
    if (this.text[this.position + 1] === '[') this.openFrame('![')
    else this.takeText('!', 1)
  }

  private readClosingBracket(): void {
    const depth = this.lastFrame((marker) => marker === '[' || marker === '![')
    if (depth < 1) return this.takeText(']', 1)
    while (this.frames.length - 1 > depth) this.abandonFrame(false)
    const end = this.endOfAddress(this.position + 1)
    if (end === -1) {
      this.abandonFrame(false)
      return this.takeText(']', 1)
    }
    const { marker, children } = this.frames.pop()!
    if (marker === '![') this.add({ kind: 'image', alt: plainText(children) })
    else this.addAll(children)
    this.position = end
  }

  /** Where the `(address "title")` of a link ends; what the stream has not brought yet is taken as if it were there. */
  private endOfAddress(start: number): number {
    if (this.text[start] !== '(') return -1
    let depth = 0
    for (let index = start; index < this.text.length; index += 1) {
      const character = this.text[index]!
      if (character === '\n' || depth > 3) return -1
      if (character === '(') depth += 1
      if (character === ')' && --depth === 0) {
        return ADDRESS.test(this.text.slice(start + 1, index).trim()) ? index + 1 : -1
      }
    }
    return this.streaming ? this.text.length : -1
  }

  private readTag(): void {
    LINE_BREAK_TAG.lastIndex = this.position
    if (!LINE_BREAK_TAG.test(this.text)) return this.takeText('<', 1)
    this.add({ kind: 'break' })
    this.position = LINE_BREAK_TAG.lastIndex
  }

  private readEntity(): void {
    ENTITY.lastIndex = this.position
    const entity = ENTITY.exec(this.text)
    const [whole, decimal, hexadecimal, name] = entity ?? ['', undefined, undefined, undefined]
    const inBase16 = hexadecimal ? Number.parseInt(hexadecimal, 16) : null
    const code = decimal ? Number(decimal) : inBase16
    const value =
      code !== null && code <= 0x10ffff ? visibleText(String.fromCodePoint(code)) : NAMED_ENTITIES.get(name ?? '')
    if (value === undefined) this.takeText('&', 1)
    else this.takeText(value, whole.length)
  }

  private readNewline(): void {
    if (!this.text.startsWith('  ', this.position - 2)) return this.takeText('\n', 1)
    const last = this.frames.at(-1)!.children.at(-1)
    if (last?.kind === 'text') last.text = last.text.trimEnd()
    this.add({ kind: 'break' })
    this.position += 1
  }

  private readEmphasis(character: string): void {
    let remaining = this.runLength(character)
    const [before, after] = [this.text[this.position - 1], this.text[this.position + remaining]]
    const opens = canOpen(character, before, after)
    const closes = canOpen(character, after, before)
    this.position += remaining
    while (remaining > 0 && closes) {
      const closed = this.closeEmphasis(character, remaining)
      if (closed === 0) break
      remaining -= closed
    }
    while (remaining > 0 && opens && this.frames.length < MAX_OPEN) {
      const marker = character.repeat(Math.min(2, remaining))
      if (!(marker in EMPHASIS)) break
      this.frames.push({ marker, children: [] })
      remaining -= marker.length
    }
    this.addText(character.repeat(remaining))
  }

  /** Closes the nearest open emphasis of this character and returns how many characters that took. */
  private closeEmphasis(character: string, available: number): number {
    const exact = available > 2 ? 0 : this.lastFrame((marker) => marker === character.repeat(available))
    const depth = exact || this.lastFrame((marker) => marker.startsWith(character) && marker.length <= available)
    if (depth < 1) return 0
    while (this.frames.length - 1 > depth) this.abandonFrame(false)
    const { marker, children } = this.frames.pop()!
    if (children.length === 0) this.addText(marker + marker)
    else this.add({ kind: EMPHASIS[marker as keyof typeof EMPHASIS], children })
    return marker.length
  }

  private lastFrame(matches: (marker: string) => boolean): number {
    let depth = this.frames.length - 1
    while (depth > 0 && !matches(this.frames[depth]!.marker)) depth -= 1
    return depth
  }

  private openFrame(marker: string): void {
    if (this.frames.length >= MAX_OPEN) return this.takeText(marker, marker.length)
    this.frames.push({ marker, children: [] })
    this.position += marker.length
  }

  /** What was opened and never closed was no marker: it becomes the characters it is written with. */
  private abandonFrame(asIfClosed: boolean): void {
    const { marker, children } = this.frames.pop()!
    if (asIfClosed && marker in EMPHASIS && children.length > 0) {
      this.add({ kind: EMPHASIS[marker as keyof typeof EMPHASIS], children })
      return
    }
    if (!(asIfClosed && marker.endsWith('['))) this.addText(marker)
    this.addAll(children)
  }

  private find(needle: string, from: number): number {
    if (this.missing.has(needle)) return -1
    const index = this.text.indexOf(needle, from)
    if (index === -1) this.missing.add(needle)
    return index
  }

  private runLength(character: string): number {
    let end = this.position
    while (this.text[end] === character) end += 1
    return end - this.position
  }

  private takeText(text: string, length: number): void {
    this.addText(text)
    this.position += length
  }

  private addText(text: string): void {
    if (text === '') return
    const children = this.frames.at(-1)!.children
    const last = children.at(-1)
    if (last?.kind === 'text') last.text += text
    else children.push({ kind: 'text', text })
  }

  private addAll(nodes: Inline[]): void {
    for (const node of nodes) {
      if (node.kind === 'text') this.addText(node.text)
      else this.add(node)
    }
  }

  private add(node: Inline): void {
    this.frames.at(-1)!.children.push(node)
  }
}

/** CommonMark's flanking rule, read from the side of an opener; swap the neighbours to ask for a closer. */
function canOpen(character: string, before: string | undefined, after: string | undefined): boolean {
  if (after === undefined || isSpace(after)) return false
  const outside = before === undefined || isSpace(before) || PUNCTUATION.test(before)
  if (PUNCTUATION.test(after) && !outside) return false
  return character !== '_' || outside
}

function isSpace(character: string | undefined): boolean {
  return character === undefined || /\s/.test(character)
}

function isEscaped(text: string, index: number): boolean {
  let backslashes = 0
  while (text[index - 1 - backslashes] === '\\') backslashes += 1
  return backslashes % 2 === 1
}

function firstAtLeast(sorted: readonly number[], minimum: number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (sorted[middle]! < minimum) low = middle + 1
    else high = middle
  }
  return sorted[low] ?? -1
}
