import { expect, it } from 'vitest'
import { modelNodes } from '../../karmada/scheduling/model-nodes.js'
import { replicasByModels } from '../../karmada/scheduling/node-models.js'

it('a grade without ranges, as Karmada stores it, has room for pods that ask for nothing', () => {
  const [models, counts] = [[{ grade: 0, ranges: null }], [{ grade: 0, count: 2 }]]
  expect(replicasByModels(models, counts, {})).toBe(220n)
  expect(replicasByModels(models, counts, { cpu: '1' })).toBe(0n)
  expect(modelNodes(models, counts)).toEqual(Array.from({ length: 2 }, () => new Map([['pods', 110n]])))
})
