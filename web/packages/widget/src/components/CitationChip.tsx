/** The number of a source in an answer. Pointing at it, focusing or tapping it shows the excerpt; a click goes there. */
import type { Citation } from '@citebook/client'
import { type KeyboardEvent, type MouseEvent, memo, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { bookUrl, withTextFragment } from '../navigation/citationLinks'
import { filled, useWords, type WordsOfChat } from '../words'
import { useChat } from './ChatContext'
import { CitationLink } from './CitationLink'
import { Excerpt } from './Excerpt'
import { Icon } from './icons'
import { Popover } from './PopoverLayer'
import { isPlainClick } from './plainClick'

/** Long enough to move the pointer from the chip into the excerpt. */
const LINGER_MILLISECONDS = 200

interface CitationChipProps {
  number: number
  citation: Citation
  /** What it is cited for. */
  question: string
}

export const CitationChip = memo(function CitationChip({ number, citation, question }: CitationChipProps): ReactNode {
  const chat = useChat()
  const words = useWords()
  const id = useId()
  const chip = useRef<HTMLElement>(null)
  const { isShown, show, hide, linger } = useShown()
  const pointer = useRef('mouse')
  const url = bookUrl(citation.url, chat.bookUrl)
  const place = placeOf(citation, words)

  const pressed = (event: MouseEvent): void => {
    if (!isPlainClick(event)) return
    event.preventDefault()
    // On a touch screen the first tap shows the excerpt, which holds the way to the page.
    if (!url || (pointer.current === 'touch' && !isShown)) return show()
    hide()
    chat.follow(citation)
  }
  const shared = {
    className: 'cb-chip',
    'aria-label': filled(words.source, { number, place }),
    'aria-describedby': isShown ? id : undefined,
    onPointerDown: (event: { pointerType: string }) => {
      pointer.current = event.pointerType
    },
    onPointerEnter: (event: { pointerType: string }) => event.pointerType !== 'touch' && show(),
    onPointerLeave: linger,
    onFocus: () => pointer.current !== 'touch' && show(),
    onBlur: linger,
    onClick: pressed,
    onKeyDown: (event: KeyboardEvent) => {
      pointer.current = 'keyboard'
      if (event.key !== 'Escape' || !isShown) return
      event.stopPropagation()
      hide()
    },
  }
  return (
    <>
      {url ? (
        <a
          ref={chip as React.RefObject<HTMLAnchorElement>}
          href={chat.hrefOf?.(citation) ?? withTextFragment(url, citation)}
          {...shared}
        >
          {number}
        </a>
      ) : (
        <button type="button" ref={chip as React.RefObject<HTMLButtonElement>} {...shared}>
          {number}
        </button>
      )}
      {isShown && (
        <Popover id={id} anchor={chip} onPointerEnter={show} onPointerLeave={linger} onFocus={show} onBlur={linger}>
          <p className="cb-popover-place">{place}</p>
          <Excerpt citation={citation} question={question} />
          {url && (
            <CitationLink citation={citation} className="cb-popover-go">
              {words.showInBook} <Icon name="go" />
            </CitationLink>
          )}
        </Popover>
      )}
    </>
  )
})

function placeOf({ chapterTitle, sectionTitle, page }: Citation, words: WordsOfChat): string {
  const parts = [
    chapterTitle,
    sectionTitle !== chapterTitle ? sectionTitle : undefined,
    page === undefined ? undefined : filled(words.page, { number: page }),
  ]
  return parts.filter(Boolean).join(' › ')
}

function useShown() {
  const [isShown, setIsShown] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const show = (): void => {
    clearTimeout(timer.current)
    setIsShown(true)
  }
  const hide = (): void => {
    clearTimeout(timer.current)
    setIsShown(false)
  }
  const linger = (): void => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setIsShown(false), LINGER_MILLISECONDS)
  }
  useEffect(() => () => clearTimeout(timer.current), [])
  return { isShown, show, hide, linger }
}
