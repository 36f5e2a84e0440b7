import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { PlaygroundProcess } from './playground-process.js'
import { Replica } from './replica.js'

/** From how many instances a fleet grows to how many, and back. */
export interface FleetGrowthOptions {
  readonly from: number
  readonly to: number
  readonly membersPerInstance: number
  /** Whether a stand-in takes the place of the playground. */
  readonly standIn: boolean
  /** How long the fleet is left alone before it is measured, seconds: idle connections and remembered answers go in that time. */
  readonly idleSeconds: number
  /** Where CPU profiles and heap snapshots of the controller manager are left. */
  readonly profiles?: string
  /** Told how far it is. */
  readonly say: (text: string) => void
}

/** Lets a fleet grow and shrink back under one controller manager, and says what that costs it at each size. */
export async function measureGrowth(options: FleetGrowthOptions): Promise<object> {
  const { from, to, profiles, say, idleSeconds } = options
  if (profiles) mkdirSync(profiles, { recursive: true })
  const playground = new PlaygroundProcess({ ...options, instances: to })
  const { kubeconfig } = await playground.told('up')
  say(`playground of ${to} instances up`)
  const replica = new Replica('a', kubeconfig, profiles && join(profiles, 'replica-a'))
  const stopListening = playground.onProgress(async ready => say(`${ready} ready`))
  const at = async (size: number, called: string) => {
    playground.send({ kind: 'resize', to: size })
    const { ms } = await playground.told('resized')
    say(`${called}: ${size} instances after ${(ms / 1000).toFixed(1)} s; left alone for ${idleSeconds} s`)
    await new Promise(resolve => setTimeout(resolve, idleSeconds * 1000))
    const atRest = await replica.measure()
    const collected = await replica.measure('collected')
    const exposed = await replica.exposed()
    if (profiles) await replica.snapshot(join(profiles, `${called}.heapsnapshot`))
    return { instances: size, seconds: Math.round(ms / 10) / 100, ...exposed, atRest, collected }
  }
  try {
    await replica.listening()
    const before = await at(from, 'before')
    const grown = await at(to, 'grown')
    const after = await at(from, 'after')
    const kept = (figure: 'rssBytes' | 'heapBytes' | 'heapHeldBytes'): number =>
      Math.round((after.collected[figure] - before.collected[figure]) / (to - from))
    return {
      before,
      grown,
      after,
      keptPerInstanceThatWent: {
        rss: kept('rssBytes'),
        heap: kept('heapBytes'),
        heapHeld: kept('heapHeldBytes'),
        sockets: (after.sockets - before.sockets) / (to - from),
        series: (after.series - before.series) / (to - from),
      },
    }
  } finally {
    stopListening()
    replica.kill('SIGTERM')
    await replica.ended
    await playground.stop()
  }
}
