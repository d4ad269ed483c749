/** The cited words as the page shows them, with a little of what stands before and after. */
import type { Block, Citation } from '@citebook/client'
import { Fragment, type ReactNode, useMemo } from 'react'
import { RenderedSection } from '../rendering'
import { Inlines } from '../rendering/Inlines'
import { useWords } from '../words'
import { keySentenceOf, splitRuns } from './keySentence'

interface ExcerptProps {
  citation: Citation
  /** What the reader wants to know. */
  question: string
}

export function Excerpt({ citation: { place, excerpt }, question }: ExcerptProps): ReactNode {
  const words = useWords()
  if (!place?.blocks.length) return excerpt ? <blockquote className="cb-excerpt">{excerpt}</blockquote> : null
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long one scrolls, and the keyboard must reach it.
    <div className="cb-excerpt-frame" role="group" aria-label={words.excerpt} tabIndex={0}>
      {place.before.length > 0 && (
        <div className="cb-beside">
          <RenderedSection blocks={place.before} />
        </div>
      )}
      <blockquote className="cb-excerpt">
        <Passage blocks={place.blocks} question={question} />
      </blockquote>
      {place.after.length > 0 && (
        <div className="cb-beside">
          <RenderedSection blocks={place.after} />
        </div>
      )}
    </div>
  )
}

function Passage({ blocks, question }: { blocks: Block[]; question: string }): ReactNode {
  const key = useMemo(() => keySentenceOf(blocks, question), [blocks, question])
  const paragraph = key && blocks[key.block]
  if (!key || paragraph?.kind !== 'paragraph') return <RenderedSection blocks={blocks} />
  const parts = splitRuns(paragraph.text, key.start, key.end)
  return (
    <>
      {key.block > 0 && <RenderedSection blocks={blocks.slice(0, key.block)} />}
      <p dir="auto">
        {parts.map((runs, index) => (
          <Fragment key={index}>
            {index === 1 ? (
              <mark className="cb-key">
                <Inlines text={runs} />
              </mark>
            ) : (
              <Inlines text={runs} />
            )}
          </Fragment>
        ))}
      </p>
      {key.block < blocks.length - 1 && <RenderedSection blocks={blocks.slice(key.block + 1)} />}
    </>
  )
}
