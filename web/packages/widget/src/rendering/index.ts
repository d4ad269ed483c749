/** The one renderer for answers while they stream, for history, and for the book's pages. */

export { Rendered, type RenderedProps } from './Rendered'
export { visibleText } from './visible'
