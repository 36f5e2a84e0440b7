import { type ComponentType, lazy, useState } from 'react'
import { createPortal } from 'react-dom'
import { ChunkLoadError, loadChunk } from '../connection/load-chunk.js'
import { Problem } from '../failures/problem.js'
import { ErrorBoundary } from './error-boundary.js'

/**
 * A component that is loaded when it is first rendered; rendering it suspends. Where loading fails, the error is shown in its place or over the page.
 * The rest of the page stays, with the text that was typed there.
 * @param place `over` for a component that covers the page
 */
export function lazyComponent<P extends object>(
  load: () => Promise<ComponentType<P>>,
  place: 'here' | 'over' = 'here',
): ComponentType<P & { readonly close?: () => void }> {
  // React remembers how each `lazy` ended, so a retry needs a new one.
  const lazily = () => lazy(async () => ({ default: await loadChunk(load) }))
  let Component = lazily()
  // biome-ignore lint/correctness/noComponentHookFactories: called once for each module, like `lazy`
  return function LazyComponent(props) {
    const [attempt, setAttempt] = useState(0)
    const retry = () => {
      Component = lazily()
      setAttempt(attempt + 1)
    }
    const { close } = props
    return (
      <ErrorBoundary
        key={attempt}
        fallback={error => {
          // Other errors do not come from loading.
          if (!(error instanceof ChunkLoadError)) throw error
          const problem = <Problem error={error} retry={retry} {...(close && { close })} />
          return place === 'here'
            ? problem
            : createPortal(<div className="notice">{problem}</div>, document.body)
        }}
      >
        <Component {...props} />
      </ErrorBoundary>
    )
  }
}
