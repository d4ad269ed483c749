/** Where the reader types: the passage it is about, the part of the book, the question, its length, and send or stop. */
import {
  type FormEvent,
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { filled, useWords } from '../words'
import { useActions, useChat, useChatState } from './ChatContext'
import { FilterPanel, FilterToggle, useHasFilters } from './FilterPanel'
import { Icon } from './icons'
import { PassagePreview } from './PassagePreview'

/** The counter shows from this share of the limit on. */
const NEAR_LIMIT = 0.8
const MOST_HEIGHT = 160

export function Composer(): ReactNode {
  const words = useWords()
  const { title } = useChat()
  const { ask, stop, setDraft, limits } = useActions()
  const draft = useChatState((state) => state.draft)
  const passage = useChatState((state) => state.passage)
  const isLoading = useChatState((state) => state.isLoading)
  const isWaiting = useChatState((state) => state.waitUntil !== null)
  const input = useRef<HTMLTextAreaElement>(null)
  const counterId = useId()
  const filtersId = useId()
  const hasFilters = useHasFilters()
  const [choosesFilters, setChoosesFilters] = useState(false)
  const { min, max } = limits()
  const length = [...draft.trim()].length
  const canSend = !isLoading && !isWaiting && length >= min && length <= max

  // biome-ignore lint/correctness/useExhaustiveDependencies: its height follows its text.
  useLayoutEffect(() => growToText(input.current), [draft])
  useEffect(() => {
    if (passage) input.current?.focus()
  }, [passage])

  const send = (): void => {
    if (!canSend) return
    setChoosesFilters(false)
    ask(draft)
  }
  const stopAnswer = (): void => {
    stop()
    input.current?.focus()
  }
  const closeFilters = (): void => {
    setChoosesFilters(false)
    input.current?.focus()
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    send()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    send()
  }
  const label = passage ? words.yourQuestionOnPassage : filled(words.yourQuestion, { title })
  return (
    <form className="cb-composer" onSubmit={submit}>
      {passage && <PassagePreview passage={passage} />}
      {hasFilters && choosesFilters && <FilterPanel id={filtersId} onClose={closeFilters} />}
      <div className="cb-input-row">
        <textarea
          ref={input}
          className="cb-input"
          rows={1}
          value={draft}
          aria-label={label}
          aria-describedby={counterId}
          aria-invalid={length > max}
          placeholder={passage ? words.askPassage : words.ask}
          onChange={(event) => setDraft(event.target.value)}
          onKeyDown={onKeyDown}
        />
        <SendOrStop canSend={canSend} onStop={stopAnswer} />
      </div>
      <div className="cb-composer-footer">
        {hasFilters && (
          <FilterToggle
            isOpen={choosesFilters}
            controls={filtersId}
            onToggle={() => setChoosesFilters(!choosesFilters)}
          />
        )}
        <span className="cb-counter" id={counterId} data-over={length > max || undefined}>
          {length >= max * NEAR_LIMIT && filled(words.characters, { length, max })}
          {length > 0 && length < min && filled(words.tooFew, { min })}
        </span>
      </div>
    </form>
  )
}

function SendOrStop({ canSend, onStop }: { canSend: boolean; onStop: () => void }): ReactNode {
  const words = useWords()
  const isLoading = useChatState((state) => state.isLoading)
  return isLoading ? (
    <button type="button" className="cb-send" aria-label={words.stopAnswer} title={words.stop} onClick={onStop}>
      <Icon name="stop" />
    </button>
  ) : (
    <button type="submit" className="cb-send" aria-label={words.send} title={words.send} disabled={!canSend}>
      <Icon name="send" />
    </button>
  )
}

/** As high as its text, up to a limit. */
function growToText(input: HTMLTextAreaElement | null): void {
  if (!input) return
  input.style.height = 'auto'
  input.style.height = `${Math.min(input.scrollHeight, MOST_HEIGHT)}px`
}
