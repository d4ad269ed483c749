/** Where the servers of this run listen and keep their data: told by the run's set-up, through the environment. */

/**
 * @typedef {object} Addresses
 * @property {string} server the real server, on the sample book
 * @property {string} site the Docusaurus site
 * @property {string} plain a plain site whose pages have the script tag
 * @property {string} scripted a server that says what a test tells it to say
 * @property {string} data the folder of the real server
 */

const VARIABLE = 'BROWSERTEST_ADDRESSES'

/** @param {Addresses} addresses */
export function tellAddresses(addresses) {
  process.env[VARIABLE] = JSON.stringify(addresses)
}

/** @type {Addresses} */
const told = JSON.parse(process.env[VARIABLE] ?? '{}')

export const { server, site, plain, scripted, data } = told
