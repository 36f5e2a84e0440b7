import { SESSION_USER, sessionUserProtocol, sessionUserText } from '../../transcoding/session-user.js'
import { refusedAsNobody } from './refusals.js'

const UNAUTHENTICATED = 401

let own: Record<string, string> = {}
let ownProtocols: readonly string[] = []

/** Says whose this page is: called before it asks for anything. */
export function pageIsOf(user: string): void {
  own = { [SESSION_USER]: sessionUserText(user) }
  ownProtocols = [sessionUserProtocol(user)]
}

interface Init extends RequestInit {
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Fetches from this page's own server, as its user. Tabs share the browser's session: where somebody else has signed in beside this page, the server takes
 * its requests for nobody's, so that what was typed here is never done as them.
 */
export async function ownFetch(url: string, init: Init): Promise<Response> {
  const answer = await fetch(url, {
    ...init,
    headers: { ...init.headers, ...own },
    credentials: 'same-origin',
  })
  if (answer.status === UNAUTHENTICATED) refusedAsNobody()
  return answer
}

/** A WebSocket to this page's own server, as its user: see `ownFetch`. @param protocols of which the server chooses one */
export const ownSocket = (path: string, protocols: readonly string[]): WebSocket =>
  new WebSocket(`wss://${location.host}${path}`, [...protocols, ...ownProtocols])
