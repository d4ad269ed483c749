/** How well the book supports an answer, in words; the figure is one click away. */
import type { Message } from '@citebook/client'
import type { ReactNode } from 'react'
import { Icon } from './icons'

const WELL = 0.7
const WEAK = 0.3

export type Support = 'well' | 'partly' | 'weakly'

const WORDS: Record<Support, string> = {
  well: 'Well supported',
  partly: 'Partly supported',
  weakly: 'Weakly supported',
}

export function supportOf(confidence: number, isLow: boolean): Support {
  if (isLow || confidence < WEAK) return 'weakly'
  return confidence >= WELL ? 'well' : 'partly'
}

export function Confidence({ message }: { message: Message }): ReactNode {
  const { confidence, lowConfidence = false, calibrated, passage } = message
  if (confidence === undefined) return null
  const support = supportOf(confidence, lowConfidence)
  const percent = Math.round(confidence * 100)
  return (
    <details className="cb-confidence" data-support={support}>
      <summary title={`Confidence ${percent} %`}>
        {WORDS[support]} by the {passage?.strict ? 'passage' : 'book'}
      </summary>
      <p>
        Confidence {percent} %.{' '}
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
