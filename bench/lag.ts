import { setTimeout as delay } from 'node:timers/promises'
import type { ApiClient } from '../test/real/api-client.js'
import { type Distribution, distribution } from './load.js'

const merge = { 'content-type': 'application/merge-patch+json' }
const configMaps = '/api/v1/namespaces/default/configmaps'
/** ConfigMaps that writing touches in turn, so that no two writes meet. */
const touched = 50
/** Writes under way at once: what keeps a rate of 200/s up while each takes up to 80 ms. */
const writers = 16

/** Creates the ConfigMaps that the measurements write to. */
export async function prepareLag(karmada: ApiClient): Promise<void> {
  for (const name of ['lag', ...Array.from({ length: touched }, (_, index) => `busy-${index}`)])
    await karmada.must('POST', configMaps, { metadata: { name } })
}

/** True once the index shows what `prepareLag` created. */
export async function lagShown(index: ApiClient, prefix: string): Promise<boolean> {
  return (await index.send('GET', `${prefix}${configMaps}/lag`)).status === 200
}

/**
 * Milliseconds from the answer to a write until a read through the index shows it, sampled for a while: read again and
 * again without pause, so that one read's latency is the resolution.
 * @param mark tells this measurement's writes from others'
 */
export async function lag(
  karmada: ApiClient,
  index: ApiClient,
  prefix: string,
  mark: string,
  forMs: number,
): Promise<Distribution> {
  const took: number[] = []
  for (const until = performance.now() + forMs; performance.now() < until; ) {
    const value = `${mark}-${took.length}`
    await karmada.must('PATCH', `${configMaps}/lag`, { data: { value } }, merge)
    const written = performance.now()
    for (;;) {
      const { body } = await index.send('GET', `${prefix}${configMaps}/lag`)
      if ((body as { data?: { value?: string } }).data?.value === value) break
      if (performance.now() - written > forMs + 30_000)
        throw new Error(`${mark}: a write was not seen for ${forMs / 1_000 + 30} s`)
    }
    took.push(performance.now() - written)
  }
  return distribution(took)
}

/** Writes at a steady rate until told to stop; returns how many there really were per second. */
export function writing(karmada: ApiClient, perSecond: number): () => Promise<number> {
  let writes = 0
  let running = true
  const began = performance.now()
  const writer = async (first: number): Promise<void> => {
    for (let turn = first; ; turn += writers) {
      await delay(Math.max(0, began + (turn * 1_000) / perSecond - performance.now()))
      if (!running) return
      await karmada.must(
        'PATCH',
        `${configMaps}/busy-${turn % touched}`,
        { data: { turn: String(turn) } },
        merge,
      )
      writes += 1
    }
  }
  const all = Promise.all(Array.from({ length: writers }, (_, index) => writer(index)))
  return async () => {
    running = false
    await all
    return Math.round((writes / (performance.now() - began)) * 1_000)
  }
}
