/** The places in the book that an answer rests on, each a way there. */
import type { Citation } from '@citebook/client'
import type { ReactNode } from 'react'
import { CitationLink } from './CitationLink'

/** So many are shown at once; more would push the answer out of sight. */
const FEW = 3

export function Sources({ citations }: { citations: Citation[] }): ReactNode {
  if (!citations.length) return null
  return (
    <details className="cb-sources" open={citations.length <= FEW}>
      <summary>{citations.length === 1 ? '1 source' : `${citations.length} sources`}</summary>
      <ol>
        {citations.map((citation, index) => (
          <li key={index}>
            <span className="cb-source-number" aria-hidden="true">
              {index + 1}
            </span>
            <CitationLink citation={citation} className="cb-source">
              <span className="cb-source-section">{citation.sectionTitle ?? citation.chapterTitle}</span>
              <span className="cb-source-detail">{detailOf(citation)}</span>
            </CitationLink>
          </li>
        ))}
      </ol>
    </details>
  )
}

function detailOf({ sectionTitle, chapterTitle, page, excerpt }: Citation): string {
  const chapter = sectionTitle && sectionTitle !== chapterTitle ? chapterTitle : undefined
  return [chapter, page === undefined ? undefined : `page ${page}`].filter(Boolean).join(', ') || excerpt
}
