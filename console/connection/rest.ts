import { type Fetch, restCalls } from '../../client/rest.js'
import { SOCKET_PROTOCOL } from '../../transcoding/session-user.js'
import { ownFetch, ownSocket } from './own-fetch.js'
import { refusedAsNobody } from './refusals.js'
import { SharedSocket } from './shared-socket.js'

const socket = new SharedSocket(
  () => ownSocket('/console/socket', [SOCKET_PROTOCOL]),
  // Browsers do not say why a socket was refused.
  refusedAsNobody,
)

const UNAUTHENTICATED = 401

/** Streams share one socket; the browser authenticates both ways by the session's cookie. */
const fetchHere: Fetch = async (url, init) => {
  if (init.headers.accept !== 'text/event-stream') return ownFetch(url, init)
  const answer = await socket.get(url, init.headers, init.signal)
  if (answer.status === UNAUTHENTICATED) refusedAsNobody()
  return answer
}

/** Calls of this page's own server. Each screen makes its client of it, and so loads the messages of its own services alone. */
export const rest = restCalls({ server: '', fetch: fetchHere })

/** A socket keeps the session under which it was opened: streams that begin from now on have the one that the browser has now. */
export const renewStreams = (): void => socket.renew()
