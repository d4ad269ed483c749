/** What a site's TypeScript knows of the plugin: `/// <reference types="@citebook/docusaurus-plugin/theme" />`. */
declare module '@theme/CitebookChat' {
  export interface Props {
    /** The token of a reader who is signed in; asked for with each request of a persistent chat. */
    readonly getToken?: () => string | null | undefined | Promise<string | null | undefined>
  }
  export default function CitebookChat(props: Props): null
}
