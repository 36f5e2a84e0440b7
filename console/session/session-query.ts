import { currentSession, isCodeSpent, renewSession, type Session, signIn, takeCode } from './session.js'
import { tellOtherTabs } from './session-channel.js'

/** That of the link that the page was opened with, while it may be of use. Taken before anything reads the address. */
let code = takeCode()

/** The reader signs in another way: the link's code is not used any more. */
export function leaveCode(): void {
  code = undefined
}

/** Signs in by the page's link; undefined without one. A code signs in once, and is tried again where the server was away. @throws SignInRefused */
async function byCode(replace?: true): Promise<Session | undefined> {
  if (code === undefined) return undefined
  try {
    const session = await signIn({ code, ...(replace && { replace }) })
    leaveCode()
    tellOtherTabs()
    return session
  } catch (error) {
    if (isCodeSpent(error)) leaveCode()
    throw error
  }
}

/** Signs in by the page's link in place of the user who is signed in now. @throws SignInRefused */
export const replaceByCode = async (): Promise<Session | null> => (await byCode(true)) ?? null

/** The session of the page: by its link, else the browser's, else one that its issuer renews; null where there is none. */
export const sessionQuery = {
  queryKey: ['session'],
  queryFn: async ({ signal }: { readonly signal: AbortSignal }): Promise<Session | null> =>
    (await byCode()) ?? (await currentSession(signal)) ?? (await renewSession()) ?? null,
  // It is requested before `SessionGate` is mounted, which shows the failure: a second request would no longer have the code.
  retryOnMount: false,
} as const
