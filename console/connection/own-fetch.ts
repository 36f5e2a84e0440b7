import { SESSION_USER, sessionUserProtocol, sessionUserText } from '../../transcoding/session-user.js'
import { reportUnauthenticated } from './refusals.js'

const UNAUTHENTICATED = 401

let own: Record<string, string> = {}
let ownProtocols: readonly string[] = []

/** Sets the user of this page. Must be called before the first request. */
export function setPageUser(user: string): void {
  own = { [SESSION_USER]: sessionUserText(user) }
  ownProtocols = [sessionUserProtocol(user)]
}

interface Init extends RequestInit {
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Fetches from the page's server as the page's user. Tabs share the browser's session: where another user has signed in in another tab, the server
 * refuses this page's requests as unauthenticated, so that nothing is done as the wrong user.
 */
export async function ownFetch(url: string, init: Init): Promise<Response> {
  const answer = await fetch(url, {
    ...init,
    headers: { ...init.headers, ...own },
    credentials: 'same-origin',
  })
  if (answer.status === UNAUTHENTICATED) reportUnauthenticated()
  return answer
}

/** Opens a WebSocket to the page's server as the page's user: see `ownFetch`. @param protocols the server chooses one of them */
export const ownSocket = (path: string, protocols: readonly string[]): WebSocket =>
  new WebSocket(`wss://${location.host}${path}`, [...protocols, ...ownProtocols])
