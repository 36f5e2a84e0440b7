import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { registriesOf } from '../../../actors/images/registries-of.js'
import { metricsOf } from '../../../actors/metrics/metrics-of.js'
import type { ApiOptions } from '../../../http/server.js'
import { type RegistryDouble, startRegistryDouble } from '../../conformance/images/registry-double.js'
import { type PrometheusDouble, startPrometheusDouble } from '../../conformance/metrics/prometheus-double.js'
import { INSTANCE_LABEL } from '../../conformance/metrics/samples.js'

/** Doubles of the services that the management API reads beside Kubernetes, each with its options of the API. */
export interface ServiceDoubles {
  readonly prometheus: PrometheusDouble
  readonly registry: RegistryDouble
  readonly options: Pick<ApiOptions, 'metrics' | 'registries'>
  close(): Promise<void>
}

/**
 * Registries `team`, which all share, and `shop`, of the workspace 2, have the same content.
 * @param folder for their files
 */
export async function startServiceDoubles(folder: string): Promise<ServiceDoubles> {
  const prometheus = await startPrometheusDouble()
  const registry = await startRegistryDouble()
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
  const common = {
    url: registry.url,
    caFile: file('registry.crt', registry.certificateAuthority),
    credentialsFile: file(
      'registry.json',
      JSON.stringify({ username: registry.username, password: registry.password }),
    ),
  }
  const entries = [
    { ...common, name: 'team', alias: 'The team’s', host: 'registry.example' },
    { ...common, name: 'shop', workspaceId: 2 },
  ]
  const registries = await registriesOf({
    registriesFile: file('registries.json', JSON.stringify({ registries: entries })),
  })
  return {
    prometheus,
    registry,
    options: { registries, ...(metrics && { metrics }) },
    async close() {
      await metrics?.source.close()
      for (const one of registries) await one.close()
      await prometheus.close()
      await registry.close()
    },
  }
}
