/** Limits questions to a part of the book: one line below the input says to which, and opens the choices above it. */
import { type Filters, isUnfiltered, MOST_TAGS, NO_FILTERS } from '@citebook/client'
import { type KeyboardEvent, type ReactNode, useId, useRef } from 'react'
import { useActions, useChat, useChatState } from './ChatContext'
import { Icon } from './icons'

/** Questions about a passage have no filters, and a book that is all of a piece has nothing to choose. */
export function useHasFilters(): boolean {
  const { modules, difficulties, tags } = useChat().choices
  const hasPassage = useChatState((state) => state.passage !== null)
  return !hasPassage && modules.length + difficulties.length + tags.length > 0
}

interface FilterToggleProps {
  isOpen: boolean
  controls: string
  onToggle: () => void
}

export function FilterToggle({ isOpen, controls, onToggle }: FilterToggleProps): ReactNode {
  const filters = useChatState((state) => state.filters)
  const chosen = inWords(filters)
  return (
    <button
      type="button"
      className="cb-filter-toggle"
      aria-expanded={isOpen}
      aria-controls={isOpen ? controls : undefined}
      data-filtered={!isUnfiltered(filters) || undefined}
      title={chosen}
      onClick={onToggle}
    >
      <Icon name="filter" />
      <span className="cb-unseen">Search in: </span>
      <span className="cb-filter-chosen">{chosen}</span>
    </button>
  )
}

/** Escape closes the choices alone: closing the chat may wipe it. */
export function FilterPanel({ id, onClose }: { id: string; onClose: () => void }): ReactNode {
  const group = useRef<HTMLDivElement>(null)
  /** For buttons that vanish when they are pressed. */
  const keepFocus = (): void => group.current?.focus({ preventScroll: true })
  const { modules, difficulties } = useChat().choices
  const filters = useChatState((state) => state.filters)
  const { setFilters } = useActions()
  const clear = (): void => {
    keepFocus()
    setFilters(NO_FILTERS)
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
      aria-label="Where to search"
      onKeyDown={onKeyDown}
    >
      <Choice
        label="Part of the book"
        none="Whole book"
        options={modules.map(({ number, title }) => ({ value: String(number), label: title }))}
        value={filters.module ? String(filters.module.number) : ''}
        onChoose={(value) =>
          setFilters(
            withChoice(
              filters,
              'module',
              modules.find((one) => String(one.number) === value),
            ),
          )
        }
      />
      <Choice
        label="Level"
        none="Any level"
        options={difficulties.map((level) => ({ value: level, label: capitalised(level) }))}
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
      {!isUnfiltered(filters) && (
        <button type="button" className="cb-text-button cb-filters-clear" onClick={clear}>
          Search the whole book
        </button>
      )}
    </div>
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
  const { tags } = useChat().choices
  const filters = useChatState((state) => state.filters)
  const { setFilters } = useActions()
  const chosen = filters.tags ?? []
  const choose = (next: string[]): void => setFilters(withChoice(filters, 'tags', next.length ? next : undefined))
  const left = chosen.length < MOST_TAGS ? tags.filter((tag) => !chosen.includes(tag)) : []
  return (
    <>
      <Choice
        label="Topics"
        none={chosen.length ? 'Add a topic…' : 'Any topic'}
        options={left.map((tag) => ({ value: tag, label: tag }))}
        value=""
        onChoose={(tag) => tag && choose([...chosen, tag])}
      />
      {chosen.length > 0 && (
        <ul className="cb-topics" aria-label="Chosen topics">
          {chosen.map((tag) => (
            <li key={tag}>
              <button
                type="button"
                aria-label={`Remove topic ${tag}`}
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

function inWords(filters: Filters): string {
  if (isUnfiltered(filters)) return 'Whole book'
  const { module, difficulty, tags = [] } = filters
  return [module?.title, difficulty && capitalised(difficulty), ...tags].filter(Boolean).join(' · ')
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
