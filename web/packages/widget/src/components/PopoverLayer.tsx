/** One layer inside the chat on which a chip shows its excerpt, so that nothing cuts it off. */
import { createContext, type ReactNode, type RefObject, useContext, useLayoutEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { SurfaceContext } from './surface'

const EDGE = 12
const GAP = 6

const LayerContext = createContext<HTMLElement | null>(null)

export function PopoverLayer({ children }: { children: ReactNode }): ReactNode {
  const [layer, setLayer] = useState<HTMLElement | null>(null)
  return (
    <LayerContext.Provider value={layer}>
      {children}
      <div className="cb-layer" ref={setLayer} />
    </LayerContext.Provider>
  )
}

interface PopoverProps {
  id: string
  anchor: RefObject<HTMLElement | null>
  onPointerEnter: () => void
  onPointerLeave: () => void
  onFocus: () => void
  onBlur: () => void
  children: ReactNode
}

export function Popover({ id, anchor, children, ...listeners }: PopoverProps): ReactNode {
  const [layer, surface] = [useContext(LayerContext), useContext(SurfaceContext)]
  const box = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const frame = surface?.current
    if (frame && box.current && anchor.current) place(box.current, anchor.current, frame)
  })
  if (!layer) return null
  return createPortal(
    <div className="cb-popover" id={id} ref={box} {...listeners}>
      {children}
    </div>,
    layer,
  )
}

/** Above the anchor where there is room, else below; never over the edge of the chat. */
function place(box: HTMLElement, anchor: HTMLElement, frame: HTMLElement): void {
  const [at, around] = [anchor.getBoundingClientRect(), frame.getBoundingClientRect()]
  const [width, height] = [box.offsetWidth, box.offsetHeight]
  const above = at.top - around.top - height - GAP
  const most = Math.max(EDGE, around.width - width - EDGE)
  const left = Math.min(Math.max(at.left - around.left + at.width / 2 - width / 2, EDGE), most)
  box.style.left = `${left}px`
  box.style.top = `${above >= EDGE ? above : at.bottom - around.top + GAP}px`
}
