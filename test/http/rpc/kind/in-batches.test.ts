import { expect, it } from 'vitest'
import { inBatches } from '../../../../http/rpc/kind/in-batches.js'
import type { FollowedEvent } from '../../../../http/rpc/kind/kind-handlers.js'
import type { KubeObject } from '../../../../manifests/kube.js'

type Step = FollowedEvent<KubeObject, undefined>
const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' } }
const reset: Step = { type: 'RESET', total: 0 }
const bookmark: Step = { type: 'BOOKMARK', total: 0 }
const added: Step = { type: 'ADDED', object, total: 1 }

async function lengths(...steps: readonly Step[]): Promise<readonly string[]> {
  const source = async function* () {
    yield* steps
  }
  const found: string[] = []
  for await (const batch of inBatches(source())) found.push(`${batch.length} ${batch[0]?.type}`)
  return found
}

it('the objects of the first list come together, at most 500 at once, and later ones by themselves', async () => {
  const list = Array.from({ length: 501 }, () => added)
  expect(await lengths(reset, ...list, bookmark, added, added)).toEqual([
    ...['1 RESET', '500 ADDED', '1 ADDED', '1 BOOKMARK', '1 ADDED', '1 ADDED'],
  ])
})

it('a list that starts over comes together again', async () => {
  expect(await lengths(reset, added, added, reset, added, added, bookmark)).toEqual([
    ...['1 RESET', '2 ADDED', '1 RESET', '2 ADDED', '1 BOOKMARK'],
  ])
})

it('steps that the reader knows are left out, up to their bookmark', async () => {
  const known = { known: true } as const
  const steps = [reset, added, bookmark].map(step => ({ ...step, ...known }))
  expect(await lengths(...steps, added)).toEqual(['1 BOOKMARK', '1 ADDED'])
})

it('the objects of a list that ends without its bookmark come all the same', async () => {
  expect(await lengths(reset, added, added)).toEqual(['1 RESET', '2 ADDED'])
})
