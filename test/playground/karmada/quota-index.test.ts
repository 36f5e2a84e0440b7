import { expect, it } from 'vitest'
import type { Work } from '../../../karmada/objects/work.js'
import type { Difference, Source } from '../../../playground/client/source.js'
import { QuotaIndex } from '../../../playground/karmada/quota/quota-index.js'

const status = { hard: { cpu: '1' }, used: { cpu: '500m' } }
const work = (spec: object): Work =>
  ({
    metadata: { namespace: 'karmada-es-m1', name: 'w' },
    spec: {
      workload: {
        manifests: [
          { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { namespace: 'shop', name: 'q' }, spec },
        ],
      },
    },
    status: { manifestStatuses: [{ status }] },
  }) as unknown as Work

function indexed() {
  let tell: (difference: Difference<Work>) => void = () => undefined
  const listen = (listener: typeof tell): void => {
    tell = listener
  }
  const source = { listen } as unknown as Source<Work>
  const index = new QuotaIndex(source)
  return { tell: (type: string, object: Work) => tell({ type, object } as Difference<Work>), index }
}

it('a quota that a member reports is known until its Work is gone', () => {
  const { tell, index } = indexed()
  tell('ADDED', work({}))
  expect(index.of('m1', 'shop')).toEqual([{ ...status, name: 'q' }])
  expect(index.of('m2', 'shop')).toEqual([])
  tell('DELETED', work({}))
  expect(index.of('m1', 'shop')).toEqual([])
})

it('a quota of some pods only limits no workload', () => {
  const { tell, index } = indexed()
  tell('ADDED', work({ scopes: ['BestEffort'] }))
  expect(index.of('m1', 'shop')).toEqual([])
})
