import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Ports below those that Linux gives to connections (`ip_local_port_range`, from 32768): an engine that is down for a moment
 * would find its port taken by somebody's outgoing connection. Each process begins elsewhere.
 */
const FIRST = 20_000
const LAST = 32_000
let next = FIRST + Math.floor(Math.random() * (LAST - FIRST))

/**
 * A TCP port on loopback that nobody listens on. An engine keeps it over restarts.
 * @throws Error when all are taken
 */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < LAST - FIRST; tried++) {
    const port = next
    next = next < LAST ? next + 1 : FIRST
    if (await isFree(port)) return port
  }
  throw new Error(`no port from ${FIRST} to ${LAST} is free on 127.0.0.1`)
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  server.listen(port, '127.0.0.1')
  // `once` rejects when the server reports an error instead.
  const listening = await once(server, 'listening').then(
    () => true,
    () => false,
  )
  if (!listening) return false
  server.close()
  await once(server, 'close')
  return true
}
