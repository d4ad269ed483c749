/** The passage that the question is about, above the input: it can be removed, and taken as the only source or not. */
import { type Passage, STRICT_PASSAGE } from '@citebook/client'
import type { ReactNode } from 'react'
import { useWords } from '../words'
import { useActions } from './ChatContext'
import { IconButton } from './Header'
import { useInputFocus } from './surface'

export function PassagePreview({ passage }: { passage: Passage }): ReactNode {
  const words = useWords()
  const { setPassage } = useActions()
  const focusInput = useInputFocus()
  const canBeStrict = passage.text.length >= STRICT_PASSAGE.min
  const remove = (): void => {
    setPassage(null)
    focusInput()
  }
  return (
    <div className="cb-passage" role="group" aria-label={words.passage}>
      <div className="cb-passage-body">
        <p className="cb-passage-text">{passage.text}</p>
        <label className="cb-strict">
          <input
            type="checkbox"
            // biome-ignore lint/a11y/useAriaPropsForRole: a checkbox says by itself whether it is checked.
            role="switch"
            checked={passage.strict && canBeStrict}
            disabled={!canBeStrict}
            onChange={(event) => setPassage({ ...passage, strict: event.target.checked })}
          />
          <span>{words.passageOnly}</span>
        </label>
      </div>
      <IconButton name="close" label={words.removePassage} onClick={remove} />
    </div>
  )
}
