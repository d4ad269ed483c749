/** Questions that the reader may begin or go on with: the site's own, else those that the book answers. */
import { useEffect, useState } from 'react'
import { useChat, useHere } from './ChatContext'

const MOST_TO_BEGIN = 3
const MOST_TO_GO_ON = 3

/** Of this page first; those of the book only after so many milliseconds, in which whoever knows what to ask has begun to type. */
export function useStartingQuestions(pause = 0): string[] {
  const { examples, book } = useChat()
  const { chapterId, isSought } = useHere()
  const [questions, setQuestions] = useState<string[]>([])
  const hasOwn = examples.length > 0
  useEffect(() => {
    if (hasOwn || isSought) return
    let isWanted = true
    const page = chapterId ?? location.pathname
    const ask = (): void =>
      void book.questions({ page }, MOST_TO_BEGIN).then((found) => {
        if (isWanted) setQuestions(found.map(({ question }) => question))
      })
    const timer = setTimeout(ask, pause)
    return () => {
      isWanted = false
      clearTimeout(timer)
    }
  }, [book, chapterId, isSought, hasOwn, pause])
  return hasOwn ? examples : questions
}

/** What leads on from the section that the answer rests on; nothing that was asked before. */
export function useFurtherQuestions(section: string | undefined): string[] {
  const { book, store } = useChat()
  const [questions, setQuestions] = useState<string[]>([])
  useEffect(() => {
    if (!section) return
    let isWanted = true
    void book.questions({ after: section }, MOST_TO_GO_ON).then((found) => {
      if (!isWanted) return
      const asked = new Set(store.getState().messages.map(({ content }) => plain(content)))
      setQuestions(found.map(({ question }) => question).filter((question) => !asked.has(plain(question))))
    })
    return () => {
      isWanted = false
    }
  }, [book, store, section])
  return questions
}

function plain(question: string): string {
  return question
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}
