/** A listing with its language and a button that copies it. */

import { type ReactNode, useEffect, useState } from 'react'

import { Scrollable } from './Scrollable'

const SHOWN_MS = 2_000

export function CodeBlock({ language, text }: { language: string; text: string }): ReactNode {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle')

  useEffect(() => {
    if (state === 'idle') return
    const timer = setTimeout(() => setState('idle'), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [state])

  const copy = (): void => {
    copyText(text).then(
      () => setState('copied'),
      () => setState('failed'),
    )
  }
  return (
    <div className="cb-code">
      <div className="cb-code-bar">
        <span className="cb-code-language">{language}</span>
        <button
          type="button"
          className="cb-copy"
          onClick={copy}
          aria-label={language ? `Copy ${language} code` : 'Copy code'}
        >
          {state === 'copied' ? 'Copied' : state === 'failed' ? 'Not copied' : 'Copy'}
        </button>
        <span className="cb-hidden" role="status">
          {state === 'copied' ? 'Code copied' : state === 'failed' ? 'The browser did not allow copying' : ''}
        </span>
      </div>
      <Scrollable as="pre" label={language ? `${language} code` : 'Code'}>
        <code>{text}</code>
      </Scrollable>
    </div>
  )
}

/** Pages that are not served over HTTPS have no clipboard; there the old way still works. */
async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'cb-hidden'
  document.body.append(area)
  area.select()
  const copied = document.execCommand('copy')
  area.remove()
  if (!copied) throw new Error('copying was refused')
}
