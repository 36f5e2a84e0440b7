import { badRequest } from '../../apiserver/api-status.js'
import type { ApiRequest } from '../../apiserver/wire/exchange.js'
import { acceptChannels } from './channels.js'

/** `SPDY/3.1+portforward.k8s.io`, which newer kubectls send inside a WebSocket, is SPDY and not spoken here. */
const PROTOCOLS = ['v4.channel.k8s.io'] as const

/** `pods/{name}/portforward`: every port of a simulated container gives back what it is sent. */
export async function portForward(request: ApiRequest): Promise<void> {
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
