/** The chat for one's own pages: as a widget in a corner, or as React components. */
export { ChatContext, useChat, type Chat } from './components/ChatContext'
export { ChatSurface, type ChatSurfaceProps } from './components/ChatSurface'
export { startCitebook, type Citebook, type Panel, type PanelContext, type PanelModule } from './host/launcher'
export {
  clampedWidth,
  completed,
  DEFAULT_OPTIONS,
  type Corner,
  type ThemeChoice,
  type WidgetOptions,
} from './host/options'
export { followSelection, type SelectionBubble } from './host/selectionBubble'
export { followTheme, type Theme } from './host/theme'
export { clearHighlight, highlightExcerpt } from './highlighting'
export { bookUrl, isSamePage, textFragment, withTextFragment } from './navigation/citationLinks'
export { showOnThisPage } from './navigation/followCitation'
export { Rendered, type RenderedProps } from './rendering'
export { createChatStore, type ChatActions, type ChatState, type ChatStore } from './store/chatStore'
