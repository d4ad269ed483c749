/** How answers and the book's pages are shown. */
export { formulasDrawn } from './Maths'
export { PlainAnswer, RenderedAnswer, RenderedSection } from './Rendered'
