import { badRequest } from '../../apiserver/api-status.js'
import type { ApiRequest } from '../../apiserver/wire/exchange.js'
import { acceptChannels, acceptTunnel, offers } from './channels.js'
import { forwardPorts, PORT_FORWARD } from './spdy/port-forward.js'
import { asksForSpdy, upgradeToSpdy } from './spdy/upgrade.js'

const PROTOCOLS = ['v4.channel.k8s.io'] as const
/** SPDY inside a WebSocket, as kubectl has it since 1.31. */
const TUNNEL = `SPDY/3.1+${PORT_FORWARD}`

/** `pods/{name}/portforward`: every port of a simulated container gives back what it is sent. */
export async function portForward(request: ApiRequest): Promise<void> {
  if (asksForSpdy(request)) return forwardPorts(upgradeToSpdy(request, [PORT_FORWARD]))
  if (offers(request, TUNNEL)) return forwardPorts(await acceptTunnel(request, TUNNEL))
  const ports = request.query.getAll('ports').flatMap(value => value.split(',').map(Number))
  if (ports.length === 0 || ports.some(port => !Number.isInteger(port) || port < 1 || port > 65_535))
    throw badRequest('query parameter "ports" must name ports between 1 and 65535')
  const channels = await acceptChannels(request, PROTOCOLS, {
    // Two channels for each port: data, and errors.
    message: (channel, data) => {
      if (channel % 2 === 1 || channel >= ports.length * 2) return
      channels.pause()
      void channels.send(channel, data).then(() => channels.resume())
    },
    ended: () => undefined,
  })
  // All at once: what comes meanwhile is given back after them.
  const numbers = ports.flatMap((port, index) => {
    const number = Buffer.alloc(2)
    number.writeUInt16LE(port)
    return [channels.send(index * 2, number), channels.send(index * 2 + 1, number)]
  })
  await Promise.all(numbers)
}
