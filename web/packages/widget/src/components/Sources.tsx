/** The sections of the book that an answer rests on, each once, and a way to every passage that it quotes there. */
import type { Citation } from '@citebook/client'
import { type ReactNode, useMemo } from 'react'
import { filled, useWords, type WordsOfChat } from '../words'
import { CitationLink } from './CitationLink'

/** So many are shown at once; more would push the answer out of sight. */
const FEW = 3

interface Numbered {
  citation: Citation
  /** Its position among the answer's citations, from 1. */
  number: number
}

export function Sources({ citations }: { citations: Citation[] }): ReactNode {
  const words = useWords()
  const sections = useMemo(() => bySection(citations), [citations])
  if (!sections.length) return null
  return (
    <details className="cb-sources" open={sections.length <= FEW}>
      <summary>{sections.length === 1 ? words.oneSource : filled(words.sources, { count: sections.length })}</summary>
      <ol>
        {sections.map((passages) => (
          <Section key={passages[0]!.number} passages={passages} />
        ))}
      </ol>
    </details>
  )
}

function Section({ passages }: { passages: Numbered[] }): ReactNode {
  const words = useWords()
  const [first, ...others] = passages
  const { citation, number } = first!
  return (
    <li>
      <span className="cb-source-number" aria-hidden="true">
        {number}
      </span>
      <div className="cb-source-body">
        <CitationLink citation={citation} className="cb-source">
          <bdi className="cb-source-section">{citation.sectionTitle ?? citation.chapterTitle}</bdi>
          <span className="cb-source-detail">
            <bdi>{detailOf(citation, words)}</bdi>
          </span>
        </CitationLink>
        {others.length > 0 && (
          <p className="cb-also">
            {words.alsoHere}
            {others.map((other) => (
              <CitationLink key={other.number} citation={other.citation} className="cb-source-also">
                <span aria-hidden="true">{other.number}</span>
                <span className="cb-unseen">
                  {filled(words.source, { number: other.number, place: other.citation.excerpt })}
                </span>
              </CitationLink>
            ))}
          </p>
        )}
      </div>
    </li>
  )
}

/** In the order of the answer; what has no address stands for itself. */
export function bySection(citations: Citation[]): Numbered[][] {
  const sections = new Map<string, Numbered[]>()
  citations.forEach((citation, index) => {
    const { url, sectionTitle = '', chapterTitle, page } = citation
    const key = url ? `${url} ${page ?? ''}` : `${chapterTitle}\n${sectionTitle}\n${index}`
    sections.set(key, [...(sections.get(key) ?? []), { citation, number: index + 1 }])
  })
  return [...sections.values()]
}

function detailOf({ sectionTitle, chapterTitle, page, excerpt }: Citation, words: WordsOfChat): string {
  const chapter = sectionTitle && sectionTitle !== chapterTitle ? chapterTitle : undefined
  const number = page === undefined ? undefined : filled(words.page, { number: page })
  return [chapter, number].filter(Boolean).join(', ') || excerpt
}
