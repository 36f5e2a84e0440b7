import { once } from 'node:events'
import { createServer } from 'node:net'

/** Ports handed out already, so that two engines started in the same moment never get the same. */
const given = new Set<number>()

/** A TCP port on loopback that nobody listens on. An engine keeps it over restarts. */
export async function freePort(): Promise<number> {
  for (;;) {
    const server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    server.close()
    await once(server, 'close')
    if (address === null || typeof address === 'string') throw new Error('no TCP address for a free port')
    if (given.has(address.port)) continue
    given.add(address.port)
    return address.port
  }
}
