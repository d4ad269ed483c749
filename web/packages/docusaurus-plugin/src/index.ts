/** The Docusaurus plugin: hands the site's options to the chat, which a client module puts on every page. */
import path from 'node:path'
import { PLUGIN_NAME } from './name'
import { optionsSchema, type PluginOptions } from './options'

interface Site {
  siteConfig: { title: string }
}

interface Actions {
  setGlobalData(data: unknown): void
}

interface Validation {
  options: unknown
  validate(schema: unknown, options: unknown): PluginOptions
}

export default function citebook({ siteConfig }: Site, options: PluginOptions) {
  return {
    name: PLUGIN_NAME,
    getThemePath: () => path.resolve(__dirname, 'theme'),
    getClientModules: () => [path.resolve(__dirname, 'clientModule.js')],
    contentLoaded({ actions }: { actions: Actions }) {
      actions.setGlobalData({ ...options, title: options.title ?? siteConfig.title })
    },
  }
}

export function validateOptions({ options, validate }: Validation): PluginOptions {
  return validate(optionsSchema, options)
}

export function getSwizzleComponentList(): string[] {
  return ['CitebookChat']
}
