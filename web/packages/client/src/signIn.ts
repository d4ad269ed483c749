/** Who the reader is, where the site has signed them in: a token of the site's own, asked for anew with each request. */

type Token = string | null | undefined
export type GetToken = () => Token | Promise<Token>

/** What a header can hold; anything else is no token. */
const SENDABLE = /^[\x21-\x7e]+$/

/** The header that says so; none for readers who are not signed in, or of whom the site cannot tell. */
export async function authorizationOf(getToken: GetToken | undefined): Promise<Record<string, string>> {
  const token = await told(getToken)
  return token && SENDABLE.test(token) ? { Authorization: `Bearer ${token}` } : {}
}

async function told(getToken: GetToken | undefined): Promise<string | undefined> {
  try {
    return (await getToken?.())?.trim()
  } catch {
    return undefined // the site's own failure costs the reader no answer
  }
}
