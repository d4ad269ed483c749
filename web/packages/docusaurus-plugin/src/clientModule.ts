/** Docusaurus calls this after each change of the page. */
import { pageIsDrawn } from './following'

export function onRouteDidUpdate({ location }: { location: { pathname: string } }): void {
  pageIsDrawn(location.pathname)
}
