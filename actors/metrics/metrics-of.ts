import { Prometheus } from './prometheus.js'

/** The settings of metrics, by the names of `config.ts`. */
export interface MetricsSettings {
  readonly metricsUrl: string | undefined
  readonly metricsInstanceLabel: string
  readonly metricsCaFile: string | undefined
  readonly metricsCredentialsFile: string | undefined
}

/**
 * The metrics service that the settings name; undefined where they name none. Nothing is sent to it yet: Kairship starts without it.
 * @throws ServiceSettingError for a file that cannot be used
 */
export async function metricsOf(
  settings: MetricsSettings,
): Promise<{ readonly source: Prometheus; readonly label: string } | undefined> {
  const { metricsUrl: url, metricsInstanceLabel: label, metricsCaFile, metricsCredentialsFile } = settings
  if (url === undefined) return undefined
  const source = await new Prometheus({
    url,
    ...(metricsCaFile !== undefined && { caFile: metricsCaFile }),
    ...(metricsCredentialsFile !== undefined && { credentialsFile: metricsCredentialsFile }),
  }).prepare()
  return { source, label }
}
