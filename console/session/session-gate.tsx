import { Alert, Center, Loader } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, Suspense, use, useEffect, useMemo, useState } from 'react'
import { FailureWords } from '../failures/failure-words.js'
import { Problem } from '../failures/problem.js'
import { lazyComponent } from '../loading/lazy-component.js'
import { useWords } from '../words/use-words.js'
import { OtherLink } from './other-link.js'
import { OtherSession, type Session, signOut, takeProblem } from './session.js'
import { notifyOtherTabs } from './session-channel.js'
import { dropCode, replaceByCode, sessionQuery } from './session-query.js'
import { useSessionKeeper } from './use-session-keeper.js'

interface SignedIn {
  readonly session: Session
  readonly leave: () => void
}

// Signed-in users do not need the sign-in forms, so the first screen does not load them.
const loadSessionOver = () => import('./session-over.js')
const SessionOver = lazyComponent(async () => (await loadSessionOver()).SessionOver, 'over')
const SignIn = lazyComponent(async () => (await import('./sign-in.js')).SignIn)

const SessionContext = createContext<SignedIn | undefined>(undefined)

/** `SessionOver` is loaded so long after the first screen, milliseconds. */
const PRELOAD_MS = 3_000

/** Renders its children for a signed-in user, and the sign-in form otherwise. */
export function SessionGate({ children }: { readonly children: ReactNode }) {
  const { live } = useWords()
  const queries = useQueryClient()
  const [problem] = useState(takeProblem)
  const { data, error, isPending, refetch } = useQuery(sessionQuery)
  const signedIn = (session: Session) => {
    dropCode()
    queries.setQueryData(sessionQuery.queryKey, session)
    notifyOtherTabs()
  }
  if (data) return <ActiveSession session={data}>{children}</ActiveSession>
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
        keep={() => {
          dropCode()
          void refetch()
        }}
        replace={() =>
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
        done={signedIn}
      />
    </Suspense>
  )
}

/** Keeps one session alive. When it ends, the children stay and the sign-in form is shown over them. */
function ActiveSession({
  session: initial,
  children,
}: {
  readonly session: Session
  readonly children: ReactNode
}) {
  const queries = useQueryClient()
  const { state, check } = useSessionKeeper(initial)
  const { session } = state
  const { session: words, problem } = useWords()
  const [signOutError, setSignOutError] = useState<Error>()
  // Loaded early, because a session may end when the server is away and the chunk could not be loaded.
  useEffect(() => {
    const soon = setTimeout(() => void loadSessionOver().catch(() => undefined), PRELOAD_MS)
    return () => clearTimeout(soon)
  }, [])
  const signedIn = useMemo<SignedIn>(
    () => ({
      session,
      leave: () => {
        setSignOutError(undefined)
        signOut().then(() => {
          queries.clear()
          notifyOtherTabs()
          location.reload()
        }, setSignOutError)
      },
    }),
    [session, queries],
  )
  return (
    <SessionContext value={signedIn}>
      {signOutError && (
        <Alert
          color="red"
          className="over"
          role="alert"
          title={words.notOut}
          withCloseButton
          closeButtonLabel={problem.close}
          onClose={() => setSignOutError(undefined)}
        >
          <FailureWords error={signOutError} />
        </Alert>
      )}
      {state.is !== 'valid' && (
        <Suspense>
          <SessionOver
            state={state}
            signedIn={() => {
              notifyOtherTabs()
              check()
            }}
          />
        </Suspense>
      )}
      {children}
    </SessionContext>
  )
}

/** The signed-in user. Only for components inside `SessionGate`. */
export function useSession(): SignedIn {
  const signedIn = use(SessionContext)
  if (!signedIn) throw new Error('no user is signed in')
  return signedIn
}
