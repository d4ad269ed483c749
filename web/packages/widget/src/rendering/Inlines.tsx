/** Runs of text as elements: each is a text node, or a formula. */
import type { Inline } from '@citebook/client'
import { Fragment, type ReactNode } from 'react'
import { Maths } from './Maths'

interface InlinesProps {
  text: Inline[]
  /** Whether a formula that stands alone must name something, such as a column. */
  isName?: boolean
}

export function Inlines({ text, isName = false }: InlinesProps): ReactNode {
  const isLabel = isName && text.length === 1
  return text.map((run, index) => <Fragment key={index}>{runElement(run, isLabel)}</Fragment>)
}

function runElement({ text, marks }: Inline, isLabel: boolean): ReactNode {
  let element: ReactNode = text
  if (marks.includes('formula')) {
    element = <Maths source={text} display={false} label={isLabel ? text : undefined} />
  } else if (marks.includes('code')) {
    element = <code>{text}</code>
  }
  if (marks.includes('emphasis')) element = <em>{element}</em>
  if (marks.includes('strong')) element = <strong>{element}</strong>
  return element
}
