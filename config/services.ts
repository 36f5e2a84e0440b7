import { labelName, path, serviceUrl } from './kinds.js'
import { answering, setting } from './setting.js'

/** Settings of what the management API reads beside Kubernetes. docs/metrics-and-images.md says how they are used. */
export const serviceSettings = {
  metricsUrl: setting({
    kind: serviceUrl,
    default: undefined,
    group: 'Metrics',
    commands: answering,
    help: 'URL of the Prometheus (or of what has its HTTP API) with the metrics of instances; its path goes before /api/v1/query',
    why: 'without it the Insight service refuses queries by the reason NoMetrics',
  }),
  metricsInstanceLabel: setting({
    kind: labelName,
    default: 'kairship_instance',
    group: 'Metrics',
    commands: answering,
    help: 'label that names the instance of a series there; queries read only the series of the instance that they are for',
    why: 'Prometheus’ own label instance names what was scraped; the scrape configuration of an instance adds this one',
  }),
  metricsCaFile: setting({
    kind: path,
    default: undefined,
    group: 'Metrics',
    commands: answering,
    help: 'PEM authorities that vouch for metricsUrl; read again when it changes',
    why: 'without it the authorities of Node.js; the certificate is always verified',
  }),
  metricsCredentialsFile: setting({
    kind: path,
    default: undefined,
    group: 'Metrics',
    commands: answering,
    help: 'credential for metricsUrl: YAML or JSON with "token", or "username" and "password"; read again when it changes',
    why: 'a file, because others can read a process’s arguments, and a mounted Secret is replaced while it runs',
  }),
  registriesFile: setting({
    kind: path,
    default: undefined,
    group: 'Images',
    commands: answering,
    help: 'YAML file that lists the image registries whose images are shown; docs/metrics-and-images.md has its fields',
    why: 'without it the Image service refuses lists by the reason NoRegistries; only registries of this file are ever reached',
  }),
} as const
