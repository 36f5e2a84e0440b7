import { afterAll, beforeAll } from 'vitest'
import { type PrometheusDouble, startPrometheusDouble } from './prometheus-double.js'
import { metricsConformance } from './suite.js'

let double: PrometheusDouble
beforeAll(async () => {
  double = await startPrometheusDouble()
})
afterAll(() => double.close())

/** The double that tests of the Insight service query is held to what Prometheus answers. */
metricsConformance(() => double)
