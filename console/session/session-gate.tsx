import { Center, Loader } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, use, useMemo } from 'react'
import { Problem } from '../parts/problem.js'
import { useWords } from '../words/use-words.js'
import { currentSession, type Session, signIn, signOut, takeCode } from './session.js'
import { SignIn } from './sign-in.js'

interface SignedIn {
  readonly session: Session
  readonly leave: () => void
}

const Current = createContext<SignedIn | undefined>(undefined)

/** Taken before anything reads the address. */
const code = takeCode()

const KEY = ['session']

/** Shows its children to who is signed in, and the way in to everybody else. */
export function SessionGate({ children }: { readonly children: ReactNode }) {
  const { live } = useWords()
  const queries = useQueryClient()
  const { data, error, isPending, refetch } = useQuery({
    queryKey: KEY,
    queryFn: async ({ signal }) => (await byCode()) ?? (await currentSession(signal)) ?? null,
  })
  const signedIn = useMemo<SignedIn | undefined>(
    () =>
      data
        ? {
            session: data,
            leave: () => {
              void signOut().then(() => {
                queries.clear()
                location.reload()
              })
            },
          }
        : undefined,
    [data, queries],
  )
  if (signedIn) return <Current value={signedIn}>{children}</Current>
  if (isPending)
    return (
      <Center h="100vh">
        <Loader aria-label={live.loading} />
      </Center>
    )
  return (
    <SignIn
      problem={error ? <Problem error={error} retry={() => void refetch()} /> : undefined}
      done={session => queries.setQueryData(KEY, session)}
    />
  )
}

let spent = false

/** The session of the link that the page was opened with. A code is of use once. */
async function byCode(): Promise<Session | undefined> {
  if (code === undefined || spent) return undefined
  spent = true
  return signIn({ code })
}

/** Who is signed in, for everything inside the gate. */
export function useSession(): SignedIn {
  const signedIn = use(Current)
  if (!signedIn) throw new Error('this is shown to who is signed in')
  return signedIn
}
