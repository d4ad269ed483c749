/** The panel around the chat: docked at the side of a wide window, in its corner, or all of a narrow one. */
import {
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  useCallback,
  useEffect,
  useRef,
  useState,
} from 'react'
import { useIsWide, useRoomForPanel } from '../host/docking'
import { clampedWidth, MAX_WIDTH, MIN_WIDTH, type WidgetOptions } from '../host/options'
import { useWords } from '../words'
import { ChatSurface } from './ChatSurface'
import { keepFocusWithin } from './focusTrap'
import { useIsNarrow } from './useIsNarrow'

const STEP = 20

interface PanelFrameProps {
  options: WidgetOptions
  isOpen: boolean
  takesFocus: boolean
  onClose: () => void
}

export function PanelFrame({ options, isOpen, takesFocus, onClose }: PanelFrameProps): ReactNode {
  const panel = useRef<HTMLDivElement>(null)
  const isNarrow = useIsNarrow()
  // Whoever only searches has no use for a chat, and the server no reason to think of questions for it.
  const [hasOpened, setHasOpened] = useState(isOpen)
  if (isOpen && !hasOpened) setHasOpened(true)
  const [width, setWidth] = useState(options.width)
  const side = options.corner.endsWith('right') ? 'right' : 'left'
  const isDocked = useIsWide() && options.placement === 'docked'
  useRoomForPanel(isDocked && isOpen, side, width)

  useEffect(() => {
    if (isOpen && takesFocus) panel.current?.querySelector<HTMLElement>('.cb-input')?.focus({ preventScroll: true })
  }, [isOpen, takesFocus])

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') {
      event.stopPropagation()
      onClose()
    } else if (isNarrow && panel.current) {
      keepFocusWithin(panel.current, event)
    }
  }
  return (
    <div
      ref={panel}
      className="cb-panel"
      role="dialog"
      aria-modal={isNarrow}
      aria-labelledby="cb-title"
      hidden={!isOpen}
      data-docked={isDocked || undefined}
      style={isNarrow ? undefined : { width }}
      onKeyDown={onKeyDown}
    >
      {options.resizable && !isNarrow && (
        <ResizeHandle side={side === 'right' ? 'left' : 'right'} width={width} onResize={setWidth} />
      )}
      {hasOpened && <ChatSurface onClose={onClose} />}
    </div>
  )
}

interface ResizeHandleProps {
  side: 'left' | 'right'
  width: number
  onResize: (width: number) => void
}

function ResizeHandle({ side, width, onResize }: ResizeHandleProps): ReactNode {
  const outwards = side === 'left' ? -1 : 1
  const start = useRef<{ x: number; width: number } | null>(null)
  const grab = (event: PointerEvent<HTMLDivElement>): void => {
    event.preventDefault()
    event.currentTarget.setPointerCapture(event.pointerId)
    start.current = { x: event.clientX, width }
  }
  const release = (): void => {
    start.current = null
  }
  const drag = useCallback(
    (event: PointerEvent) => {
      if (start.current) onResize(clampedWidth(start.current.width + outwards * (event.clientX - start.current.x)))
    },
    [onResize, outwards],
  )
  const onKeyDown = (event: KeyboardEvent): void => {
    const direction = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (direction === undefined) return
    event.preventDefault()
    onResize(clampedWidth(width + direction * outwards * STEP))
  }
  return (
    <div
      className={`cb-resize cb-resize-${side}`}
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={useWords().width}
      aria-valuemin={MIN_WIDTH}
      aria-valuemax={MAX_WIDTH}
      aria-valuenow={width}
      onPointerDown={grab}
      onPointerMove={drag}
      onPointerUp={release}
      onKeyDown={onKeyDown}
    />
  )
}
