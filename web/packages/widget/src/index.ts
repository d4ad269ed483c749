/** The chat for one's own pages: as a widget in a corner, or as React components. */
export { type Chat, ChatContext, useChat } from './components/ChatContext'
export { ChatSurface, type ChatSurfaceProps } from './components/ChatSurface'
export { clearHighlight, highlightExcerpt } from './highlighting'
export { type Citebook, type Panel, type PanelContext, type PanelModule, startCitebook } from './host/launcher'
export {
  type Corner,
  clampedWidth,
  completed,
  DEFAULT_OPTIONS,
  type ThemeChoice,
  type WidgetOptions,
} from './host/options'
export { followSelection, type SelectionBubble } from './host/selectionBubble'
export { followTheme, type Theme } from './host/theme'
export { bookUrl, isSamePage, textFragment, withTextFragment } from './navigation/citationLinks'
export { showOnThisPage } from './navigation/followCitation'
export { formulasDrawn, RenderedSection } from './rendering'
export { type ChatActions, type ChatState, type ChatStore, createChatStore } from './store/chatStore'
