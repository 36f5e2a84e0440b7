import { join } from 'node:path'
import { phaseOf } from '../../manifests/instance.js'
import type { InstanceView } from '../../ports/fleet.js'
import { columns } from '../print/columns.js'
import { type Readiness, whyNotReady } from './await-ready.js'
import type { PlaygroundFiles } from './playground-files.js'
import { quoted } from './shell.js'

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

/** What the commands that a playground prints are made of. */
export interface Shown {
  readonly urls: PlaygroundUrls
  readonly files: PlaygroundFiles
  /** What a person types to run this program from the working folder. */
  readonly program: string
  /** A member cluster of the first instance. */
  readonly member?: string
  /** A link that opens the console signed in, once. Absent without a console. */
  readonly console?: string
  /** Where people log in, and the password of all users there. */
  readonly issuer?: { readonly url: string; readonly password: string }
}

/** The one line of `playground --json`. Fields may be added, never renamed. */
export function jsonLine(readiness: Readiness, { urls, files }: Shown): string {
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

/** How long it took, and the table of instances. All that `--once` prints: its servers stop at once. */
export function summary(readiness: Readiness): string {
  const rows = readiness.views.map(view => [
    view.name,
    phaseOf(view.state),
    view.karmadaVersion ?? '-',
    view.kubernetesVersion ?? '-',
    clusters(view),
    view.endpoint ?? '-',
  ])
  const table = columns(['NAME', 'PHASE', 'KARMADA', 'KUBERNETES', 'CLUSTERS', 'ENDPOINT'], rows).text
  const took =
    readiness.lastReadyMs === undefined ? '' : ` after ${(readiness.lastReadyMs / 1000).toFixed(1)} s`
  const count = readiness.views.length
  return `${count} instance${count === 1 ? '' : 's'} ready${took}.\n\n${table}`
}

/** The summary, and what to try next: every command can be pasted as it is. */
export function welcome(readiness: Readiness, shown: Shown): string {
  const { urls, files } = shown
  const [first] = Object.entries(files.instanceKubeconfigs)
  const kairship = commandLine(shown)
  const rest = `${urls.api}/apis/kairship.io/v1alpha1/instances`
  const bearer = `"Authorization: Bearer $(cat ${quoted(files.adminToken)})"`
  const authority = quoted(files.certificateAuthority)
  return `${summary(readiness)}${shown.console ? openConsole(shown.console, kairship) : ''}
Try next:

  # the fleet, with the bundled command line
  ${kairship('get instances --watch')}
  ${kairship(`describe instance ${first?.[0] ?? 'NAME'}`)}

  # the same over REST (the token in ${files.viewerToken} may only read)
  curl --cacert ${authority} -H ${bearer} ${rest}

  # and over gRPC
  grpcurl -cacert ${authority} -H ${bearer} ${urls.grpc} list

  # the host cluster: where instances are declared
  kubectl --kubeconfig ${quoted(files.hostKubeconfig)} get instances -o wide
${toLogin(shown, first?.[0])}${first ? toInstance(shown, ...first) : ''}

The API's documentation is at ${urls.api}/docs, where calls can be made with the token in
${files.adminToken}, and ${urls.api}/openapi.json. The certificate's authority is ${files.certificateAuthority}.
Metrics and health are at ${urls.health}/metrics. Ctrl-C stops everything.
`
}

const openConsole = (link: string, kairship: (command: string) => string): string => `
Open the console, signed in as admin@playground (once, within ten minutes; for another link: ${kairship('console')}):

  ${link}
`

function toInstance(shown: Shown, instance: string, direct: string): string {
  const { files, urls, member } = shown
  const proxy = quoted(join(files.folder, 'proxy.kubeconfig'))
  const clusters = `${urls.api}/apis/kairship.io/v1alpha1/instances/${instance}/proxy/apis/cluster.karmada.io/v1alpha1/clusters`
  const directly = member && files.memberKubeconfigs[member]
  const toMemberDirectly = directly ? `  kubectl --kubeconfig ${quoted(directly)} get nodes\n` : ''
  const toMember = member
    ? `
  # one of its member clusters, with the same token (admin@playground has rights there, and viewer@playground may read)
  kubectl --kubeconfig ${proxy} --server ${clusters}/${member}/proxy get nodes
`
    : ''
  return `
  # one Karmada control plane through Kairship, which reads from its index and writes to Karmada
  ${commandLine(shown)(`kubeconfig ${instance}`)} > ${proxy}
  kubectl --kubeconfig ${proxy} get clusters
${toMember}${member ? chaosHint(shown, member) : ''}
  # and directly
  kubectl --kubeconfig ${quoted(direct)} get clusters
${toMemberDirectly}`
}

/** Into a kubeconfig of its own, so that trying this changes nobody's own. */
function toLogin(shown: Shown, instance: string | undefined): string {
  const { files, issuer } = shown
  if (!issuer) return ''
  const login = quoted(join(files.folder, 'login.kubeconfig'))
  const kubectl = instance
    ? `
  kubectl --kubeconfig ${login} --context kairship-${instance} get clusters`
    : ''
  return `
  # log in as a person: as ada (Admin), emil (Editor), vera (Viewer) or nils (no role), with the password ${issuer.password}
  # (your browser does not know the authority of ${issuer.url}: let it go on, or use --device; role bindings and locks
  # name them playground:ada, and so on. Commands are theirs until "logout", and then admin@playground's again)
  ${commandLine(shown)(`login --kubeconfig ${login}`)}${kubectl}
`
}

const chaosHint = (shown: Shown, member: string): string => `
  # cut that member off, see what becomes of it, and heal it (more with --help)
  ${shown.program} playground chaos cut ${member}${filesFlag(shown)}
  ${shown.program} playground chaos heal ${member}${filesFlag(shown)}
`

const filesFlag = ({ files }: Shown): string =>
  files.folder === '.kairship' ? '' : ` --files ${quoted(files.folder)}`

/** A command of this program. Where its client config is looked for by itself, it need not be named. */
const commandLine =
  ({ program, files }: Shown) =>
  (command: string): string =>
    files.clientConfig === join('.kairship', 'client.yaml')
      ? `${program} ${command}`
      : `${program} ${command} --client-config ${quoted(files.clientConfig)}`

/** Why not everything is ready, one line an instance. */
export const notReady = (readiness: Readiness): string =>
  readiness.views
    .map(view => ({ name: view.name, why: whyNotReady(view) }))
    .filter(({ why }) => why !== undefined)
    .map(({ name, why }) => `${name} is ${why}`)
    .join('\n') || 'no instance was seen'

const clusters = ({ summary }: InstanceView): string =>
  summary ? `${summary.clusterSummary.readyNum}/${summary.clusterSummary.totalNum}` : '-'
