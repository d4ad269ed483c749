/** Blocks as React elements made of text nodes: the one renderer for answers, history and the book's pages. */
import type { Block, BlockOf, Inline } from '@citebook/client'
import { Fragment, type ReactNode } from 'react'
import { useWords } from '../words'
import { CodeBlock } from './CodeBlock'
import { Inlines } from './Inlines'
import { Maths } from './Maths'
import { Scrollable } from './Scrollable'

interface BlocksProps {
  blocks: Block[]
  /** What stands after the last words, in their line where they have one. */
  tail?: ReactNode
}

export function Blocks({ blocks, tail }: BlocksProps): ReactNode {
  return blocks.map((block, index) => (
    <Fragment key={index}>{blockElement(block, index === blocks.length - 1 ? tail : undefined)}</Fragment>
  ))
}

function blockElement(block: Block, tail: ReactNode): ReactNode {
  switch (block.kind) {
    case 'paragraph':
      return (
        <p>
          <Inlines text={block.text} />
          {tail}
        </p>
      )
    case 'list':
      return <List list={block} tail={tail} />
    case 'quotation':
      return (
        <blockquote>
          <Blocks blocks={block.blocks} tail={tail} />
        </blockquote>
      )
    default:
      return (
        <>
          {standingAlone(block)}
          {tail && <p className="cb-tail">{tail}</p>}
        </>
      )
  }
}

function standingAlone(block: BlockOf<'table' | 'code' | 'formula'>): ReactNode {
  switch (block.kind) {
    case 'table':
      return <Table table={block} />
    case 'code':
      return <CodeBlock language={block.language} text={block.text} />
    case 'formula':
      return <Formula source={block.text} />
  }
}

function Formula({ source }: { source: string }): ReactNode {
  return (
    <Scrollable as="div" label={useWords().formula} className="cb-formula">
      <Maths source={source} display />
    </Scrollable>
  )
}

function List({ list, tail }: { list: BlockOf<'list'>; tail: ReactNode }): ReactNode {
  const isLoose = list.items.some((item) => item.filter(({ kind }) => kind === 'paragraph').length > 1)
  const items = list.items.map((blocks, index) => (
    <li key={index}>
      <Item blocks={blocks} isLoose={isLoose} tail={index === list.items.length - 1 ? tail : undefined} />
    </li>
  ))
  return list.ordered ? <ol start={list.start ?? undefined}>{items}</ol> : <ul>{items}</ul>
}

/** The item of a tight list holds its words without a paragraph around them. */
function Item({ blocks, isLoose, tail }: BlocksProps & { isLoose: boolean }): ReactNode {
  const [first, ...others] = blocks
  if (isLoose || first?.kind !== 'paragraph') return <Blocks blocks={blocks} tail={tail} />
  return (
    <>
      <Inlines text={first.text} />
      {others.length ? <Blocks blocks={others} tail={tail} /> : tail}
    </>
  )
}

function Table({ table }: { table: BlockOf<'table'> }): ReactNode {
  return (
    <Scrollable as="div" label={useWords().table} className="cb-table">
      <table>
        {table.header.length > 0 && (
          <thead>
            <tr>{table.header.map(headerCell)}</tr>
          </thead>
        )}
        {table.rows.length > 0 && (
          <tbody>
            {table.rows.map((row, index) => (
              <tr key={index}>
                {row.map((cell, column) => (
                  <td key={column}>
                    <Inlines text={cell} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        )}
      </table>
    </Scrollable>
  )
}

/** A cell without words is no header of anything. */
function headerCell(text: Inline[], column: number): ReactNode {
  if (!text.length) return <td key={column} />
  return (
    <th key={column} scope="col">
      <Inlines text={text} isName />
    </th>
  )
}
