import fc from 'fast-check'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { ApiClient } from '../api-client.js'
import { type Compared, firstDifference } from './compare.js'
import { startEmbeddedSide } from './embedded-side.js'
import { histories } from './histories.js'
import { report } from './report.js'
import type { Side } from './side.js'

/** How many histories are compared; `KAIRSHIP_HISTORIES=300` compares more. */
const HISTORIES = Number(process.env.KAIRSHIP_HISTORIES ?? 24)
/** `KAIRSHIP_RANDOM_SEED` takes others. */
const seed = Number(process.env.KAIRSHIP_RANDOM_SEED ?? 20_261_123)
/** Each in a namespace of its own. */
const AT_ONCE = 12

const instance = 'karmada-east'
let embedded: Awaited<ReturnType<typeof startEmbeddedSide>>
let real: Side
beforeAll(async () => {
  const { karmadas, members } = inject('stack')
  const names = ['member-1', 'member-2']
  const client = (credentials: ConstructorParameters<typeof ApiClient>[0] | undefined, name: string) => {
    if (!credentials) throw new Error(`the stack has no ${name}`)
    return new ApiClient(credentials)
  }
  real = {
    name: 'Karmada',
    control: client(karmadas[instance], instance),
    members: new Map(names.map(name => [name, client(members[name], name)])),
  }
  embedded = await startEmbeddedSide(names)
  for (const side of [real, embedded])
    for (const [at, name] of names.entries()) await label(side, name, at === 0 ? 'gold' : 'tin')
})

afterAll(async () => {
  for (const name of real?.members.keys() ?? []) await label(real, name, null)
  await embedded?.close()
  for (const client of real ? [real.control, ...real.members.values()] : []) await client.close()
})

it('a history of templates, policies and overrides leads to the same bindings, works, members and statuses as in Karmada', async () => {
  const generated = fc.sample(histories([...real.members.keys()]), { numRuns: HISTORIES, seed })
  const waiting = [...generated.entries()]
  const differences: string[] = []
  const compared: Compared = { bindings: 0, works: 0, memberObjects: 0 }
  const run = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [at, history] = next
      // Another one in the next run on the same stack, while this one's is still on its way out.
      const namespace = `history-${process.pid}-${at}`
      const found = await firstDifference(history, [real, embedded], namespace, compared)
      if (found) differences.push(report(at, history.slice(0, found.step + 1), found.states))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, run))
  expect(differences.join('\n\n')).toBe('')
  // Two sides that propagate nothing are equal, too.
  expect(Object.entries(compared).filter(([, count]) => count === 0)).toEqual([])
})

/** Sets the label of a Cluster that affinities select by; null removes it. */
const label = ({ control }: Side, cluster: string, tier: string | null): Promise<unknown> =>
  control.must(
    'PATCH',
    `/apis/cluster.karmada.io/v1alpha1/clusters/${cluster}`,
    { metadata: { labels: { tier } } },
    { 'content-type': 'application/merge-patch+json' },
  )
