/** Who the page acts for. */
export interface Session {
  readonly user: string
  readonly groups: readonly string[]
}

/** A refusal of the server's, in its own words. */
export class SignInRefused extends Error {
  override readonly name = 'SignInRefused'
}

const PATH = '/console/session'

/** The session that the browser has; undefined where it has none, or its token is over. */
export async function currentSession(signal: AbortSignal): Promise<Session | undefined> {
  const answer = await fetch(PATH, { signal, credentials: 'same-origin' })
  if (answer.status === 401) return undefined
  return sessionIn(answer)
}

/** Begins a session by a one-time code or by a token. The server keeps the token in a cookie that no script can read. */
export async function signIn(by: { readonly code: string } | { readonly token: string }): Promise<Session> {
  const answer = await fetch(PATH, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(by),
  })
  return sessionIn(answer)
}

export async function signOut(): Promise<void> {
  await fetch(PATH, { method: 'DELETE' })
}

async function sessionIn(answer: Response): Promise<Session> {
  const read = (await answer.json()) as Session & { readonly message?: string }
  if (!answer.ok) throw new SignInRefused(read.message ?? `the server answered ${answer.status}`)
  return read
}

/** The code of a link that a command printed: `#code=…`, which browsers send to no server. It is taken out of the address at once. */
export function takeCode(): string | undefined {
  const code = new URLSearchParams(location.hash.slice(1)).get('code')
  if (code === null) return undefined
  history.replaceState(history.state, '', location.pathname + location.search)
  return code
}
