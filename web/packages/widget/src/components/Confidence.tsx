/** Whether an answer answers, in the server's own words; the figure and what it means are one click away. */
import type { Message } from '@citebook/client'
import type { ReactNode } from 'react'
import { Icon } from './icons'

export function Confidence({ message }: { message: Message }): ReactNode {
  const { confidence, support, supportText, calibrated } = message
  if (confidence === undefined || !supportText) return null
  const percent = Math.round(confidence * 100)
  return (
    <details className="cb-confidence" data-support={support}>
      <summary title={`Confidence ${percent} %`}>{supportText}</summary>
      <p>
        What is quoted is the book’s own; how sure it is that it answers you: {percent} %.{' '}
        {calibrated === false &&
          'This figure is not calibrated for this book: take it as a rough score, not as a probability.'}
        {calibrated === true && `Measured: of 100 answers like this one, about ${percent} are right.`}
      </p>
    </details>
  )
}

export function LowConfidenceBand(): ReactNode {
  return (
    <p className="cb-band">
      <Icon name="warning" />
      <span>The book says little about this. Check the sources before you rely on it.</span>
    </p>
  )
}
