/** Who the page acts for. */
export interface Session {
  readonly user: string
  readonly groups: readonly string[]
  /** When its token ends, milliseconds since 1970; absent where only its issuer knows. */
  readonly expiresAt?: number
  /** Whether it can be made longer without its user. */
  readonly isRenewable: boolean
}

/** A refusal of the server's, in its own words. */
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

/** A link is of another user than the one who is signed in. It was not used: who replaces whom is the reader's to say. */
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

/** Whether a failed sign-in has spent its code: the server refuses what it stands for. While the server is away, or too busy, it has not. */
export const isCodeSpent = (error: unknown): boolean =>
  error instanceof SignInRefused && !(error instanceof OtherSession) && [400, 401, 403].includes(error.status)

const PATH = '/console/session'

/** The session that the browser has; undefined where it has none, or its token is over. */
export async function currentSession(signal?: AbortSignal): Promise<Session | undefined> {
  return sessionOrNone(await fetch(PATH, { credentials: 'same-origin', ...(signal && { signal }) }))
}

/** Makes the session longer; undefined where its issuer does not, or there is nothing to do it by. */
export async function renewSession(): Promise<Session | undefined> {
  return sessionOrNone(await fetch(`${PATH}/renewal`, { method: 'POST', credentials: 'same-origin' }))
}

/** Begins a session by a one-time code or by a token. The server keeps the token in a cookie that no script can read. */
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

/** Ends the session. @throws SignInRefused; what `fetch` throws where the server is away */
export async function signOut(): Promise<void> {
  const answer = await fetch(PATH, { method: 'DELETE' })
  if (!answer.ok) throw new SignInRefused(`the server answered ${answer.status}`)
}

/** The issuer at which people sign in here; undefined where there is none. */
export async function issuerHere(signal: AbortSignal): Promise<string | undefined> {
  const answer = await fetch('/console/sign-in/options', { signal })
  return answer.ok ? ((await answer.json()) as { readonly issuer?: string }).issuer : undefined
}

/** Where the browser goes to sign in at the issuer. @param to the view to come back to */
export const issuerAddress = (to: string): string => `/console/sign-in?${new URLSearchParams({ to })}`

/**
 * The server's reason of a sign-in at an issuer that failed: the one cookie that scripts read, and once. Its name has the port, as a host's cookies
 * are those of all its ports.
 */
const problemCookie = (): string => `__Host-kairship-problem${location.port && `-${location.port}`}`

/** Why the last sign-in at the issuer failed, in the server's words; undefined where it did not. It is told once. */
export function takeProblem(): SignInRefused | undefined {
  const cookie = problemCookie()
  const found = document.cookie.split('; ').find(pair => pair.startsWith(`${cookie}=`))
  if (found === undefined) return undefined
  // biome-ignore lint/suspicious/noDocumentCookie: the cookie store is not there in Firefox and Safari
  document.cookie = `${cookie}=; Path=/; Secure; Max-Age=0`
  const text = found.slice(cookie.length + 1)
  try {
    return new SignInRefused(decodeURIComponent(text))
  } catch {
    // Another server of this host has set it: it is shown as it is.
    return new SignInRefused(text)
  }
}

/** The code of a link that a command printed: `#code=…`, which browsers send to no server. It is taken out of the address at once. */
export function takeCode(): string | undefined {
  const code = new URLSearchParams(location.hash.slice(1)).get('code')
  if (code === null) return undefined
  history.replaceState(history.state, '', location.pathname + location.search)
  return code
}

const sessionOrNone = async (answer: Response): Promise<Session | undefined> =>
  answer.status === 401 ? undefined : sessionIn(answer)

/** What is read of google.rpc.Status. */
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

/** Where a sign-in in a window of its own ends: there the window says so to the other tabs, and closes. */
export const SIGNED_IN_PATH = '/signed-in'
