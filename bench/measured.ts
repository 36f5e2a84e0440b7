/**
 * Loaded into a process before its program (`node --expose-gc --import`), so that a bench can ask it what it costs. Adds
 * nothing to what the process does, and does not keep it alive.
 */
import { writeHeapSnapshot } from 'node:v8'

/** What a bench asks. */
export type MeasuredRequest =
  | { readonly measure: 'as it is' | 'collected' }
  /** Writes a heap snapshot to this file. */
  | { readonly snapshot: string }

/** What a process costs at one moment. */
export interface Measured {
  readonly rssBytes: number
  readonly heapBytes: number
  /** What V8 holds for its heap, free pages and parts of pages included. */
  readonly heapHeldBytes: number
  /** Outside of V8's heap, as far as V8 was told: buffers, TLS and HTTP/2 sessions. */
  readonly externalBytes: number
  /** User and system. */
  readonly cpuSeconds: number
}

/** V8 gives pages back a while after a collection: several collections with pauses show what is really held. */
const COLLECTIONS = 4
const BETWEEN_MS = 250

function measured(): Measured {
  const { rss, heapTotal, heapUsed, external } = process.memoryUsage()
  const { user, system } = process.cpuUsage()
  return {
    rssBytes: rss,
    heapBytes: heapUsed,
    heapHeldBytes: heapTotal,
    externalBytes: external,
    cpuSeconds: (user + system) / 1e6,
  }
}

async function answer(request: MeasuredRequest): Promise<Measured> {
  if ('snapshot' in request) writeHeapSnapshot(request.snapshot)
  else if (request.measure === 'collected')
    for (let collection = 0; collection < COLLECTIONS; collection++) {
      globalThis.gc?.()
      await new Promise(resolve => setTimeout(resolve, BETWEEN_MS))
    }
  return measured()
}

process.on('message', (message: unknown) => {
  if (typeof message !== 'object' || message === null) return
  if (!('measure' in message) && !('snapshot' in message)) return
  void answer(message as MeasuredRequest).then(cost => process.send?.({ measured: cost }))
})
process.channel?.unref()
