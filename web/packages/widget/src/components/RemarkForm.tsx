/** What a reader may add to a thumb: after a thumb down a reason, and words of their own. */
import { MOST_NOTE_CHARACTERS, type Rating, type Reason, type Remark } from '@citebook/client'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { useWords } from '../words'

interface RemarkFormProps {
  rating: Rating
  onSend: (remark: Remark) => void
  onSkip: () => void
}

export function RemarkForm({ rating, onSend, onSkip }: RemarkFormProps): ReactNode {
  const words = useWords()
  const [note, setNote] = useState('')
  const [reason, setReason] = useState<Reason>()
  const id = useId()
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const said = note.trim()
    if (said || reason) onSend({ ...(said ? { note: said } : {}), ...(reason ? { reason } : {}) })
    else onSkip()
  }
  return (
    <form className="cb-feedback" onSubmit={submit}>
      {rating === 'down' && <Reasons chosen={reason} onChoose={setReason} />}
      <label htmlFor={id}>{rating === 'up' ? words.helpful : words.wrong}</label>
      <textarea
        id={id}
        rows={2}
        maxLength={MOST_NOTE_CHARACTERS}
        value={note}
        onChange={(event) => setNote(event.target.value)}
      />
      <div className="cb-feedback-actions">
        <button type="button" className="cb-button" onClick={onSkip}>
          {words.skip}
        </button>
        <button type="submit" className="cb-button cb-primary">
          {words.send}
        </button>
      </div>
    </form>
  )
}

interface ReasonsProps {
  chosen: Reason | undefined
  onChoose: (reason: Reason) => void
}

function Reasons({ chosen, onChoose }: ReasonsProps): ReactNode {
  const words = useWords()
  const name = useId()
  const reasons: [Reason, string][] = [
    ['wrong', words.reasonWrong],
    ['incomplete', words.reasonIncomplete],
    ['off_topic', words.reasonOffTopic],
    ['unclear', words.reasonUnclear],
  ]
  return (
    <fieldset className="cb-reasons">
      <legend>{words.reason}</legend>
      {reasons.map(([reason, label]) => (
        <label key={reason}>
          <input type="radio" name={name} checked={chosen === reason} onChange={() => onChoose(reason)} />
          <span>{label}</span>
        </label>
      ))}
    </fieldset>
  )
}
