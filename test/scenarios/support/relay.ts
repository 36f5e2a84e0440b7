import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A wire between a client and a server, which a test can count on, cut and mend. */
export interface Relay {
  readonly port: number
  /** Connections that are open now. */
  open(): number
  /** Which these are, to be told from those that come later. */
  connections(): ReadonlySet<object>
  /** Connections that were ever opened. */
  total(): number
  /** Resets every connection; new ones are accepted. */
  cut(): void
  /** Resets every connection, and new ones at once, until mended. */
  break(): void
  mend(): void
  close(): Promise<void>
}

export async function relayTo(port: number): Promise<Relay> {
  const pairs = new Set<readonly [Socket, Socket]>()
  let total = 0
  let broken = false
  const server = createServer(near => {
    total++
    near.on('error', () => near.destroy())
    if (broken) return void near.resetAndDestroy()
    const far = connect(port, '127.0.0.1')
    far.on('error', () => near.destroy())
    const pair = [near, far] as const
    pairs.add(pair)
    near.on('close', () => {
      far.destroy()
      pairs.delete(pair)
    })
    far.on('close', () => near.destroy())
    near.pipe(far)
    far.pipe(near)
  })
  const cut = () => {
    for (const [near, far] of pairs) {
      near.resetAndDestroy()
      far.destroy()
    }
  }
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    open: () => pairs.size,
    connections: () => new Set(pairs),
    total: () => total,
    cut,
    break() {
      broken = true
      cut()
    },
    mend() {
      broken = false
    },
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        cut()
      }),
  }
}
