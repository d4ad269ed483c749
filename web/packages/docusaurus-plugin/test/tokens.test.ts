import { expect, it, vi } from 'vitest'
import { globalFunction } from '../src/tokens'

it('finds the function that is named, with its owner', () => {
  vi.stubGlobal('bookToken', () => 'a token')
  vi.stubGlobal('site', {
    account: {
      token: 'another token',
      get: (): unknown => 0,
      current(this: { token: string }) {
        return this.token
      },
    },
  })
  expect(globalFunction('bookToken')?.()).toBe('a token')
  expect(globalFunction('site.account.current')?.()).toBe('another token')
})

it.each([undefined, 'bookToken', 'site.account.token', 'site.nobody.token'])('finds nothing at %s', (name) => {
  vi.stubGlobal('site', { account: { token: 'no function' } })
  expect(globalFunction(name)).toBeUndefined()
})
