import { deepEqual, equal } from 'node:assert/strict'
import type { ServiceScenarios } from '../scenario.js'

/** Scenarios of the Insight service. */
export const insight: ServiceScenarios = {
  service: 'Insight',
  scenarios: [
    {
      proves: ['DetectInsight'],
      async run({ ask, instance }) {
        deepEqual(await ask('DetectInsight'), { enabled: true })
        deepEqual(await ask('DetectInsight', { instance }), { enabled: true })
      },
    },
    {
      proves: ['QueryMetric'],
      async run({ ask, refused }) {
        const { vector } = await ask('QueryMetric', { query: '1 / 0', time: 1_600_000_600 })
        deepEqual(vector, [{ metric: {}, values: { timestamp: '1600000600000', value: '+Inf' } }])
        equal(await refused('QueryMetric', { query: 'up{' }), 400)
      },
    },
    {
      proves: ['QueryRangeMetric'],
      async run({ ask, refused }) {
        const range = { query: '1 / 0', start: 1_600_000_000, end: 1_600_000_030, step: 30 }
        const { matrix } = await ask('QueryRangeMetric', range)
        const values = ['1600000000000', '1600000030000'].map(timestamp => ({ timestamp, value: '+Inf' }))
        deepEqual(matrix, [{ metric: {}, values }])
        equal(await refused('QueryRangeMetric', { ...range, step: 0 }), 400)
      },
    },
  ],
}
