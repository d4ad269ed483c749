/** Says the answer to screen readers: each sentence once, when it is whole. */
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useChatState } from './ChatContext'

export function SpokenAnswer(): ReactNode {
  const last = useChatState((state) => state.messages.at(-1))
  const isLoading = useChatState((state) => state.isLoading)
  const [sentences, setSentences] = useState<string[]>([])
  const spoken = useRef({ id: '', length: 0 })

  useEffect(() => {
    if (!last) {
      spoken.current = { id: '', length: 0 }
      setSentences([])
    }
    // Only what arrives while one waits is said, not a conversation that is loaded.
    if (last?.role !== 'assistant' || !(isLoading || spoken.current.id === last.id)) return
    if (spoken.current.id !== last.id) {
      spoken.current = { id: last.id, length: 0 }
      setSentences(['Searching the book.'])
    }
    const end = last.isStreaming ? endOfSentences(last.content) : last.content.length
    if (end <= spoken.current.length) return
    const said = plain(last.content.slice(spoken.current.length, end))
    spoken.current.length = end
    if (said) setSentences((before) => [...before, said])
  }, [last, isLoading])

  return (
    <div
      className="cb-unseen"
      role="log"
      aria-live="polite"
      aria-relevant="additions"
      aria-label="Answer, read aloud"
    >
      {sentences.map((sentence, index) => (
        <p key={index}>{sentence}</p>
      ))}
    </div>
  )
}

/** Where the last whole sentence ends, with its citation markers. */
export function endOfSentences(text: string): number {
  for (let index = text.length - 1; index >= 0; index -= 1) {
    const character = text[index]
    if (character === '\n' || character === ']') return index + 1
    const isStop = character === '.' || character === '!' || character === '?'
    if (isStop && (index === text.length - 1 || /\s/.test(text[index + 1] ?? ''))) return index + 1
  }
  return 0
}

function plain(text: string): string {
  return text
    .replace(/\[\d+\]/g, '')
    .replace(/[*`]+/g, '')
    .replace(/[#>|]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}
