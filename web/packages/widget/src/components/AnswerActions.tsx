/** Copying an answer, and saying what one thinks of it. */
import { type Message, MOST_NOTE_CHARACTERS, type Rating } from '@citebook/client'
import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { copyText } from '../clipboard'
import { addressOf } from './addresses'
import { useActions, useChat } from './ChatContext'
import { textToCopy } from './copying'
import { IconButton } from './Header'

const COPIED_MILLISECONDS = 2000

export function AnswerActions({ message }: { message: Message }): ReactNode {
  const { rate } = useActions()
  const [asksForNote, setAsksForNote] = useState(false)
  const [told, setTold] = useState('')
  const send = async (rating: Rating, note?: string): Promise<void> => {
    setAsksForNote(note === undefined)
    try {
      await rate(message.id, rating, note)
      setTold(note === undefined ? '' : 'Thank you for your feedback.')
    } catch {
      setAsksForNote(false)
      setTold('Your feedback could not be sent.')
    }
  }
  return (
    <div className="cb-actions">
      <div className="cb-action-row">
        <CopyButton message={message} />
        {message.answerId && (
          <>
            <IconButton
              name="up"
              label="Good answer"
              pressed={message.rating === 'up'}
              onClick={() => void send('up')}
            />
            <IconButton
              name="down"
              label="Bad answer"
              pressed={message.rating === 'down'}
              onClick={() => void send('down')}
            />
          </>
        )}
      </div>
      {asksForNote && message.rating && (
        <NoteForm
          rating={message.rating}
          onSend={(note) => void send(message.rating ?? 'up', note)}
          onSkip={() => {
            setAsksForNote(false)
            setTold('Thank you for your feedback.')
          }}
        />
      )}
      <p className="cb-told" role="status">
        {told}
      </p>
    </div>
  )
}

function CopyButton({ message }: { message: Message }): ReactNode {
  const chat = useChat()
  const [isCopied, setIsCopied] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const copy = async (): Promise<void> => {
    if (!(await copyText(textToCopy(message, (citation) => addressOf(chat, citation))))) return
    setIsCopied(true)
    timer.current = setTimeout(() => setIsCopied(false), COPIED_MILLISECONDS)
  }
  return (
    <IconButton
      name={isCopied ? 'done' : 'copy'}
      label={isCopied ? 'Copied' : 'Copy answer'}
      onClick={() => void copy()}
    />
  )
}

interface NoteFormProps {
  rating: Rating
  onSend: (note: string) => void
  onSkip: () => void
}

function NoteForm({ rating, onSend, onSkip }: NoteFormProps): ReactNode {
  const [note, setNote] = useState('')
  const id = useId()
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (note.trim()) onSend(note)
    else onSkip()
  }
  return (
    <form className="cb-feedback" onSubmit={submit}>
      <label htmlFor={id}>
        {rating === 'up' ? 'What was helpful? (optional)' : 'What is wrong or missing? (optional)'}
      </label>
      <textarea
        id={id}
        rows={2}
        maxLength={MOST_NOTE_CHARACTERS}
        value={note}
        onChange={(event) => setNote(event.target.value)}
      />
      <div className="cb-feedback-actions">
        <button type="button" className="cb-button" onClick={onSkip}>
          Skip
        </button>
        <button type="submit" className="cb-button cb-primary">
          Send
        </button>
      </div>
    </form>
  )
}
