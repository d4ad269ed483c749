/** Whether an answer answers, in the server's own words; the figure and what it means are one click away. */
import type { Message } from '@citebook/client'
import type { ReactNode } from 'react'
import { filled, useWords } from '../words'
import { Icon } from './icons'

export function Confidence({ message }: { message: Message }): ReactNode {
  const words = useWords()
  const { confidence, support, supportText, calibrated } = message
  if (confidence === undefined || !supportText) return null
  const percent = Math.round(confidence * 100)
  return (
    <details className="cb-confidence" data-support={support}>
      <summary title={filled(words.confidence, { percent })}>{supportText}</summary>
      <p>
        {filled(words.confidenceMeans, { percent })} {calibrated === false && words.uncalibrated}
        {calibrated === true && filled(words.calibrated, { percent })}
      </p>
    </details>
  )
}

export function LowConfidenceBand(): ReactNode {
  return (
    <p className="cb-band">
      <Icon name="warning" />
      <span>{useWords().little}</span>
    </p>
  )
}
