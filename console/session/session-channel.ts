/** The tabs of a browser share one session, so changes of it are sent to the other tabs. */
const NAME = 'kairship-session'

/** Notifies the other tabs that somebody signed in or out. */
export function notifyOtherTabs(): void {
  const channel = new BroadcastChannel(NAME)
  channel.postMessage('changed')
  channel.close()
}

/** Calls `callback` when somebody signed in or out in another tab. @returns stops it */
export function onChangeInOtherTab(callback: () => void): () => void {
  const channel = new BroadcastChannel(NAME)
  channel.addEventListener('message', callback)
  return () => channel.close()
}

/** Runs `work` under a lock that all tabs of the browser share. */
export const withTabLock = (work: () => Promise<void>): Promise<void> =>
  navigator.locks.request(NAME, work) as Promise<void>
