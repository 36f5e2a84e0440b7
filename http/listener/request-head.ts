import type { IncomingMessage } from 'node:http'

/** What is read of a request apart from its body. A request that a worker asks about has nothing else here. */
export type RequestHead = Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'rawHeaders'> & {
  readonly socket: {
    readonly remoteAddress?: string | undefined
    readonly remotePort?: number | undefined
  }
}
