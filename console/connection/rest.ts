import { type Fetch, restCalls } from '../../client/rest.js'
import { SharedSocket } from './shared-socket.js'

const socket = new SharedSocket(() => new WebSocket(`wss://${location.host}/console/socket`))

/** Streams share one socket; the browser authenticates both ways by the session's cookie. */
const fetchHere: Fetch = (url, init) =>
  init.headers.accept === 'text/event-stream'
    ? socket.get(url, init.headers, init.signal)
    : fetch(url, { ...init, credentials: 'same-origin' })

/** Calls of this page's own server. Each screen makes its client of it, and so loads the messages of its own services alone. */
export const rest = restCalls({ server: '', fetch: fetchHere })
