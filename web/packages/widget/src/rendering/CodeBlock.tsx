/** A listing with its language and a button that copies it. */

import { type ReactNode, useEffect, useState } from 'react'

import { copyText } from '../clipboard'
import { useWords } from '../words'
import { Scrollable } from './Scrollable'

type State = 'idle' | 'copied' | 'failed'

const SHOWN_MS = 2_000

export function CodeBlock({ language, text }: { language: string; text: string }): ReactNode {
  const words = useWords()
  const [state, setState] = useState<State>('idle')
  const label = { idle: words.copyCode, copied: words.copied, failed: words.notCopied }[state]
  const spoken = { idle: '', copied: words.codeCopied, failed: words.noCopying }[state]
  const name = language ? `${words.code}: ${language}` : words.code

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
          aria-label={language ? `${words.copyCodeLabel}: ${language}` : words.copyCodeLabel}
        >
          {label}
        </button>
        <span className="cb-hidden" role="status">
          {spoken}
        </span>
      </div>
      <Scrollable as="pre" label={name}>
        <code>{text}</code>
      </Scrollable>
    </div>
  )
}
