import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { metricsOf } from '../../../actors/metrics/metrics-of.js'
import type { ApiOptions } from '../../../http/server.js'
import { type PrometheusDouble, startPrometheusDouble } from '../../conformance/metrics/prometheus-double.js'
import { INSTANCE_LABEL } from '../../conformance/metrics/samples.js'

/** Doubles of the services that the management API reads beside Kubernetes, each with its options of the API. */
export interface ServiceDoubles {
  readonly prometheus: PrometheusDouble
  readonly options: Pick<ApiOptions, 'metrics'>
  close(): Promise<void>
}

/** @param folder for their files */
export async function startServiceDoubles(folder: string): Promise<ServiceDoubles> {
  const prometheus = await startPrometheusDouble()
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text, { mode: 0o600 })
    return join(folder, name)
  }
  const { username, password } = prometheus
  const metrics = await metricsOf({
    metricsUrl: prometheus.url,
    metricsInstanceLabel: INSTANCE_LABEL,
    metricsCaFile: file('metrics.crt', prometheus.certificateAuthority),
    metricsCredentialsFile: file('metrics.json', JSON.stringify({ username, password })),
  })
  return {
    prometheus,
    options: { ...(metrics && { metrics }) },
    async close() {
      await metrics?.source.close()
      await prometheus.close()
    },
  }
}
