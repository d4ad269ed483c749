/** The button in the corner: all of the chat that a page loads before it is opened. */
export { apiOf, showOnThisPage, startCitebook } from '@citebook/widget'
