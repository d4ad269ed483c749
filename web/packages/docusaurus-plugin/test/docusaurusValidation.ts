/** What a Docusaurus site gives the plugin under the name `@docusaurus/utils-validation`: Joi, in the version it has. */
export { default as Joi } from 'joi'
