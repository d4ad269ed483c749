/** Docusaurus calls this after each change of the page. */
import { pageIsDrawn } from './followCitations'

export function onRouteDidUpdate({ location }: { location: { pathname: string } }): void {
  pageIsDrawn(location.pathname)
}
