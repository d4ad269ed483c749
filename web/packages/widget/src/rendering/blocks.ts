/** Reads the block part of Markdown (paragraphs, lists, tables, code) line by line, in linear time. */

export type Block =
  | { kind: 'paragraph'; text: string }
  | { kind: 'heading'; level: number; text: string }
  | { kind: 'code'; language: string; text: string }
  | { kind: 'maths'; source: string }
  | { kind: 'list'; start: number | null; loose: boolean; items: Block[][] }
  | { kind: 'table'; alignments: Alignment[]; header: string[]; rows: string[][] }
  | { kind: 'quote'; blocks: Block[] }
  | { kind: 'rule' }

export type Alignment = 'left' | 'right' | 'center' | null

/** A block of the whole text with its own characters, by which one sees whether it has changed. */
export interface TopBlock {
  block: Block
  source: string
}

/** Containers nested deeper than this are read as paragraphs, so that no nesting can exhaust the stack. */
const MAX_DEPTH = 8
const MAX_COLUMNS = 40

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([^`]*)$/
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/
const UNDERLINE = /^ {0,3}(={3,}|-{3,})[ \t]*$/
const RULE = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/
const QUOTE = /^ {0,3}> ?/
const MARKER = /^([ \t]*)([-*+]|(\d{1,9})[.)])([ \t]+|$)/
const MATHS = /^ {0,3}(\$\$|\\\[)/
const MATHS_CLOSERS: Record<string, string> = { $$: '$$', '\\[': '\\]' }
/** A line that begins otherwise is a paragraph or a row of a table. */
const BLOCK_START = /^[ \t]*[`~#*_+>$\\0-9-]/
/** A line longer than this is prose or an attack; only plain tests are run on it. */
const LONG_LINE = 2_000

export function readBlocks(text: string, streaming = false): TopBlock[] {
  const reader = new BlockReader(text.split('\n'), 0, streaming)
  const blocks: TopBlock[] = []
  for (let next = reader.next(); next !== null; next = reader.next()) blocks.push(next)
  return blocks
}

class BlockReader {
  private index = 0
  private readonly lastCloser = new Map<string, number>()

  constructor(
    private readonly lines: string[],
    private readonly depth: number,
    private readonly streaming: boolean,
  ) {}

  next(): TopBlock | null {
    while (this.index < this.lines.length && isBlank(this.lines[this.index]!)) this.index += 1
    if (this.index >= this.lines.length) return null
    const start = this.index
    const block = this.readBlock(this.lines[start]!)
    return { block, source: this.depth === 0 ? this.lines.slice(start, this.index).join('\n') : '' }
  }

  private readBlock(line: string): Block {
    if (line.length > LONG_LINE && !MARKER.test(line) && !QUOTE.test(line)) return this.readParagraph()
    if (!BLOCK_START.test(line)) return this.readTable() ?? this.readParagraph()
    return (
      this.readFence(line) ??
      this.readHeading(line) ??
      this.readRule(line) ??
      this.readMaths(line) ??
      this.readTable() ??
      (this.depth < MAX_DEPTH ? (this.readQuote(line) ?? this.readList(line)) : null) ??
      this.readParagraph()
    )
  }

  private readFence(line: string): Block | null {
    const fence = FENCE.exec(line)
    if (!fence) return null
    const [marks, information] = [fence[1]!, fence[2]!]
    const indent = line.length - line.trimStart().length
    const code: string[] = []
    this.index += 1
    while (this.index < this.lines.length) {
      const next = this.lines[this.index]!
      this.index += 1
      if (isClosingFence(next, marks)) break
      code.push(withoutIndent(next, indent))
    }
    if (this.streaming && this.index >= this.lines.length && /^\s*[`~]{1,2}$/.test(code.at(-1) ?? '')) code.pop()
    return { kind: 'code', language: /^[\w+#.-]{1,30}/.exec(information)?.[0] ?? '', text: code.join('\n') }
  }

  private readHeading(line: string): Block | null {
    const heading = HEADING.exec(line)
    if (!heading) return null
    this.index += 1
    return { kind: 'heading', level: heading[1]!.length, text: headingText(heading[2] ?? '') }
  }

  private readRule(line: string): Block | null {
    if (!RULE.test(line)) return null
    this.index += 1
    return { kind: 'rule' }
  }

  private readMaths(line: string): Block | null {
    const opener = MATHS.exec(line)
    if (!opener) return null
    const closer = MATHS_CLOSERS[opener[1]!]!
    const first = line.slice(opener[0].length)
    const closedAt = first.trimEnd().endsWith(closer) ? this.index : this.lineClosing(closer, this.index + 1)
    if (closedAt === -1 && !this.streaming) return null
    if (first.includes(closer) && closedAt !== this.index) return null
    const end = closedAt === -1 ? this.lines.length : closedAt
    const body = [first, ...this.lines.slice(this.index + 1, end + 1)].join('\n').trimEnd()
    this.index = Math.min(end + 1, this.lines.length)
    const source = closedAt === -1 ? body : body.slice(0, -closer.length)
    return { kind: 'maths', source: source.trim() }
  }

  private lineClosing(closer: string, from: number): number {
    let last = this.lastCloser.get(closer)
    if (last === undefined) {
      last = this.lines.length - 1
      while (last >= 0 && !this.lines[last]!.trimEnd().endsWith(closer)) last -= 1
      this.lastCloser.set(closer, last)
    }
    if (last < from) return -1
    let index = from
    while (!this.lines[index]!.trimEnd().endsWith(closer)) index += 1
    return index
  }

  private readTable(): Block | null {
    if (!this.isTableAt(this.index)) return null
    const header = cellsOf(this.lines[this.index]!).slice(0, MAX_COLUMNS)
    const alignments = cellsOf(this.lines[this.index + 1] ?? '').map(alignmentOf)
    this.index += 2
    const rows: string[][] = []
    while (this.index < this.lines.length && this.lines[this.index]!.includes('|')) {
      rows.push(cellsOf(this.lines[this.index]!).slice(0, header.length))
      this.index += 1
    }
    this.index = Math.min(this.index, this.lines.length)
    return { kind: 'table', alignments, header, rows }
  }

  private isTableAt(index: number): boolean {
    const [line, below] = [this.lines[index]!, this.lines[index + 1]]
    if (!line.includes('|')) return false
    const isLast = index + (below === undefined ? 1 : 2) >= this.lines.length
    if (this.streaming && isLast && /^\s*\|/.test(line)) return below === undefined || /^[\s|:-]*$/.test(below)
    if (below === undefined || !below.includes('-') || !/^[\s|:-]+$/.test(below)) return false
    const delimiters = cellsOf(below)
    return delimiters.every((cell) => /^:?-+:?$/.test(cell)) && delimiters.length === cellsOf(line).length
  }

  private readQuote(line: string): Block | null {
    if (!QUOTE.test(line)) return null
    const body: string[] = []
    while (this.index < this.lines.length) {
      const next = this.lines[this.index]!
      if (!QUOTE.test(next) && (isBlank(next) || this.interrupts(this.index))) break
      body.push(next.replace(QUOTE, ''))
      this.index += 1
    }
    return { kind: 'quote', blocks: this.readInside(body) }
  }

  private readList(line: string): Block | null {
    const first = MARKER.exec(line)
    if (!first) return null
    const items: Block[][] = []
    let loose = false
    for (let marker: RegExpExecArray | null = first; marker !== null; marker = this.nextMarker(first)) {
      const { body, gap } = this.readItem(marker)
      loose ||= gap
      items.push(this.readInside(body))
    }
    return { kind: 'list', start: first[3] === undefined ? null : Number(first[3]), loose, items }
  }

  /** The marker of the next item of the same list, if the next line is one. */
  private nextMarker(first: RegExpExecArray): RegExpExecArray | null {
    const line = this.lines[this.index]
    if (line === undefined || RULE.test(line)) return null
    const marker = MARKER.exec(line)
    return marker && marker[2]!.at(-1) === first[2]!.at(-1) ? marker : null
  }

  private readItem(marker: RegExpExecArray): { body: string[]; gap: boolean } {
    const [indent, width] = [columns(marker[1]!), marker[2]!.length + Math.min(columns(marker[4]!) || 1, 4)]
    const needed = indent + Math.min(2, width)
    const body = [taskAsBox(this.lines[this.index]!.slice(marker[0].length))]
    this.index += 1
    let blanks = 0
    let gap = false
    for (; this.index < this.lines.length; this.index += 1) {
      const line = this.lines[this.index]!
      if (isBlank(line)) {
        blanks += 1
        continue
      }
      const inside = columns(/^[ \t]*/.exec(line)![0]) >= needed
      if (!inside && (blanks > 0 || MARKER.test(line) || this.interrupts(this.index))) break
      if (blanks > 0) gap = true
      for (; blanks > 0; blanks -= 1) body.push('')
      body.push(withoutIndent(line, indent + width))
    }
    const another = this.index < this.lines.length && MARKER.test(this.lines[this.index]!)
    return { body, gap: gap || (blanks > 0 && another) }
  }

  private readParagraph(): Block {
    const start = this.index
    const text: string[] = []
    do {
      text.push(this.lines[this.index]!.trimStart())
      this.index += 1
      const next = this.lines[this.index] ?? ''
      const underline = next.length < LONG_LINE ? UNDERLINE.exec(next) : null
      if (underline && !(this.streaming && this.index === this.lines.length - 1)) {
        this.index += 1
        return { kind: 'heading', level: underline[1]!.startsWith('=') ? 1 : 2, text: text.join('\n').trim() }
      }
    } while (this.index < this.lines.length && !isBlank(this.lines[this.index]!) && !this.interrupts(this.index))
    if (this.index === start) this.index += 1
    return { kind: 'paragraph', text: text.join('\n').trimEnd() }
  }

  /** Whether a line begins a block of its own in the middle of a paragraph. */
  private interrupts(index: number): boolean {
    const line = this.lines[index]!
    if (line.length > LONG_LINE) return false
    if (!BLOCK_START.test(line)) return this.isTableAt(index)
    if (FENCE.test(line) || HEADING.test(line) || RULE.test(line) || this.isTableAt(index)) return true
    if (MATHS.test(line)) return true
    if (this.depth >= MAX_DEPTH) return false
    if (QUOTE.test(line)) return true
    const marker = MARKER.exec(line)
    return marker !== null && marker[4] !== '' && (marker[3] === undefined || marker[3] === '1')
  }

  private readInside(lines: string[]): Block[] {
    const reader = new BlockReader(lines, this.depth + 1, this.streaming && this.index >= this.lines.length)
    const blocks: Block[] = []
    for (let next = reader.next(); next !== null; next = reader.next()) blocks.push(next.block)
    return blocks
  }
}

function isBlank(line: string): boolean {
  return line.trim() === ''
}

/** A heading's words, without the closing `##` and the `{#anchor}` that may follow them. */
function headingText(text: string): string {
  let words = text.trim()
  const anchor = words.endsWith('}') ? words.lastIndexOf('{#') : -1
  if (anchor !== -1) words = words.slice(0, anchor).trimEnd()
  let end = words.length
  while (words[end - 1] === '#') end -= 1
  return end === 0 || /\s/.test(words[end - 1]!) ? words.slice(0, end).trimEnd() : words
}

function isClosingFence(line: string, marks: string): boolean {
  const trimmed = line.trim()
  return trimmed.length >= marks.length && trimmed.startsWith(marks) && /^(?:`+|~+)$/.test(trimmed)
}

function columns(space: string): number {
  let width = 0
  for (const character of space) width += character === '\t' ? 4 : 1
  return width
}

function withoutIndent(line: string, width: number): string {
  let [index, removed] = [0, 0]
  while (removed < width && (line[index] === ' ' || line[index] === '\t')) {
    removed += line[index] === '\t' ? 4 : 1
    index += 1
  }
  return line.slice(index)
}

function taskAsBox(text: string): string {
  return text.replace(/^\[([ xX])\](?=\s)/, (_match, mark: string) => (mark === ' ' ? '☐' : '☑'))
}

/** The cells of a table row; `\|` is a bar inside a cell. */
function cellsOf(line: string): string[] {
  const inner = line.trim().replace(/^\|/, '')
  const cells: string[] = []
  let start = 0
  for (let index = 0; index < inner.length; index += 1) {
    if (inner[index] === '\\') index += 1
    else if (inner[index] === '|') {
      cells.push(inner.slice(start, index))
      start = index + 1
    }
  }
  if (inner.slice(start).trim() !== '') cells.push(inner.slice(start))
  return cells.map((cell) => cell.trim().replace(/\\\|/g, '|'))
}

function alignmentOf(delimiter: string): Alignment {
  const [left, right] = [delimiter.startsWith(':'), delimiter.endsWith(':')]
  if (left && right) return 'center'
  if (right) return 'right'
  return left ? 'left' : null
}
