/** The signed-in user, as the server sends it. */
export interface Session {
  readonly user: string
  readonly groups: readonly string[]
  /** When its token ends, milliseconds since 1970; absent where only its issuer knows that. */
  readonly expiresAt?: number
  /** Whether it can be renewed without its user. */
  readonly isRenewable: boolean
}

/** The server refused a sign-in or sign-out. The message is the server's. */
export class SignInRefused extends Error {
  override readonly name: string = 'SignInRefused'
  /** Its words say more than a word could. */
  readonly reason = ''
  /** @param status of HTTP; 0 where the server answered by a redirect */
  constructor(
    message: string,
    readonly status = 0,
  ) {
    super(message)
  }
}

/** The link belongs to another user than the one who is signed in. Its code was not used: the user chooses first. */
export class OtherSession extends SignInRefused {
  override readonly name = 'OtherSession'
  constructor(
    message: string,
    readonly user: string,
    readonly current: string,
  ) {
    super(message, 400)
  }
}

/** Whether a failed sign-in has used up its code: the server refused the code itself. While the server is away or too busy, the code stays valid. */
export const isCodeSpent = (error: unknown): boolean =>
  error instanceof SignInRefused && !(error instanceof OtherSession) && [400, 401, 403].includes(error.status)

const PATH = '/console/session'

/** The session of the browser's cookie; undefined where it has none, or its token has ended. */
export async function currentSession(signal?: AbortSignal): Promise<Session | undefined> {
  return sessionOrNone(await fetch(PATH, { credentials: 'same-origin', ...(signal && { signal }) }))
}

/** Renews the session; undefined where its issuer refuses, or there is no refresh token. */
export async function renewSession(): Promise<Session | undefined> {
  return sessionOrNone(await fetch(`${PATH}/renewal`, { method: 'POST', credentials: 'same-origin' }))
}

/** Starts a session with a one-time code or a token. The server keeps the token in a cookie that scripts cannot read. */
export async function signIn(
  by: { readonly code: string; readonly replace?: true } | { readonly token: string },
): Promise<Session> {
  const answer = await fetch(PATH, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(by),
  })
  return sessionIn(answer)
}

/** Ends the session. @throws SignInRefused, or the error of `fetch` while the server is away */
export async function signOut(): Promise<void> {
  const answer = await fetch(PATH, { method: 'DELETE' })
  if (!answer.ok) throw new SignInRefused(`the server answered ${answer.status}`)
}

/** The issuer of Kairship's logins; undefined where none is configured. */
export async function issuerHere(signal: AbortSignal): Promise<string | undefined> {
  const answer = await fetch('/console/sign-in/options', { signal })
  return answer.ok ? ((await answer.json()) as { readonly issuer?: string }).issuer : undefined
}

/** The address that starts a sign-in at the issuer. @param to the path to return to */
export const issuerAddress = (to: string): string => `/console/sign-in?${new URLSearchParams({ to })}`

/**
 * The cookie in which the server puts the reason of a failed sign-in at an issuer; the only one that scripts read. Its name has the port, because
 * cookies of a host are shared by all its ports.
 */
const problemCookie = (): string => `__Host-kairship-problem${location.port && `-${location.port}`}`

/** Why the last sign-in at the issuer failed, in the server's words; undefined where it did not fail. Reading deletes the cookie. */
export function takeProblem(): SignInRefused | undefined {
  const cookie = problemCookie()
  const found = document.cookie.split('; ').find(pair => pair.startsWith(`${cookie}=`))
  if (found === undefined) return undefined
  // biome-ignore lint/suspicious/noDocumentCookie: Firefox and Safari have no cookie store
  document.cookie = `${cookie}=; Path=/; Secure; Max-Age=0`
  const text = found.slice(cookie.length + 1)
  try {
    return new SignInRefused(decodeURIComponent(text))
  } catch {
    // Another server of this host has set it: show it unchanged.
    return new SignInRefused(text)
  }
}

/** The code of a link that a command printed: `#code=…`, a part that browsers do not send to servers. It is removed from the address at once. */
export function takeCode(): string | undefined {
  const code = new URLSearchParams(location.hash.slice(1)).get('code')
  if (code === null) return undefined
  history.replaceState(history.state, '', location.pathname + location.search)
  return code
}

const sessionOrNone = async (answer: Response): Promise<Session | undefined> =>
  answer.status === 401 ? undefined : sessionIn(answer)

/** The fields of google.rpc.Status that are read. */
interface Refusal {
  readonly message?: string
  readonly details?: readonly {
    readonly reason?: string
    readonly metadata?: { readonly user?: string; readonly current?: string }
  }[]
}

async function sessionIn(answer: Response): Promise<Session> {
  const read = (await answer.json()) as Session & Refusal
  if (answer.ok) return read
  const message = read.message ?? `the server answered ${answer.status}`
  const other = read.details?.find(({ reason }) => reason === 'OtherSession')?.metadata
  if (other) throw new OtherSession(message, other.user ?? '', other.current ?? '')
  throw new SignInRefused(message, answer.status)
}

/** The address where a sign-in in a popup ends. The popup notifies the other tabs and closes. */
export const SIGNED_IN_PATH = '/signed-in'
