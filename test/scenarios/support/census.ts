/**
 * Loaded into a `kairship` process before its program (`NODE_OPTIONS=--import`): on SIGUSR2 it writes a log line that says what is
 * reachable in the heap. Taking a heap snapshot collects all garbage first.
 */
import { getHeapSnapshot } from 'node:v8'

/** What is reachable in one process. */
export interface Census {
  /** Objects by the name of their class. */
  readonly objects: Readonly<Record<string, number>>
  /** Bytes of everything but code. */
  readonly bytes: number
}

interface Snapshot {
  readonly snapshot: {
    readonly meta: {
      readonly node_fields: readonly string[]
      readonly node_types: readonly [readonly string[]]
    }
  }
  readonly nodes: readonly number[]
  readonly strings: readonly string[]
}

async function takeCensus(): Promise<Census> {
  const pieces: Buffer[] = []
  for await (const piece of getHeapSnapshot()) pieces.push(Buffer.from(piece as Buffer))
  const { snapshot, nodes, strings } = JSON.parse(Buffer.concat(pieces).toString()) as Snapshot
  const { node_fields: fields, node_types } = snapshot.meta
  const [type, name, size] = ['type', 'name', 'self_size'].map(field => fields.indexOf(field)) as [
    number,
    number,
    number,
  ]
  const objects = new Map<string, number>()
  let bytes = 0
  for (let node = 0; node < nodes.length; node += fields.length) {
    const kind = node_types[0][nodes[node + type] ?? -1]
    if (kind !== 'code') bytes += nodes[node + size] ?? 0
    if (kind !== 'object') continue
    const className = strings[nodes[node + name] ?? -1] ?? ''
    objects.set(className, (objects.get(className) ?? 0) + 1)
  }
  return { objects: Object.fromEntries(objects), bytes }
}

let taken = 0
process.on('SIGUSR2', () => {
  void takeCensus().then(census => {
    taken += 1
    const line = { level: 'info', time: new Date().toISOString(), msg: `census ${taken}`, ...census }
    process.stderr.write(`${JSON.stringify(line)}\n`)
  })
})
