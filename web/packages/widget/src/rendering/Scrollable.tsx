/** A box that scrolls sideways, and can be reached by keyboard where there is something to scroll. */

import { createElement, type ReactNode, useEffect, useRef, useState } from 'react'

interface ScrollableProps {
  as: 'div' | 'pre'
  label: string
  className?: string
  children: ReactNode
}

export function Scrollable({ as, label, className, children }: ScrollableProps): ReactNode {
  const box = useRef<HTMLElement>(null)
  const [overflows, setOverflows] = useState(false)
  useEffect(() => {
    const element = box.current
    if (element === null || typeof ResizeObserver !== 'function') return
    const observer = new ResizeObserver(() => setOverflows(element.scrollWidth > element.clientWidth))
    observer.observe(element)
    if (element.firstElementChild) observer.observe(element.firstElementChild)
    return () => observer.disconnect()
  }, [])
  const reachable = overflows ? { role: 'group', 'aria-label': label, tabIndex: 0 } : {}
  return createElement(as, { ref: box, className, ...reachable }, children)
}
