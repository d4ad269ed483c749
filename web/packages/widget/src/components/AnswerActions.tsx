/** Copying an answer or a link to it, and saying what one thinks of it. */
import type { Message, Rating, Remark } from '@citebook/client'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { copyText } from '../clipboard'
import { shareUrl } from '../navigation/sharedQuestion'
import { useWords } from '../words'
import { addressOf } from './addresses'
import { useActions, useChat, useQuestionBefore } from './ChatContext'
import { textToCopy } from './copying'
import { IconButton } from './Header'
import type { Icon } from './icons'
import { RemarkForm } from './RemarkForm'

const COPIED_MILLISECONDS = 2000

export function AnswerActions({ message }: { message: Message }): ReactNode {
  const words = useWords()
  const { announce } = useChat()
  const { rate } = useActions()
  const [asksForRemark, setAsksForRemark] = useState(false)
  const [told, setTold] = useState('')
  const send = async (rating: Rating, remark?: Remark): Promise<void> => {
    setAsksForRemark(remark === undefined)
    try {
      await rate(message.id, rating, remark)
      if (message.answerId) announce('rated', { answerId: message.answerId, rating, ...remark })
      setTold(remark === undefined ? '' : words.thanks)
    } catch {
      setAsksForRemark(false)
      setTold(words.notSent)
    }
  }
  return (
    <div className="cb-actions">
      <div className="cb-action-row">
        <CopyAnswer message={message} />
        <CopyLink message={message} />
        {message.answerId && (
          <>
            <IconButton
              name="up"
              label={words.good}
              pressed={message.rating === 'up'}
              onClick={() => void send('up')}
            />
            <IconButton
              name="down"
              label={words.bad}
              pressed={message.rating === 'down'}
              onClick={() => void send('down')}
            />
          </>
        )}
      </div>
      {asksForRemark && message.rating && (
        <RemarkForm
          rating={message.rating}
          onSend={(remark) => void send(message.rating ?? 'up', remark)}
          onSkip={() => {
            setAsksForRemark(false)
            setTold(words.thanks)
          }}
        />
      )}
      <p className="cb-told" role="status">
        {told}
      </p>
    </div>
  )
}

function CopyAnswer({ message }: { message: Message }): ReactNode {
  const chat = useChat()
  const words = useWords()
  const text = (): string => textToCopy(message, words, (citation) => addressOf(chat, citation))
  return <CopyButton name="copy" label={words.copy} done={words.copied} text={text} />
}

/** A passage or a page that was asked about is not in the link: without it, the answer would be another one. */
function CopyLink({ message: { id, passage, scope, support, edition } }: { message: Message }): ReactNode {
  const words = useWords()
  const question = useQuestionBefore(id)
  if (!question || passage || scope || support === 'talk') return null
  return (
    <CopyButton name="link" label={words.copyLink} done={words.linkCopied} text={() => shareUrl(question, edition)} />
  )
}

interface CopyButtonProps {
  name: Parameters<typeof Icon>[0]['name']
  label: string
  done: string
  text: () => string
}

function CopyButton({ name, label, done, text }: CopyButtonProps): ReactNode {
  const [isCopied, setIsCopied] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const copy = async (): Promise<void> => {
    if (!(await copyText(text()))) return
    setIsCopied(true)
    timer.current = setTimeout(() => setIsCopied(false), COPIED_MILLISECONDS)
  }
  return <IconButton name={isCopied ? 'done' : name} label={isCopied ? done : label} onClick={() => void copy()} />
}
