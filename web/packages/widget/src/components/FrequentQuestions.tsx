/** What can be told while the book cannot be searched: questions that it answers under headings of their own. */
import { type Citation, type FrequentQuestion, visibleText } from '@citebook/client'
import type { ReactNode } from 'react'
import { bookUrl } from '../navigation/citationLinks'
import { useWords } from '../words'
import { useChat } from './ChatContext'
import { CitationLink } from './CitationLink'

export function FrequentQuestions({ entries }: { entries: FrequentQuestion[] }): ReactNode {
  const words = useWords()
  const { bookUrl: book } = useChat()
  if (!entries.length) return null
  return (
    <section className="cb-faq" aria-label={words.faq}>
      <p>{words.faqText}</p>
      {entries.map((entry, index) => (
        <details key={index}>
          <summary>{visibleText(entry.question)}</summary>
          <p className="cb-plain">{visibleText(entry.answer)}</p>
          {bookUrl(entry.url, book) && (
            <CitationLink citation={placeOf(entry)} className="cb-faq-go">
              {words.showInBook}
            </CitationLink>
          )}
        </details>
      ))}
    </section>
  )
}

function placeOf({ question, answer, url }: FrequentQuestion): Citation {
  return { chapter: '', chapterTitle: question, sourceFile: '', excerpt: answer, ...(url ? { url } : {}) }
}
