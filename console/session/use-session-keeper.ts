import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { pageIsOf } from '../connection/own-fetch.js'
import { whenRefusedAsNobody } from '../connection/refusals.js'
import { renewStreams } from '../connection/rest.js'
import { retryAll } from '../live/use-live.js'
import { currentSession, renewSession, type Session } from './session.js'
import { aloneAmongTabs, whenChangedElsewhere } from './session-channel.js'
import { SessionKeeper, type SessionState } from './session-keeper.js'

const calls = { current: () => currentSession(), renew: renewSession, alone: aloneAmongTabs }

/** Keeps a session alive while the page is open. What waited for somebody to sign in goes on when somebody has. */
export function useSessionKeeper(session: Session): {
  readonly state: SessionState
  readonly look: () => void
} {
  const queries = useQueryClient()
  const [keeper] = useState(() => {
    pageIsOf(session.user)
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
    const look = () => void keeper.look()
    const shown = () => {
      // Timers stand still while a machine sleeps.
      const { expiresAt = Number.POSITIVE_INFINITY } = keeper.state().session
      if (document.visibilityState === 'visible' && expiresAt <= Date.now()) look()
    }
    const stops = [keeper.whenChanged(changed), whenRefusedAsNobody(look), whenChangedElsewhere(look)]
    document.addEventListener('visibilitychange', shown)
    keeper.start()
    return () => {
      keeper.stop()
      document.removeEventListener('visibilitychange', shown)
      for (const stop of stops) stop()
    }
  }, [keeper, queries])
  const state = useSyncExternalStore(keeper.whenChanged, keeper.state)
  return { state, look: () => void keeper.look() }
}
