export const PLUGIN_NAME = '@citebook/docusaurus-plugin'
