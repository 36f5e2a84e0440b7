import { Alert, Center, Loader } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, Suspense, use, useEffect, useMemo, useState } from 'react'
import { FailureWords } from '../failures/failure-words.js'
import { Problem } from '../failures/problem.js'
import { lazyPiece } from '../loading/lazy-piece.js'
import { useWords } from '../words/use-words.js'
import { OtherLink } from './other-link.js'
import { OtherSession, type Session, signOut, takeProblem } from './session.js'
import { tellOtherTabs } from './session-channel.js'
import { leaveCode, replaceByCode, sessionQuery } from './session-query.js'
import { useSessionKeeper } from './use-session-keeper.js'

interface SignedIn {
  readonly session: Session
  readonly leave: () => void
}

// The ways in are no part of the first screen of who is signed in.
const loadSessionOver = () => import('./session-over.js')
const SessionOver = lazyPiece(async () => (await loadSessionOver()).SessionOver, 'over')
const SignIn = lazyPiece(async () => (await import('./sign-in.js')).SignIn)

const Current = createContext<SignedIn | undefined>(undefined)

/** When what is not needed yet is loaded: after the first screen, milliseconds. */
const PRELOAD_MS = 3_000

/** Shows its children to who is signed in, and the way in to everybody else. */
export function SessionGate({ children }: { readonly children: ReactNode }) {
  const { live } = useWords()
  const queries = useQueryClient()
  const [problem] = useState(takeProblem)
  const { data, error, isPending, refetch } = useQuery(sessionQuery)
  const begin = (session: Session) => {
    leaveCode()
    queries.setQueryData(sessionQuery.queryKey, session)
    tellOtherTabs()
  }
  if (data) return <Kept session={data}>{children}</Kept>
  const loading = (
    <Center h="100vh">
      <Loader aria-label={live.loading} />
    </Center>
  )
  if (isPending) return loading
  if (error instanceof OtherSession)
    return (
      <OtherLink
        question={error}
        stay={() => {
          leaveCode()
          void refetch()
        }}
        goOn={() =>
          void queries.fetchQuery({
            ...sessionQuery,
            queryFn: replaceByCode,
          })
        }
      />
    )
  const failed = error ?? problem
  return (
    <Suspense fallback={loading}>
      <SignIn
        problem={
          failed ? <Problem error={failed} {...(error && { retry: () => void refetch() })} /> : undefined
        }
        done={begin}
      />
    </Suspense>
  )
}

/** Children of one session, which is kept alive; when it is over they stay, and the way in is shown over them. */
function Kept({ session: begun, children }: { readonly session: Session; readonly children: ReactNode }) {
  const queries = useQueryClient()
  const { state, look } = useSessionKeeper(begun)
  const { session } = state
  const { session: words, problem } = useWords()
  const [notOut, setNotOut] = useState<Error>()
  // Loaded while the server is there: it is wanted when a session is over, which may be because the server is not.
  useEffect(() => {
    const soon = setTimeout(() => void loadSessionOver().catch(() => undefined), PRELOAD_MS)
    return () => clearTimeout(soon)
  }, [])
  const signedIn = useMemo<SignedIn>(
    () => ({
      session,
      leave: () => {
        setNotOut(undefined)
        signOut().then(() => {
          queries.clear()
          tellOtherTabs()
          location.reload()
        }, setNotOut)
      },
    }),
    [session, queries],
  )
  return (
    <Current value={signedIn}>
      {notOut && (
        <Alert
          color="red"
          className="over"
          role="alert"
          title={words.notOut}
          withCloseButton
          closeButtonLabel={problem.close}
          onClose={() => setNotOut(undefined)}
        >
          <FailureWords error={notOut} />
        </Alert>
      )}
      {state.is !== 'valid' && (
        <Suspense>
          <SessionOver
            state={state}
            signedIn={() => {
              tellOtherTabs()
              look()
            }}
          />
        </Suspense>
      )}
      {children}
    </Current>
  )
}

/** Who is signed in, for everything inside the gate. */
export function useSession(): SignedIn {
  const signedIn = use(Current)
  if (!signedIn) throw new Error('this is shown to who is signed in')
  return signedIn
}
