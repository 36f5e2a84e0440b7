import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** What stands before replicas, as a Service does: one address, and each connection stays where it went when it was opened. */
export interface Service {
  readonly port: number
  /** Where connections go that are opened from now on. */
  leadTo(port: number): void
  close(): Promise<void>
}

export async function serviceBefore(port: number): Promise<Service> {
  let to = port
  const sockets = new Set<Socket>()
  // Each direction ends by itself, and only when all of it is delivered: it is no end of a replica's that gets lost here.
  const server = createServer({ allowHalfOpen: true }, near => {
    const far = connect({ port: to, host: '127.0.0.1', allowHalfOpen: true })
    const sides = [near, far]
    for (const side of sides) {
      sockets.add(side)
      side.once('close', () => sockets.delete(side))
      side.once('error', () => {
        for (const each of sides) each.resetAndDestroy()
      })
    }
    near.pipe(far)
    far.pipe(near)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    leadTo(next) {
      to = next
    },
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}
