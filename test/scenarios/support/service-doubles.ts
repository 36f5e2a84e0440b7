import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { registriesOf } from '../../../actors/images/registries-of.js'
import { metricsOf } from '../../../actors/metrics/metrics-of.js'
import type { ApiOptions } from '../../../http/api-options.js'
import { type RegistryDouble, startRegistryDouble } from '../../conformance/images/registry-double.js'
import type { RegistryTarget } from '../../conformance/images/suite.js'
import { type PrometheusDouble, startPrometheusDouble } from '../../conformance/metrics/prometheus-double.js'
import { INSTANCE_LABEL } from '../../conformance/metrics/samples.js'
import type { MetricsTarget } from '../../conformance/metrics/suite.js'

/** Doubles of the services that the management API reads beside Kubernetes, each with its options of the API. */
export interface ServiceDoubles {
  readonly prometheus: PrometheusDouble
  readonly registry: RegistryDouble
  readonly options: Pick<ApiOptions, 'metrics' | 'registries'>
  /** The paths of the files that settings of a process name. */
  readonly files: Readonly<Record<'metricsCa' | 'metricsCredentials' | 'registries', string>>
  close(): Promise<void>
}

/**
 * Starts both.
 * @param folder for the files that name them
 * @param passwords that they want; what the doubles have unless given
 */
export async function startServiceDoubles(
  folder: string,
  passwords?: { readonly metrics: string; readonly registry: string },
): Promise<ServiceDoubles> {
  const prometheus = await startPrometheusDouble()
  const registry = await startRegistryDouble()
  if (passwords) {
    prometheus.changePassword(passwords.metrics)
    registry.changePassword(passwords.registry)
  }
  const { options, files, close } = await readersOf(folder, prometheus, registry)
  return {
    ...{ prometheus, registry, options, files },
    async close() {
      await close()
      await prometheus.close()
      await registry.close()
    },
  }
}

/** What reads the services, with its options of the API. */
export type ServiceReaders = Pick<ServiceDoubles, 'options' | 'files' | 'close'>

/**
 * Reads a Prometheus and an image registry, as the files and settings of an operator would have it. Registries `team`, which all
 * share, and `shop`, of the workspace 2, have the same content.
 * @param folder for the files
 */
export async function readersOf(
  folder: string,
  prometheus: MetricsTarget,
  registry: RegistryTarget,
): Promise<ServiceReaders> {
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text, { mode: 0o600 })
    return join(folder, name)
  }
  const { username, password } = prometheus
  const files = {
    metricsCa: file('metrics.crt', prometheus.certificateAuthority),
    metricsCredentials: file('metrics.json', JSON.stringify({ username, password })),
  }
  const metrics = await metricsOf({
    metricsUrl: prometheus.url,
    metricsInstanceLabel: INSTANCE_LABEL,
    metricsCaFile: files.metricsCa,
    metricsCredentialsFile: files.metricsCredentials,
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
  const registriesFile = file('registries.json', JSON.stringify({ registries: entries }))
  const registries = await registriesOf({ registriesFile })
  return {
    options: { registries, ...(metrics && { metrics }) },
    files: { ...files, registries: registriesFile },
    async close() {
      await metrics?.source.close()
      for (const one of registries) await one.close()
    },
  }
}
