/** The book's chapters, by module: a column on a wide screen, a drawer on others. */
import type { BookContents } from '@citebook/client'
import { type KeyboardEvent, type ReactNode, useEffect, useId, useMemo, useRef, useState } from 'react'
import { Icon } from './icons'
import { hashOf } from './route'

type Entry = BookContents['chapters'][number]

interface ChaptersProps {
  contents: BookContents
  current: string | undefined
  isShown: boolean
  isDrawer: boolean
  onClose: () => void
}

/** So short a book needs no filter. */
const FEW = 8

export function Chapters({ contents, current, isShown, isDrawer, onClose }: ChaptersProps): ReactNode {
  const [filter, setFilter] = useState('')
  const panel = useRef<HTMLElement>(null)
  const groups = useMemo(() => groupsOf(contents.chapters, filter), [contents, filter])

  // biome-ignore lint/correctness/useExhaustiveDependencies: the mark that is scrolled to moves with the current chapter.
  useEffect(() => {
    if (isShown) panel.current?.querySelector('[aria-current]')?.scrollIntoView?.({ block: 'nearest' })
  }, [isShown, current])
  useEffect(() => {
    if (!isShown || !isDrawer) return
    const opener = document.activeElement
    panel.current?.querySelector<HTMLElement>('input, a')?.focus({ preventScroll: true })
    return () => {
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus({ preventScroll: true })
    }
  }, [isShown, isDrawer])

  const onKeyDown = (event: KeyboardEvent): void => {
    if (!isDrawer || event.key !== 'Escape') return
    event.stopPropagation()
    onClose()
  }
  return (
    <>
      {isDrawer && isShown && (
        // The keyboard has Escape and the button for it.
        // biome-ignore lint/a11y/noStaticElementInteractions: to a screen reader this is nothing.
        // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same from anywhere.
        <div className="scrim" onClick={onClose} />
      )}
      <nav
        id="chapters"
        className="chapters"
        aria-label="Chapters"
        ref={panel}
        hidden={!isShown}
        data-drawer={isDrawer || undefined}
        onKeyDown={onKeyDown}
      >
        {isDrawer && (
          <button type="button" className="bar-button drawer-close" aria-label="Close chapters" onClick={onClose}>
            <Icon name="close" />
          </button>
        )}
        {contents.chapters.length > FEW && <Filter value={filter} onChange={setFilter} />}
        <p className="unseen" role="status">
          {filter === '' ? '' : foundWords(groups)}
        </p>
        {groups.length === 0 && <p className="none-found">No chapter or section has these words in its title.</p>}
        {groups.map((group, index) => (
          <Group key={group.title ?? index} group={group} current={current} onClose={onClose} />
        ))}
      </nav>
    </>
  )
}

function Filter({ value, onChange }: { value: string; onChange: (value: string) => void }): ReactNode {
  const id = useId()
  return (
    <div className="filter">
      <label htmlFor={id} className="unseen">
        Find a chapter or section
      </label>
      <input
        id={id}
        type="search"
        placeholder="Find a chapter or section"
        value={value}
        onChange={(event) => onChange(event.target.value)}
        autoComplete="off"
      />
    </div>
  )
}

/** A chapter, with those of its sections that have the words of the filter. */
type Found = Entry & { found: string[] }

interface GroupOfChapters {
  title: string | null
  chapters: Found[]
}

function Group({
  group,
  current,
  onClose,
}: {
  group: GroupOfChapters
  current: string | undefined
  onClose: () => void
}): ReactNode {
  const id = useId()
  const visited = (chapter: string) => () => {
    if (chapter === current) onClose()
  }
  return (
    <div className="chapter-group" role="group" aria-labelledby={group.title === null ? undefined : id}>
      {group.title !== null && (
        <p className="group-title" id={id}>
          {group.title}
        </p>
      )}
      <ul>
        {group.chapters.map((chapter) => (
          <li key={chapter.id}>
            <a
              href={hashOf({ chapter: chapter.id })}
              aria-current={chapter.id === current ? 'page' : undefined}
              onClick={visited(chapter.id)}
            >
              {chapter.title}
            </a>
            {chapter.found.length > 0 && (
              <ul className="found-sections">
                {chapter.found.map((section) => (
                  <li key={section}>
                    <a href={hashOf({ chapter: chapter.id, quote: section })}>{section}</a>
                  </li>
                ))}
              </ul>
            )}
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Neighbours with the same module stand together; the filter wants all of its words in the title of a chapter or section. */
export function groupsOf(chapters: readonly Entry[], filter: string): GroupOfChapters[] {
  const words = filter.toLocaleLowerCase().split(/\s+/).filter(Boolean)
  const groups: GroupOfChapters[] = []
  for (const chapter of chapters) {
    const title = chapter.module_title ?? null
    const has = (text: string): boolean => words.every((word) => text.toLocaleLowerCase().includes(word))
    const sections = words.length ? [...new Set(chapter.sections ?? [])].filter((section) => has(section)) : []
    if (!has(`${chapter.title} ${title ?? ''}`) && !sections.length) continue
    const found = { ...chapter, found: sections.filter((section) => section !== chapter.title) }
    const last = groups.at(-1)
    if (last && last.title === title) last.chapters.push(found)
    else groups.push({ title, chapters: [found] })
  }
  return groups
}

function foundWords(groups: readonly GroupOfChapters[]): string {
  const count = groups.reduce((sum, group) => sum + group.chapters.length, 0)
  return count === 1 ? '1 chapter found' : `${count} chapters found`
}
