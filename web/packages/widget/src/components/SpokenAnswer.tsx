/** Says the answer to screen readers: each part once, when it is there. */
import { type Message, visibleText } from '@citebook/client'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { plainText } from '../rendering/plainText'
import { useWords } from '../words'
import { useChatState } from './ChatContext'

const NOTHING = { id: '', parts: 0 }

export function SpokenAnswer(): ReactNode {
  const words = useWords()
  const last = useChatState((state) => state.messages.at(-1))
  const isLoading = useChatState((state) => state.isLoading)
  const [said, setSaid] = useState<string[]>([])
  const spoken = useRef(NOTHING)

  useEffect(() => {
    if (!last) {
      spoken.current = NOTHING
      setSaid([])
    }
    // Only what arrives while one waits is said, not a conversation that is loaded.
    if (last?.role !== 'assistant' || !(isLoading || spoken.current.id === last.id)) return
    if (spoken.current.id !== last.id) {
      spoken.current = { id: last.id, parts: 0 }
      setSaid([words.searching])
    }
    const parts = spokenParts(last)
    const added = parts.slice(spoken.current.parts)
    spoken.current.parts += added.length
    if (added.length) setSaid((before) => [...before, ...added])
  }, [last, isLoading, words])

  return (
    <div className="cb-unseen" role="log" aria-live="polite" aria-relevant="additions" aria-label={words.spoken}>
      {said.map((part, index) => (
        <p key={index}>{part}</p>
      ))}
    </div>
  )
}

/** An answer without parts is said when it is whole: nobody knows where its sentences end. */
function spokenParts({ parts, content, isStreaming }: Message): string[] {
  if (parts) return parts.map(({ blocks }) => plainText(blocks).replace(/\t/g, ', '))
  return content && !isStreaming ? [visibleText(content)] : []
}
