import { type Fetch, restCalls } from '../../client/rest.js'
import { SOCKET_PROTOCOL } from '../../transcoding/session-user.js'
import { ownFetch, ownSocket } from './own-fetch.js'
import { reportUnauthenticated } from './refusals.js'
import { SharedSocket } from './shared-socket.js'

const socket = new SharedSocket(
  () => ownSocket('/console/socket', [SOCKET_PROTOCOL]),
  // Browsers do not give the reason of a refused WebSocket.
  reportUnauthenticated,
)

const UNAUTHENTICATED = 401

/** Streams share one WebSocket. The browser sends the session's cookie with both. */
const fetchHere: Fetch = async (url, init) => {
  if (init.headers.accept !== 'text/event-stream') return ownFetch(url, init)
  const answer = await socket.get(url, init.headers, init.signal)
  if (answer.status === UNAUTHENTICATED) reportUnauthenticated()
  return answer
}

/** The transport to the page's server. Each screen makes its clients of it, so that it loads only the messages of its own services. */
export const rest = restCalls({ server: '', fetch: fetchHere })

/** A WebSocket keeps the session under which it was opened. After this call, new streams use the browser's current session. */
export const renewStreams = (): void => socket.renew()
