/** The little of Docusaurus that the plugin touches; the real types come with a site. */
declare module '@docusaurus/useGlobalData' {
  export function usePluginData(name: string): unknown
}

declare module '@generated/globalData' {
  const globalData: Record<string, { default?: unknown } | undefined>
  export default globalData
}

declare module '@docusaurus/router' {
  export interface BrowserHistory {
    push(path: string): void
  }
  export function useHistory(): BrowserHistory
}

declare module '@docusaurus/utils-validation' {
  export interface Rule {
    default(value: unknown): Rule
    valid(...values: unknown[]): Rule
    min(limit: number): Rule
    max(limit: number): Rule
    items(rule: Rule): Rule
    allow(...values: unknown[]): Rule
    uri(options: { scheme: string[]; allowRelative: boolean }): Rule
    integer(): Rule
    trim(): Rule
    pattern(form: RegExp): Rule
  }
  export const Joi: {
    object(fields: Record<string, Rule>): Rule
    string(): Rule
    number(): Rule
    boolean(): Rule
    array(): Rule
  }
}
