/** The button in the corner: all of the chat that a page loads before it is opened. */
export { startCitebook } from '@citebook/widget'
export { showOnThisPage } from '@citebook/widget'
