/** One box over the page: sections of the book while one types, and a row that asks. Made for the keyboard. */
import type { FoundSection } from '@citebook/client'
import { type KeyboardEvent, type MouseEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { filled, isolated, useWords } from '../words'
import { hrefOfSection, placeOfSection } from './addresses'
import { useActions, useChat } from './ChatContext'
import { keepFocusWithin } from './focusTrap'
import { IconButton } from './Header'
import { Icon } from './icons'
import { matchedParts, wordsOf } from './matching'
import { isPlainClick } from './plainClick'
import { readable } from './snippet'
import { useBackCloses } from './useBackCloses'
import { useSections } from './useSections'
import { useStartingQuestions } from './useStartingQuestions'

interface SearchBoxProps {
  onClose: () => void
  /** Shows the chat, in which the question is asked. */
  onAsk: (question: string) => void
}

type Row = { kind: 'ask'; question: string } | { kind: 'section'; section: FoundSection }

/** The server answers questions before it offers them: that must not stand in the way of the first keys. */
const PAUSE_MILLISECONDS = 600
/** So many words are a question rather than a title. */
const WORDS_OF_QUESTION = 4

export function SearchBox({ onClose, onAsk }: SearchBoxProps): ReactNode {
  const { title, follow } = useChat()
  const words = useWords()
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const { rows, status, sought, isEmpty } = useRows(text.trim())
  const at = Math.min(chosen, rows.length - 1)
  useEffect(() => input.current?.focus({ preventScroll: true }), [])

  const leave = useBackCloses(onClose)

  const open = (row: Row | undefined): void => {
    if (!row) return
    leave(() => {
      onClose()
      if (row.kind === 'ask') onAsk(row.question)
      else follow(placeOfSection(row.section))
    })
  }
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    event.stopPropagation()
    if (event.nativeEvent.isComposing) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (event.key === 'Escape') onClose()
    else if (step && rows.length) setChosen((at + step + rows.length) % rows.length)
    else if (event.key === 'Enter' && event.target === input.current)
      open(event.ctrlKey || event.metaKey ? rows.find(({ kind }) => kind === 'ask') : rows[at])
    else return keepFocusWithin(event.currentTarget, event)
    event.preventDefault()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a press beside the box closes it, as Escape does.
    <div
      className="cb-find-cover"
      onKeyDown={onKeyDown}
      onPointerDown={(event) => event.target === event.currentTarget && onClose()}
    >
      <div className="cb-find cb-surface" role="dialog" aria-modal="true" aria-label={words.findLabel}>
        <div className="cb-find-row">
          <Icon name="find" />
          <input
            ref={input}
            dir="auto"
            className="cb-find-input"
            type="text"
            role="combobox"
            aria-expanded={rows.length > 0}
            aria-controls={`${id}list`}
            aria-autocomplete="list"
            aria-activedescendant={rows.length ? `${id}${at}` : undefined}
            aria-label={words.findLabel}
            placeholder={filled(words.find, { title: isolated(title) })}
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            enterKeyHint="go"
            maxLength={1000}
            value={text}
            onChange={(event) => {
              setText(event.target.value)
              setChosen(0)
            }}
          />
          <IconButton name="close" label={words.findClose} onClick={onClose} />
        </div>
        <Rows id={id} rows={rows} typed={[...wordsOf(text), ...sought]} at={at} onOpen={open} onPoint={setChosen} />
        <p className="cb-find-status" role="status" data-quiet={!status.isShown || undefined}>
          {status.text}
        </p>
        {isEmpty && <FirstQuestions onAsk={(question) => open({ kind: 'ask', question })} />}
        <p className="cb-find-keys" aria-hidden="true">
          {words.findKeys}
        </p>
      </div>
    </div>
  )
}

/** Sections first, and the question last; a question that is one stands first. */
function useRows(typed: string) {
  const words = useWords()
  const { min, max } = useActions().limits()
  const { sections, sought, hasFailed, typed: answered } = useSections(typed)
  const length = [...typed].length
  const ask: Row[] = length >= min && length <= max ? [{ kind: 'ask', question: typed }] : []
  const found = typed ? sections.map((section): Row => ({ kind: 'section', section })) : []
  const isQuestion = /[?؟？]$/.test(typed) || wordsOf(typed).length >= WORDS_OF_QUESTION
  const rows = isQuestion ? [...ask, ...found] : [...found, ...ask]
  const isSettled = answered === typed
  const status = { text: '', isShown: true }
  if (!typed) status.text = words.findHint
  else if (hasFailed) status.text = words.findFailed
  else if (isSettled && !sections.length) status.text = words.foundNone
  else if (isSettled) {
    // For those who do not see the list.
    const template = sections.length === 1 ? words.foundOne : words.foundMany
    Object.assign(status, { text: filled(template, { count: sections.length }), isShown: false })
  }
  return { rows, status, sought, isEmpty: !typed }
}

interface RowsProps {
  id: string
  rows: Row[]
  typed: string[]
  at: number
  onOpen: (row: Row) => void
  onPoint: (index: number) => void
}

function Rows({ id, rows, typed, at, onOpen, onPoint }: RowsProps): ReactNode {
  return (
    <div className="cb-find-rows" id={`${id}list`} role="listbox" aria-label={useWords().found}>
      {rows.map((row, index) => (
        <RowElement
          key={row.kind === 'ask' ? 'ask' : row.section.url}
          id={`${id}${index}`}
          row={row}
          typed={typed}
          isChosen={index === at}
          onOpen={() => onOpen(row)}
          onPoint={() => onPoint(index)}
        />
      ))}
    </div>
  )
}

interface RowProps {
  id: string
  row: Row
  typed: string[]
  isChosen: boolean
  onOpen: () => void
  onPoint: () => void
}

function RowElement({ id, row, typed, isChosen, onOpen, onPoint }: RowProps): ReactNode {
  const chat = useChat()
  const words = useWords()
  const element = useRef<HTMLElement>(null)
  useEffect(() => {
    if (isChosen) element.current?.scrollIntoView?.({ block: 'nearest' })
  }, [isChosen])
  const press = (event: MouseEvent): void => {
    if (!isPlainClick(event)) return
    event.preventDefault()
    onOpen()
  }
  const shared = {
    id,
    role: 'option',
    'aria-selected': isChosen,
    tabIndex: -1,
    className: 'cb-find-option',
    onClick: press,
    onPointerMove: onPoint,
  }
  if (row.kind === 'ask') {
    const [before, behind] = words.findAsk.split('{question}')
    return (
      <div {...shared} className="cb-find-option cb-find-ask-row" ref={element as React.RefObject<HTMLDivElement>}>
        <Icon name="ask" />
        <span className="cb-find-ask">
          {before}
          <bdi>{row.question}</bdi>
          {behind}
        </span>
      </div>
    )
  }
  const { title, page, snippet } = row.section
  return (
    <a {...shared} ref={element as React.RefObject<HTMLAnchorElement>} href={hrefOfSection(chat, row.section)}>
      <Icon name="section" />
      <span className="cb-find-section">
        <bdi className="cb-find-title">
          <Marked text={title} typed={typed} />
        </bdi>
        {page !== title && <bdi className="cb-find-page">{page}</bdi>}
        {snippet && (
          <span className="cb-find-snippet" dir="auto">
            <Marked text={readable(snippet)} typed={typed} />
          </span>
        )}
      </span>
    </a>
  )
}

function Marked({ text, typed }: { text: string; typed: string[] }): ReactNode {
  return matchedParts(text, typed).map((part, index) =>
    part.isMatch ? <mark key={index}>{part.text}</mark> : <span key={index}>{part.text}</span>,
  )
}

/** What one may ask, while nothing is typed. */
function FirstQuestions({ onAsk }: { onAsk: (question: string) => void }): ReactNode {
  const words = useWords()
  const questions = useStartingQuestions(PAUSE_MILLISECONDS)
  if (!questions.length) return null
  return (
    <ul className="cb-examples cb-find-examples" aria-label={words.examples}>
      {questions.map((question) => (
        <li key={question}>
          <button type="button" onClick={() => onAsk(question)}>
            <bdi>{question}</bdi>
          </button>
        </li>
      ))}
    </ul>
  )
}
