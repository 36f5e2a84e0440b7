import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { Suspense } from 'react'
import { lazyPiece } from '../loading/lazy-piece.js'
import { styleNonce } from '../parts/style-nonce.js'
import { SIGNED_IN_PATH } from '../session/session.js'
import { SessionGate } from '../session/session-gate.js'
import { sessionQuery } from '../session/session-query.js'
import { loadWords, WordsProvider } from '../words/use-words.js'
import { Broken } from './broken.js'
import { LastResort } from './last-resort.js'
import { router } from './router.js'
import { readable, theme } from './theme.js'

// For a window of its own.
const SignedIn = lazyPiece(async () => (await import('../session/signed-in.js')).SignedIn)

// What is shown follows streams: nothing is asked for again because time went by or a window was touched.
const queries = new QueryClient({
  defaultOptions: {
    queries: { staleTime: Number.POSITIVE_INFINITY, refetchOnWindowFocus: false, retry: false },
  },
})

/** The window in which an issuer signs a user in. */
const isSignedInWindow = location.pathname === SIGNED_IN_PATH

// Requested before the first render, which needs both. The components that read them show their failures.
void loadWords()
if (!isSignedInWindow) void queries.prefetchQuery(sessionQuery)

// Dialogs hold the page still by styles of react-remove-scroll, which reads their nonce there and nowhere else.
Object.assign(globalThis, { __webpack_nonce__: styleNonce() })

export function App() {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={readable}
      defaultColorScheme="auto"
      getStyleNonce={styleNonce}
    >
      <LastResort>
        <Suspense>
          <WordsProvider>
            <QueryClientProvider client={queries}>
              {isSignedInWindow ? (
                <Suspense>
                  <SignedIn />
                </Suspense>
              ) : (
                <SessionGate>
                  <RouterProvider router={router} defaultErrorComponent={Broken} />
                </SessionGate>
              )}
            </QueryClientProvider>
          </WordsProvider>
        </Suspense>
      </LastResort>
    </MantineProvider>
  )
}
