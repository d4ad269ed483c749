/** Marks a range without a change to the page's elements, which belong to the site's own framework. */

const NAME = 'citebook-citation'
/** The labels of a listing are not the book's words; and what the browser has marked by itself was cited before. */
const STYLE = `::highlight(${NAME}) { background-color: #ffe27a; color: #1a1a1a; }
:is(button, .cb-code-bar, .cb-code-bar *)::highlight(${NAME}) { background-color: transparent; color: currentColor; }
::target-text { background-color: transparent; color: currentColor; }`

/** Returns how to take the mark away. */
export function paint(range: Range): () => void {
  return canHighlight() ? paintByHighlight(range) : paintByOverlay(range)
}

function canHighlight(): boolean {
  return typeof Highlight === 'function' && 'highlights' in CSS && 'adoptedStyleSheets' in document
}

function paintByHighlight(range: Range): () => void {
  const root = range.startContainer.getRootNode() as Document | ShadowRoot
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(STYLE)
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet]
  CSS.highlights.set(NAME, new Highlight(range))
  return () => {
    CSS.highlights.delete(NAME)
    root.adoptedStyleSheets = root.adoptedStyleSheets.filter((each) => each !== sheet)
  }
}

/** Boxes over the text, for browsers that know no custom highlights. */
function paintByOverlay(range: Range): () => void {
  const overlay = document.createElement('div')
  overlay.setAttribute('aria-hidden', 'true')
  overlay.setAttribute('data-citebook-skip', '')
  Object.assign(overlay.style, {
    position: 'fixed',
    inset: '0',
    overflow: 'hidden',
    pointerEvents: 'none',
    zIndex: '1',
  })
  let frame = 0
  const draw = (): void => overlay.replaceChildren(...[...(range.getClientRects?.() ?? [])].map(boxAt))
  const redraw = (): void => {
    cancelAnimationFrame(frame)
    frame = requestAnimationFrame(draw)
  }
  document.body.append(overlay)
  draw()
  addEventListener('scroll', redraw, { capture: true, passive: true })
  addEventListener('resize', redraw, { passive: true })
  return () => {
    cancelAnimationFrame(frame)
    removeEventListener('scroll', redraw, { capture: true })
    removeEventListener('resize', redraw)
    overlay.remove()
  }
}

function boxAt(place: DOMRect): HTMLElement {
  const box = document.createElement('div')
  Object.assign(box.style, {
    position: 'absolute',
    left: `${place.left}px`,
    top: `${place.top}px`,
    width: `${place.width}px`,
    height: `${place.height}px`,
    background: 'rgb(255 214 64 / 40%)',
    borderBottom: '2px solid #b88600',
  })
  return box
}
