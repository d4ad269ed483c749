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
  /** What a part is called that stands to the letter in the book, among words that do not. Keep it stable, too. */
  quote?: (part: AnswerPart) => string | undefined
}

export function RenderedAnswer({ parts, citation, quote = noQuote }: RenderedAnswerProps): ReactNode {
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
                <SentenceElement part={part} citation={citation} quote={quote} />
              </Fragment>
            ))}
          </p>
        ) : (
          <PartElement key={index} part={paragraph} citation={citation} quote={quote} />
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

const noQuote = (): undefined => undefined

interface PartProps<Part extends AnswerPart> extends Required<Pick<RenderedAnswerProps, 'citation' | 'quote'>> {
  part: Part
}

const SentenceElement = memo(function SentenceElement({ part, citation, quote }: PartProps<Sentence>): ReactNode {
  const said = <Inlines text={part.blocks[0].text} />
  const name = quote(part)
  return (
    <>
      {name ? (
        <q className="cb-quote" title={name}>
          {said}
        </q>
      ) : (
        said
      )}
      {tailOf(part, citation)}
    </>
  )
})

const PartElement = memo(function PartElement({ part, citation, quote }: PartProps<AnswerPart>): ReactNode {
  const said = <Blocks blocks={part.blocks} tail={tailOf(part, citation)} />
  const name = quote(part)
  if (!name) return said
  return (
    <blockquote className="cb-quote" title={name}>
      {said}
    </blockquote>
  )
})

function tailOf({ citation: position }: AnswerPart, citation: RenderedAnswerProps['citation']): ReactNode {
  return position === null ? null : <> {citation(position)}</>
}
