/** What a site can choose in `docusaurus.config`, and the rules that its choices must keep. */

import type { WidgetOptions } from '@citebook/widget'
import { Joi } from '@docusaurus/utils-validation'

export type PluginOptions = Pick<
  WidgetOptions,
  | 'server'
  | 'mode'
  | 'title'
  | 'corner'
  | 'theme'
  | 'placement'
  | 'language'
  | 'width'
  | 'resizable'
  | 'selection'
  | 'selectionMode'
  | 'content'
  | 'examples'
  | 'shortcut'
  | 'searchKeys'
> & {
  /** The name of a global function: options are data, and a function is none. */
  getToken?: string
}

/** `bookToken` or `site.account.token`. */
const GLOBAL_NAME = /^[A-Za-z_$][\w$]*(\.[A-Za-z_$][\w$]*)*$/

export const optionsSchema = Joi.object({
  server: Joi.string()
    .uri({ scheme: ['http', 'https'], allowRelative: true })
    .allow('')
    .default(''),
  mode: Joi.string().valid('tab', 'ephemeral', 'persistent').default('tab'),
  title: Joi.string().trim().min(1),
  corner: Joi.string().valid('bottom-right', 'bottom-left', 'top-right', 'top-left').default('bottom-right'),
  theme: Joi.string().valid('auto', 'light', 'dark').default('auto'),
  placement: Joi.string().valid('docked', 'floating').default('docked'),
  language: Joi.string().valid('auto', 'en', 'de', 'fr', 'es', 'ur').default('auto'),
  width: Joi.number().integer().min(320).max(600).default(400),
  resizable: Joi.boolean().default(true),
  selection: Joi.boolean().default(true),
  selectionMode: Joi.string().valid('strict', 'loose').default('loose'),
  content: Joi.string().min(1).default('main'),
  examples: Joi.array().items(Joi.string().trim().min(1).max(300)).max(6).default([]),
  shortcut: Joi.boolean().default(true),
  searchKeys: Joi.array().items(Joi.string().min(1).max(20)).default(['mod+k', '/']),
  getToken: Joi.string().pattern(GLOBAL_NAME),
})
