/** A listing with its language and a button that copies it. */

import { type ReactNode, useEffect, useState } from 'react'

import { copyText } from '../clipboard'
import { Scrollable } from './Scrollable'

type State = 'idle' | 'copied' | 'failed'

const LABELS: Record<State, string> = { idle: 'Copy', copied: 'Copied', failed: 'Not copied' }
const SPOKEN: Record<State, string> = {
  idle: '',
  copied: 'Code copied',
  failed: 'The browser did not allow copying',
}
const SHOWN_MS = 2_000

export function CodeBlock({ language, text }: { language: string; text: string }): ReactNode {
  const [state, setState] = useState<State>('idle')

  useEffect(() => {
    if (state === 'idle') return
    const timer = setTimeout(() => setState('idle'), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [state])

  const copy = async (): Promise<void> => setState((await copyText(text)) ? 'copied' : 'failed')
  return (
    <div className="cb-code">
      <div className="cb-code-bar" data-citebook-skip="">
        <span className="cb-code-language">{language}</span>
        <button
          type="button"
          className="cb-copy"
          onClick={() => void copy()}
          aria-label={language ? `Copy ${language} code` : 'Copy code'}
        >
          {LABELS[state]}
        </button>
        <span className="cb-hidden" role="status">
          {SPOKEN[state]}
        </span>
      </div>
      <Scrollable as="pre" label={language ? `${language} code` : 'Code'}>
        <code>{text}</code>
      </Scrollable>
    </div>
  )
}
