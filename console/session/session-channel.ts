/** The tabs of one browser have one session: what happens to it in one is told to the others. */
const NAME = 'kairship-session'

/** Tells the other tabs that somebody signed in. */
export function tellOtherTabs(): void {
  const channel = new BroadcastChannel(NAME)
  channel.postMessage('changed')
  channel.close()
}

/** Calls `then` when somebody signed in in another tab. @returns stops it */
export function whenChangedElsewhere(then: () => void): () => void {
  const channel = new BroadcastChannel(NAME)
  channel.addEventListener('message', then)
  return () => channel.close()
}

/** Runs `work` while no other tab does. */
export const aloneAmongTabs = (work: () => Promise<void>): Promise<void> =>
  navigator.locks.request(NAME, work) as Promise<void>
