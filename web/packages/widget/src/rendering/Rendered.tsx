/** Shows Markdown as React elements made of text nodes: the one renderer for streams, history and the book's pages. */

import { createElement, Fragment, memo, type ReactNode, useMemo } from 'react'

import { type Alignment, type Block, readBlocks } from './blocks'
import { CodeBlock } from './CodeBlock'
import { type Inline, readInline } from './inline'
import { Maths } from './Maths'
import { Scrollable } from './Scrollable'
import { visibleText } from './visible'

export interface RenderedProps {
  text: string
  /** The text is still arriving: what is open at its end is shown as if it were closed. */
  streaming?: boolean
  /** What stands for the marker `[n]`; without it, or where it gives null, the marker stays text. Keep it stable. */
  citation?: (number: number) => ReactNode
  /** The element that the highest heading becomes. */
  topHeading?: 2 | 3 | 4
}

interface Manner {
  streaming: boolean
  maths: boolean
  /** Whether a formula stands alone where a name is needed. */
  namesFormulas?: boolean
  topHeading: number
  citation: RenderedProps['citation']
}

/** No lesson is longer. The rest of a longer text is shown as it is: a million elements would stop the page. */
const MOST_MARKDOWN = 100_000

/** A text with more formulas than this is no lesson: they are shown as source. */
const MAX_FORMULAS = 2_000

export function Rendered({ text, streaming = false, citation, topHeading = 3 }: RenderedProps): ReactNode {
  const visible = useMemo(() => visibleText(text), [text])
  const [marked, rest] = useMemo(() => cutAtLine(visible, MOST_MARKDOWN), [visible])
  const isOpen = streaming && !rest
  const blocks = useMemo(() => readBlocks(marked, isOpen), [marked, isOpen])
  const maths = useMemo(() => hasFewFormulas(marked), [marked])
  return (
    <div className="cb-rendered">
      {blocks.map(({ block, source }, index) => (
        <TopLevelBlock
          key={index}
          block={block}
          source={source}
          streaming={isOpen && index === blocks.length - 1}
          maths={maths}
          citation={citation}
          topHeading={topHeading}
        />
      ))}
      {rest && <p className="cb-rest">{rest}</p>}
    </div>
  )
}

function cutAtLine(text: string, most: number): [string, string] {
  if (text.length <= most) return [text, '']
  const line = text.lastIndexOf('\n', most) + 1
  const end = line > most / 2 ? line : most
  return [text.slice(0, end), text.slice(end)]
}

interface TopLevelBlockProps extends Manner {
  block: Block
  source: string
}

/** Blocks that did not change since the last piece of the stream are not rendered again. */
const TopLevelBlock = memo(
  function TopLevelBlock({ block, source: _source, ...manner }: TopLevelBlockProps): ReactNode {
    return blockElement(block, manner)
  },
  (before, after) =>
    before.source === after.source &&
    before.block.kind === after.block.kind &&
    before.streaming === after.streaming &&
    before.maths === after.maths &&
    before.citation === after.citation &&
    before.topHeading === after.topHeading,
)

function blockElement(block: Block, manner: Manner): ReactNode {
  switch (block.kind) {
    case 'paragraph':
      return <p>{inlineElements(block.text, manner)}</p>
    case 'heading':
      return createElement(
        `h${Math.min(6, block.level + manner.topHeading - 1)}`,
        null,
        inlineElements(block.text, manner),
      )
    case 'code':
      return <CodeBlock language={block.language} text={block.text} />
    case 'maths':
      return (
        <Scrollable as="div" label="Formula" className="cb-formula">
          {mathsElement(block.source, true, manner)}
        </Scrollable>
      )
    case 'rule':
      return <hr />
    case 'quote':
      return <blockquote>{blockElements(block.blocks, manner)}</blockquote>
    case 'list':
      return listElement(block, manner)
    case 'table':
      return tableElement(block, manner)
  }
}

function blockElements(blocks: Block[], manner: Manner): ReactNode {
  return blocks.map((block, index) => (
    <Fragment key={index}>
      {blockElement(block, index === blocks.length - 1 ? manner : { ...manner, streaming: false })}
    </Fragment>
  ))
}

function listElement(list: Extract<Block, { kind: 'list' }>, manner: Manner): ReactNode {
  const items = list.items.map((blocks, index) => {
    const itemManner = index === list.items.length - 1 ? manner : { ...manner, streaming: false }
    return <li key={index}>{list.loose ? blockElements(blocks, itemManner) : tightElements(blocks, itemManner)}</li>
  })
  if (list.start === null) return <ul>{items}</ul>
  return <ol start={list.start === 1 ? undefined : list.start}>{items}</ol>
}

/** The item of a tight list holds its words without a paragraph around them. */
function tightElements(blocks: Block[], manner: Manner): ReactNode {
  return blocks.map((block, index) => {
    const itemManner = index === blocks.length - 1 ? manner : { ...manner, streaming: false }
    const element =
      block.kind === 'paragraph' ? inlineElements(block.text, itemManner) : blockElement(block, itemManner)
    return <Fragment key={index}>{element}</Fragment>
  })
}

function tableElement(table: Extract<Block, { kind: 'table' }>, manner: Manner): ReactNode {
  const cell = (tag: 'th' | 'td', text: string, column: number): ReactNode => {
    const nodes = readInline(text, manner.streaming)
    const className = alignmentClass(table.alignments[column])
    const named = tag === 'th' && nodes.length === 1 ? { ...manner, namesFormulas: true } : manner
    return createElement(
      tag,
      { key: column, className, scope: tag === 'th' ? 'col' : undefined },
      inlineNodes(nodes, named),
    )
  }
  return (
    <Scrollable as="div" label="Table" className="cb-table">
      <table>
        <thead>
          <tr>{table.header.map((text, column) => cell('th', text, column))}</tr>
        </thead>
        {table.rows.length > 0 && (
          <tbody>
            {table.rows.map((row, index) => (
              <tr key={index}>{row.map((text, column) => cell('td', text, column))}</tr>
            ))}
          </tbody>
        )}
      </table>
    </Scrollable>
  )
}

function alignmentClass(alignment: Alignment | undefined): string | undefined {
  return alignment ? `cb-${alignment}` : undefined
}

function inlineElements(text: string, manner: Manner): ReactNode {
  return inlineNodes(readInline(text, manner.streaming), manner)
}

function inlineNodes(nodes: Inline[], manner: Manner): ReactNode {
  return nodes.map((node, index) =>
    node.kind === 'text' ? node.text : <Fragment key={index}>{inlineElement(node, manner)}</Fragment>,
  )
}

function inlineElement(node: Exclude<Inline, { kind: 'text' }>, manner: Manner): ReactNode {
  switch (node.kind) {
    case 'code':
      return <code>{node.text}</code>
    case 'maths':
      return mathsElement(node.source, node.display, manner)
    case 'citation':
      return manner.citation?.(node.number) ?? `[${node.number}]`
    case 'break':
      return <br />
    case 'image':
      return <span className="cb-image">{node.alt}</span>
    case 'strong':
      return <strong>{inlineNodes(node.children, manner)}</strong>
    case 'emphasis':
      return <em>{inlineNodes(node.children, manner)}</em>
    case 'deleted':
      return <del>{inlineNodes(node.children, manner)}</del>
  }
}

function mathsElement(source: string, display: boolean, manner: Manner): ReactNode {
  if (!manner.maths) return <code>{source}</code>
  return <Maths source={source} display={display} label={manner.namesFormulas ? source : undefined} />
}

function hasFewFormulas(text: string): boolean {
  let marks = 0
  for (let at = text.indexOf('$'); at !== -1 && marks <= 2 * MAX_FORMULAS; at = text.indexOf('$', at + 1)) marks += 1
  for (let at = text.indexOf('\\('); at !== -1 && marks <= 2 * MAX_FORMULAS; at = text.indexOf('\\(', at + 1))
    marks += 2
  for (let at = text.indexOf('\\['); at !== -1 && marks <= 2 * MAX_FORMULAS; at = text.indexOf('\\[', at + 1))
    marks += 2
  return marks <= 2 * MAX_FORMULAS
}
