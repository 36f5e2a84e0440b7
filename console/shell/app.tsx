import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { Suspense } from 'react'
import { lazyComponent } from '../loading/lazy-component.js'
import { styleNonce } from '../parts/style-nonce.js'
import { SIGNED_IN_PATH } from '../session/session.js'
import { SessionGate } from '../session/session-gate.js'
import { sessionQuery } from '../session/session-query.js'
import { loadWords, WordsProvider } from '../words/use-words.js'
import { Broken } from './broken.js'
import { LastResort } from './last-resort.js'
import { router } from './router.js'
import { readable, theme } from './theme.js'

// Shown in a popup only.
const SignedIn = lazyComponent(async () => (await import('../session/signed-in.js')).SignedIn)

// Streams keep the screens current, so queries are not repeated by time or focus.
const queries = new QueryClient({
  defaultOptions: {
    queries: { staleTime: Number.POSITIVE_INFINITY, refetchOnWindowFocus: false, retry: false },
  },
})

/** This is the popup in which an issuer signs a user in. */
const isSignedInWindow = location.pathname === SIGNED_IN_PATH

// Requested before the first render, which needs both. The components that read them show their errors.
void loadWords()
if (!isSignedInWindow) void queries.prefetchQuery(sessionQuery)

// Dialogs stop the page from scrolling by styles of react-remove-scroll, which reads their nonce only from this variable.
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
