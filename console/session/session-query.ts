import { currentSession, isCodeSpent, renewSession, type Session, signIn, takeCode } from './session.js'
import { notifyOtherTabs } from './session-channel.js'

/** The code of the sign-in link that opened the page, until it is used or dropped. It is read before other code reads the address. */
let code = takeCode()

/** Drops the link's code, because the user signs in another way. */
export function dropCode(): void {
  code = undefined
}

/** Signs in by the page's link; undefined without one. A code works once; it is kept when the server was away. @throws SignInRefused */
async function signInByCode(replace?: true): Promise<Session | undefined> {
  if (code === undefined) return undefined
  try {
    const session = await signIn({ code, ...(replace && { replace }) })
    dropCode()
    notifyOtherTabs()
    return session
  } catch (error) {
    if (isCodeSpent(error)) dropCode()
    throw error
  }
}

/** Signs in by the page's link and replaces the current user. @throws SignInRefused */
export const replaceByCode = async (): Promise<Session | null> => (await signInByCode(true)) ?? null

/** The session of the page: from its link, else from the browser's cookie, else renewed by its issuer; null where there is none. */
export const sessionQuery = {
  queryKey: ['session'],
  queryFn: async ({ signal }: { readonly signal: AbortSignal }): Promise<Session | null> =>
    (await signInByCode()) ?? (await currentSession(signal)) ?? (await renewSession()) ?? null,
  // `App` requests it before `SessionGate` is mounted, which shows the error. A second request would not have the code.
  retryOnMount: false,
} as const
