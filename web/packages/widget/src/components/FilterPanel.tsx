/** Limits questions to a part of the book: one line below the input says to which, and opens the choices above it. */
import { type BookModule, type Filters, isUnfiltered, MOST_TAGS, NO_FILTERS } from '@citebook/client'
import { type KeyboardEvent, type ReactNode, useId, useRef } from 'react'
import { filled, isolated, useWords, type WordsOfChat } from '../words'
import { useActions, useChat, useChatState, useHere } from './ChatContext'
import { IconButton } from './Header'
import { Icon } from './icons'
import { useInputFocus } from './surface'

/** Questions about a passage have no filters, and a book that is all of a piece has nothing to choose. */
export function useHasFilters(): boolean {
  const { modules, difficulties, tags } = useChat().choices
  const { chapterId } = useHere()
  const hasScope = useChatState((state) => state.scope !== null)
  const hasPassage = useChatState((state) => state.passage !== null)
  return (
    !hasPassage && (hasScope || chapterId !== undefined || modules.length + difficulties.length + tags.length > 0)
  )
}

interface FilterToggleProps {
  isOpen: boolean
  controls: string
  onToggle: () => void
}

export function FilterToggle({ isOpen, controls, onToggle }: FilterToggleProps): ReactNode {
  const words = useWords()
  const filters = useChatState((state) => state.filters)
  const scope = useChatState((state) => state.scope)
  const { setFilters, setScope } = useActions()
  const focusInput = useInputFocus()
  const chosen = scope?.title ?? inWords(filters, words)
  const isNarrowed = scope !== null || !isUnfiltered(filters)
  const widen = (): void => {
    setScope(null)
    setFilters(NO_FILTERS)
    focusInput()
  }
  return (
    <div className="cb-where">
      <button
        type="button"
        className="cb-filter-toggle"
        aria-expanded={isOpen}
        aria-controls={isOpen ? controls : undefined}
        data-filtered={isNarrowed || undefined}
        title={chosen}
        onClick={onToggle}
      >
        <Icon name="filter" />
        <span className="cb-unseen">{words.searchIn} </span>
        <bdi className="cb-filter-chosen">{chosen}</bdi>
      </button>
      {isNarrowed && <IconButton name="close" label={words.backToWholeBook} onClick={widen} />}
    </div>
  )
}

/** Escape closes the choices alone: closing the chat may wipe it. */
export function FilterPanel({ id, onClose }: { id: string; onClose: () => void }): ReactNode {
  const group = useRef<HTMLDivElement>(null)
  /** For buttons that vanish when they are pressed. */
  const keepFocus = (): void => group.current?.focus({ preventScroll: true })
  const words = useWords()
  const { difficulties } = useChat().choices
  const filters = useChatState((state) => state.filters)
  const hasScope = useChatState((state) => state.scope !== null)
  const { setFilters, setScope } = useActions()
  const clear = (): void => {
    keepFocus()
    setFilters(NO_FILTERS)
    setScope(null)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return
    event.stopPropagation()
    onClose()
  }
  return (
    <div
      className="cb-filters"
      id={id}
      ref={group}
      role="group"
      tabIndex={-1}
      aria-label={words.whereToSearch}
      onKeyDown={onKeyDown}
    >
      <PartOfBook />
      {!hasScope && (
        <>
          <Choice
            label={words.level}
            none={words.anyLevel}
            options={difficulties.map((level) => ({ value: level, label: words[level] }))}
            value={filters.difficulty ?? ''}
            onChoose={(value) =>
              setFilters(
                withChoice(
                  filters,
                  'difficulty',
                  difficulties.find((one) => one === value),
                ),
              )
            }
          />
          <Topics onRemoved={keepFocus} />
        </>
      )}
      {(hasScope || !isUnfiltered(filters)) && (
        <button type="button" className="cb-text-button cb-filters-clear" onClick={clear}>
          {words.searchWholeBook}
        </button>
      )}
    </div>
  )
}

const THIS_PAGE = 'page'

/** The page that the reader has before them, its part, any other part, or all of the book. */
function PartOfBook(): ReactNode {
  const words = useWords()
  const { modules } = useChat().choices
  const here = useHere()
  const filters = useChatState((state) => state.filters)
  const scope = useChatState((state) => state.scope)
  const { setFilters, setScope } = useActions()
  const page = scope ?? (here.chapterId ? { chapterId: here.chapterId, title: here.title } : null)
  const nameOf = ({ number, title }: BookModule): string =>
    number === here.module?.number ? filled(words.thisPart, { title: isolated(title) }) : title
  const choose = (value: string): void => {
    setScope(value === THIS_PAGE ? page : null)
    setFilters(
      withChoice(
        filters,
        'module',
        modules.find(({ number }) => String(number) === value),
      ),
    )
  }
  return (
    <Choice
      label={words.part}
      none={words.wholeBook}
      options={[
        ...(page ? [{ value: THIS_PAGE, label: filled(words.thisPage, { title: isolated(page.title) }) }] : []),
        ...modules.map((module) => ({ value: String(module.number), label: nameOf(module) })),
      ]}
      value={scope ? THIS_PAGE : String(filters.module?.number ?? '')}
      onChoose={choose}
    />
  )
}

interface ChoiceProps {
  label: string
  /** What is shown while nothing is chosen. */
  none: string
  options: { value: string; label: string }[]
  value: string
  onChoose: (value: string) => void
}

function Choice({ label, none, options, value, onChoose }: ChoiceProps): ReactNode {
  const id = useId()
  if (!options.length) return null
  return (
    <>
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChoose(event.target.value)}>
        <option value="">{none}</option>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </>
  )
}

/** Several may be chosen, one after the other; each is taken away by its own button. */
function Topics({ onRemoved }: { onRemoved: () => void }): ReactNode {
  const words = useWords()
  const { tags } = useChat().choices
  const filters = useChatState((state) => state.filters)
  const { setFilters } = useActions()
  const chosen = filters.tags ?? []
  const choose = (next: string[]): void => setFilters(withChoice(filters, 'tags', next.length ? next : undefined))
  const left = chosen.length < MOST_TAGS ? tags.filter((tag) => !chosen.includes(tag)) : []
  return (
    <>
      <Choice
        label={words.topics}
        none={chosen.length ? words.addTopic : words.anyTopic}
        options={left.map((tag) => ({ value: tag, label: tag }))}
        value=""
        onChoose={(tag) => tag && choose([...chosen, tag])}
      />
      {chosen.length > 0 && (
        <ul className="cb-topics" aria-label={words.chosenTopics}>
          {chosen.map((tag) => (
            <li key={tag}>
              <button
                type="button"
                aria-label={filled(words.removeTopic, { topic: tag })}
                onClick={() => {
                  onRemoved()
                  choose(chosen.filter((one) => one !== tag))
                }}
              >
                <span>{tag}</span>
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

/** The filters with this one changed, or left out where it is nothing. */
function withChoice<Name extends keyof Filters>(filters: Filters, name: Name, value: Filters[Name]): Filters {
  const { [name]: _former, ...rest } = filters
  return value === undefined ? rest : { ...rest, [name]: value }
}

function inWords(filters: Filters, words: WordsOfChat): string {
  if (isUnfiltered(filters)) return words.wholeBook
  const { module, difficulty, tags = [] } = filters
  return [module?.title, difficulty && words[difficulty], ...tags].filter(Boolean).join(' · ')
}
