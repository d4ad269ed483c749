import type { ObjectSchema } from 'joi'
import { describe, expect, it } from 'vitest'
import citebook, { getSwizzleComponentList, validateOptions } from '../src/index'
import type { PluginOptions } from '../src/options'

/** As Docusaurus does it. */
function validated(options: unknown): PluginOptions {
  const validate = (schema: unknown, given: unknown): PluginOptions => {
    const { error, value } = (schema as ObjectSchema<PluginOptions>).validate(given, { convert: false })
    if (error) throw error
    return value as PluginOptions
  }
  return validateOptions({ options, validate })
}

describe('the options of a site', () => {
  it('need none but the address of the server', () => {
    expect(validated({ server: 'https://answers.example.org' })).toEqual({
      server: 'https://answers.example.org',
      mode: 'tab',
      corner: 'bottom-right',
      theme: 'auto',
      placement: 'docked',
      language: 'auto',
      width: 400,
      resizable: true,
      selection: true,
      selectionMode: 'loose',
      content: 'main',
      examples: [],
      shortcut: true,
      searchKeys: ['mod+k', '/'],
    })
  })

  it.each([
    ['a server at an address of the site itself', { server: '/citebook' }],
    ['no server, for a site that the server itself serves', {}],
    ['a conversation that is kept', { mode: 'persistent' }],
    ['the narrowest panel', { width: 320 }],
    ['the widest panel', { width: 600 }],
    ['a function that knows who is signed in', { getToken: 'bookToken' }],
    ['the same, deeper', { getToken: 'site.account.token' }],
    ['a chat that floats over the page', { placement: 'floating' }],
    ['a language of its own', { language: 'ur' }],
    ['no key that searches', { searchKeys: [] }],
    ['questions to begin with', { examples: ['What is a gear?'] }],
  ])('may be %s', (_, options) => {
    expect(validated(options)).toMatchObject(options)
  })

  it.each([
    ['a script for a server', { server: 'javascript:alert(1)' }, 'server'],
    ['a file for a server', { server: 'file:///etc' }, 'server'],
    ['a mode that is not there', { mode: 'forever' }, 'mode'],
    ['a corner that is not there', { corner: 'middle' }, 'corner'],
    ['too narrow a panel', { width: 319 }, 'width'],
    ['too wide a panel', { width: 601 }, 'width'],
    ['half a pixel', { width: 400.5 }, 'width'],
    ['words for a number', { width: '400' }, 'width'],
    ['an empty title', { title: '' }, 'title'],
    ['an empty selector', { content: '' }, 'content'],
    ['an empty question', { examples: [''] }, 'examples'],
    ['seven questions', { examples: Array(7).fill('Why?') }, 'examples'],
    ['a function itself, which no page would get', { getToken: () => 'token' }, 'getToken'],
    ['a script for its name', { getToken: 'alert(1)' }, 'getToken'],
    ['an option that is not there', { sever: 'https://answers.example.org' }, 'sever'],
  ])('may not be %s, and the error names the option', (_, options, named) => {
    expect(() => validated(options)).toThrow(named)
  })
})

describe('the plugin', () => {
  const site = { siteConfig: { title: 'A book' } }

  function dataOf(options: Partial<PluginOptions>): unknown {
    let data: unknown
    const actions = {
      setGlobalData(given: unknown): void {
        data = given
      },
    }
    citebook(site, validated(options)).contentLoaded({ actions })
    return data
  }

  it("calls the book by the site's title unless the options say otherwise", () => {
    expect(dataOf({})).toMatchObject({ title: 'A book' })
    expect(dataOf({ title: 'My book' })).toMatchObject({ title: 'My book' })
  })

  it('lets a site swizzle the chat', () => {
    expect(getSwizzleComponentList()).toEqual(['CitebookChat'])
  })
})
