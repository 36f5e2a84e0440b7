import type { InstanceView } from '../ports/fleet.js'
import { type Readiness, whyNotReady } from './await-ready.js'
import { columns } from './columns.js'
import type { PlaygroundFiles } from './playground-files.js'

/** Where a running playground listens. */
export interface PlaygroundUrls {
  /** REST, `https://127.0.0.1:…`. */
  readonly api: string
  /** gRPC over TLS, `127.0.0.1:…`. */
  readonly grpc: string
  /** Health and metrics in plain HTTP. */
  readonly health: string
  /** The host cluster's Kubernetes API. */
  readonly host: string
}

/** The one line of `playground --json`. Fields may be added, never renamed. */
export function jsonLine(readiness: Readiness, urls: PlaygroundUrls, files: PlaygroundFiles): string {
  const seconds = (ms: number | undefined): number | null => (ms === undefined ? null : Math.round(ms) / 1000)
  const report = {
    allReady: readiness.allReady,
    instances: readiness.views.map(view => ({
      name: view.name,
      state: view.state,
      kubernetesVersion: view.kubernetesVersion ?? null,
      karmadaVersion: view.karmadaVersion ?? null,
      endpoint: view.endpoint ?? null,
      clusters: view.summary?.clusterSummary.totalNum ?? null,
      reason: whyNotReady(view) ?? null,
    })),
    secondsToFirstReady: seconds(readiness.firstReadyMs),
    secondsToLastReady: seconds(readiness.lastReadyMs),
    urls,
    files,
  }
  return `${JSON.stringify(report)}\n`
}

/** The table of instances, and what to try next: every command can be pasted as it is. */
export function welcome(readiness: Readiness, urls: PlaygroundUrls, files: PlaygroundFiles): string {
  const rows = readiness.views.map(view => [
    view.name,
    view.state,
    view.karmadaVersion ?? '-',
    view.kubernetesVersion ?? '-',
    clusters(view),
    view.endpoint ?? '-',
  ])
  const table = columns(['NAME', 'STATE', 'KARMADA', 'KUBERNETES', 'CLUSTERS', 'ENDPOINT'], rows).text
  const took =
    readiness.lastReadyMs === undefined ? '' : ` after ${(readiness.lastReadyMs / 1000).toFixed(1)} s`
  const count = readiness.views.length
  const headline = `${count} instance${count === 1 ? '' : 's'} ready${took}.`
  const [first] = Object.entries(files.instanceKubeconfigs)
  const rest = `${urls.api}/apis/kairship.io/v1alpha1/instances`
  return `${headline}

${table}
Try next:

  # the fleet, with the bundled command line
  npx kairship get instances --watch
  npx kairship describe instance ${first?.[0] ?? 'NAME'}

  # the same over REST (${files.viewerToken} may only read)
  curl --cacert ${files.certificateAuthority} -H "Authorization: Bearer $(cat ${files.adminToken})" ${rest}

  # and over gRPC
  grpcurl -cacert ${files.certificateAuthority} -H "authorization: Bearer $(cat ${files.adminToken})" ${urls.grpc} list

  # the host cluster: where instances are declared
  kubectl --kubeconfig ${files.hostKubeconfig} get instances -o wide
${first ? toInstance(files, ...first) : ''}
Metrics and health are at ${urls.health}/metrics. Ctrl-C stops everything.
`
}

const toInstance = ({ folder }: PlaygroundFiles, instance: string, direct: string): string => `
  # one Karmada control plane through Kairship, which reads from its index and writes to Karmada
  npx kairship kubeconfig ${instance} > ${folder}/door.kubeconfig
  kubectl --kubeconfig ${folder}/door.kubeconfig get clusters

  # and directly
  kubectl --kubeconfig ${direct} get clusters
`

/** Why not everything is ready, one line an instance. */
export const notReady = (readiness: Readiness): string =>
  readiness.views
    .map(view => ({ name: view.name, why: whyNotReady(view) }))
    .filter(({ why }) => why !== undefined)
    .map(({ name, why }) => `${name} is ${why}`)
    .join('\n') || 'no instance was seen'

const clusters = ({ summary }: InstanceView): string =>
  summary ? `${summary.clusterSummary.readyNum}/${summary.clusterSummary.totalNum}` : '-'
