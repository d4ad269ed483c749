/** The two things that are shown as blocks: an answer, with a chip after each part, and a section of the book. */
import { type AnswerPart, type Block, visibleText } from '@citebook/client'
import { Fragment, memo, type ReactNode, useMemo } from 'react'
import { Blocks } from './Blocks'
import { hasTooManyFormulas } from './formulas'
import { Inlines } from './Inlines'
import { FormulasAsSource } from './Maths'
import { paragraphsOf, type Sentence } from './paragraphs'

export function RenderedSection({ blocks }: { blocks: Block[] }): ReactNode {
  return (
    <Frame blocks={blocks}>
      <Blocks blocks={blocks} />
    </Frame>
  )
}

interface RenderedAnswerProps {
  parts: AnswerPart[]
  /** What stands for the source at this position. Keep it stable: a part that did not change is not drawn again. */
  citation: (position: number) => ReactNode
}

export function RenderedAnswer({ parts, citation }: RenderedAnswerProps): ReactNode {
  const blocks = useMemo(() => parts.flatMap((part) => part.blocks), [parts])
  const paragraphs = useMemo(() => paragraphsOf(parts), [parts])
  return (
    <Frame blocks={blocks}>
      {paragraphs.map((paragraph, index) =>
        Array.isArray(paragraph) ? (
          <p key={index}>
            {paragraph.map((part, place) => (
              <Fragment key={place}>
                {place > 0 && ' '}
                <SentenceElement part={part} citation={citation} />
              </Fragment>
            ))}
          </p>
        ) : (
          <PartElement key={index} part={paragraph} citation={citation} />
        ),
      )}
    </Frame>
  )
}

/** An answer of which only the text was kept. */
export function PlainAnswer({ text }: { text: string }): ReactNode {
  const visible = useMemo(() => visibleText(text), [text])
  return (
    <div className="cb-rendered" dir="auto">
      <p className="cb-plain">{visible}</p>
    </div>
  )
}

function Frame({ blocks, children }: { blocks: Block[]; children: ReactNode }): ReactNode {
  const asSource = useMemo(() => hasTooManyFormulas(blocks), [blocks])
  return (
    <FormulasAsSource.Provider value={asSource}>
      <div className="cb-rendered" dir="auto">
        {children}
      </div>
    </FormulasAsSource.Provider>
  )
}

interface PartProps<Part extends AnswerPart> extends Pick<RenderedAnswerProps, 'citation'> {
  part: Part
}

const SentenceElement = memo(function SentenceElement({ part, citation }: PartProps<Sentence>): ReactNode {
  return (
    <>
      <Inlines text={part.blocks[0].text} />
      {tailOf(part, citation)}
    </>
  )
})

const PartElement = memo(function PartElement({ part, citation }: PartProps<AnswerPart>): ReactNode {
  return <Blocks blocks={part.blocks} tail={tailOf(part, citation)} />
})

function tailOf({ citation: position }: AnswerPart, citation: RenderedAnswerProps['citation']): ReactNode {
  return position === null ? null : <> {citation(position)}</>
}
