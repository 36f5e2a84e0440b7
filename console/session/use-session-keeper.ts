import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { setPageUser } from '../connection/own-fetch.js'
import { onUnauthenticated } from '../connection/refusals.js'
import { renewStreams } from '../connection/rest.js'
import { retryAll } from '../live/use-live.js'
import { currentSession, renewSession, type Session } from './session.js'
import { onChangeInOtherTab, withTabLock } from './session-channel.js'
import { SessionKeeper, type SessionState } from './session-keeper.js'

const calls = { current: () => currentSession(), renew: renewSession, withLock: withTabLock }

/** Keeps a session alive while the page is open. After the user signed in again, failed lists and queries are retried. */
export function useSessionKeeper(session: Session): {
  readonly state: SessionState
  readonly check: () => void
} {
  const queries = useQueryClient()
  const [keeper] = useState(() => {
    setPageUser(session.user)
    return new SessionKeeper(session, calls)
  })
  useEffect(() => {
    let last = keeper.state()
    const changed = (state: SessionState) => {
      if (state.is === 'valid') renewStreams()
      if (state.is === 'valid' && last.is !== 'valid') {
        retryAll()
        void queries.refetchQueries({
          type: 'active',
          predicate: ({ state: { status } }) => status === 'error',
        })
      }
      last = state
    }
    const check = () => void keeper.check()
    const shown = () => {
      // Timers do not run while a machine sleeps.
      const { expiresAt = Number.POSITIVE_INFINITY } = keeper.state().session
      if (document.visibilityState === 'visible' && expiresAt <= Date.now()) check()
    }
    const stops = [keeper.onChange(changed), onUnauthenticated(check), onChangeInOtherTab(check)]
    document.addEventListener('visibilitychange', shown)
    keeper.start()
    return () => {
      keeper.stop()
      document.removeEventListener('visibilitychange', shown)
      for (const stop of stops) stop()
    }
  }, [keeper, queries])
  const state = useSyncExternalStore(keeper.onChange, keeper.state)
  return { state, check: () => void keeper.check() }
}
