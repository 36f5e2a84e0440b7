import { type Fetch, restCalls } from '../../client/rest.js'
import { serviceClient } from '../../client/service-client.js'
import { InstanceService } from '../../proto/gen/kairship/instance_pb.js'
import { SharedSocket } from './shared-socket.js'

const socket = new SharedSocket(() => new WebSocket(`wss://${location.host}/console/socket`))

/** Streams share one socket; the browser authenticates both ways by the session's cookie. */
const fetchHere: Fetch = (url, init) =>
  init.headers.accept === 'text/event-stream'
    ? socket.get(url, init.headers, init.signal)
    : fetch(url, { ...init, credentials: 'same-origin' })

const rest = restCalls({ server: '', fetch: fetchHere })

/** The typed clients that the screens use. */
export const api = {
  instances: serviceClient(InstanceService, rest),
}
