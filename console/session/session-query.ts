import { currentSession, renewSession, type Session, signIn, takeCode } from './session.js'
import { tellOtherTabs } from './session-channel.js'

/** Taken before anything reads the address. */
const code = takeCode()

let isSpent = false

/** The session of the link that the page was opened with; undefined without one. A code can be used once. */
async function byCode(): Promise<Session | undefined> {
  if (code === undefined || isSpent) return undefined
  isSpent = true
  const session = await signIn({ code })
  tellOtherTabs()
  return session
}

/** Signs in by the page's link in place of the user who is signed in now. @throws SignInRefused */
export async function replaceByCode(): Promise<Session> {
  const session = await signIn({ code: code ?? '', replace: true })
  tellOtherTabs()
  return session
}

/** The session of the page: by its link, else the browser's, else one that its issuer renews; null where there is none. */
export const sessionQuery = {
  queryKey: ['session'],
  queryFn: async ({ signal }: { readonly signal: AbortSignal }): Promise<Session | null> =>
    (await byCode()) ?? (await currentSession(signal)) ?? (await renewSession()) ?? null,
  // It is requested before `SessionGate` is mounted, which shows the failure: a second request would no longer have the code.
  retryOnMount: false,
} as const
