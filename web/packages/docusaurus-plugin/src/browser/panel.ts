/** The chat itself, loaded when it is first opened. */
export { highlightNamedText, mountPanel } from '@citebook/widget/panel'
