/** The chat for one's own pages: as a widget in a corner, or as React components. */
export { type Chat, ChatContext, useChat } from './components/ChatContext'
export { ChatSurface, type ChatSurfaceProps } from './components/ChatSurface'
export { SearchBox } from './components/SearchBox'
export { clearHighlight, highlightExcerpt } from './highlighting'
export { announceAnswers, announcer, type ChatEvents } from './host/announcing'
export { type Here, type PageHere, pageOf } from './host/here'
export { directionOf, languageOf } from './host/language'
export {
  apiOf,
  type ChosenScope,
  type Citebook,
  type CitebookApi,
  type Panel,
  type PanelContext,
  type PanelModule,
  startCitebook,
} from './host/launcher'
export {
  type Corner,
  clampedWidth,
  completed,
  DEFAULT_OPTIONS,
  type ThemeChoice,
  type WidgetOptions,
} from './host/options'
export { isSearchKey } from './host/searchKeys'
export { followSelection, type SelectionBubble } from './host/selectionBubble'
export { followTheme, type Theme } from './host/theme'
export { bookUrl, isSamePage, textFragment, withTextFragment } from './navigation/citationLinks'
export { showOnThisPage } from './navigation/followCitation'
export { onceVisited, takeSharedQuestion } from './navigation/sharedQuestion'
export { formulasDrawn, RenderedSection } from './rendering'
export { type ChatActions, type ChatState, type ChatStore, createChatStore } from './store/chatStore'
export { english, WordsContext, type WordsOfChat, wordsIn } from './words'
