/** The host cluster of `bench/proxy.ts`, in a process of its own: a playground, and the instances that the bench adopts. */
import { kubeConnector } from '../../actors/kube/connector.js'
import { INSTANCES, type Instance } from '../../manifests/instance.js'
import type { KubeObject } from '../../manifests/kube.js'
import { resourcePath } from '../../manifests/kube.js'
import { toBase64 } from '../../playground/client/kubeconfig.js'
import { ensure } from '../../playground/client/write.js'
import { startPlayground } from '../../playground/fleet/fleet.js'
import { INSTANCE_NAMESPACE } from '../../playground/fleet/instances.js'
import type { Karmada } from '../../playground/karmada/control-plane.js'
import { SECRETS } from '../../playground/objects/core-types.js'
import { silent } from '../../test/silent.js'

/** What the bench asks of this process: instances by name with their kubeconfigs, and objects in the playground's own. */
export interface HostRequest {
  readonly adopt: Readonly<Record<string, string>>
  /** ConfigMaps in the embedded instances, for lists, spread evenly; 0 starts none. */
  readonly configMaps: number
  /** How many embedded instances share them; 1 unless given. */
  readonly instances?: number
}

/** What it is told when all is there. */
export interface HostReady {
  readonly url: string
  /** PEM. */
  readonly certificateAuthority: string
  readonly kubeconfig: string
  readonly tokens: { readonly admin: string; readonly viewer: string }
  /** The first embedded instance's own API server, and a token for it; absent where none was started. */
  readonly embedded?: { readonly url: string; readonly certificateAuthority: string; readonly token: string }
}

/** The first of the playground's own instances, whose objects Container Management indexes. */
export const EMBEDDED_INSTANCE = 'eu-west'

/** Objects between two lines about them. */
const TOLD_AFTER = 10_000

async function serve({ adopt, configMaps, instances = 1 }: HostRequest): Promise<void> {
  const playground = await startPlayground({
    instances: configMaps > 0 ? instances : 0,
    membersPerInstance: 0,
    connector: kubeConnector(),
    log: silent,
  })
  const { local } = playground.host
  for (const [name, kubeconfig] of Object.entries(adopt)) {
    const at = { namespace: INSTANCE_NAMESPACE, name: `${name}-kubeconfig` }
    await ensure<KubeObject & { data: Record<string, string> }>(local, SECRETS, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: at,
      data: { kubeconfig: toBase64(kubeconfig) },
    })
    await ensure<Instance>(local, INSTANCES, {
      apiVersion: 'kairship.io/v1alpha1',
      kind: 'Instance',
      metadata: { name },
      spec: { kubeconfigSecretRef: at },
    })
  }
  const embedded = playground.karmadas.get(EMBEDDED_INSTANCE)?.server
  await writeConfigMaps([...playground.karmadas.values()], configMaps)
  const ready: HostReady = {
    url: playground.host.url,
    certificateAuthority: playground.host.certificateAuthority,
    kubeconfig: playground.kubeconfigs.admin,
    tokens: playground.tokens,
    ...(embedded && {
      embedded: {
        url: embedded.url,
        certificateAuthority: embedded.certificateAuthority,
        token: await embedded.issueToken({ name: 'bench', groups: ['system:masters'] }, 86_400),
      },
    }),
  }
  process.send?.(ready)
  process.once('disconnect', () => void playground.close())
}

/**
 * One after the other into each instance in turn, so that a list by name goes from instance to instance; one of seven has the label
 * `tier=t3`.
 */
async function writeConfigMaps(karmadas: readonly Karmada[], count: number): Promise<void> {
  const path = resourcePath({ group: '', version: 'v1', resource: 'configmaps' }, { namespace: 'default' })
  for (let index = 0; index < count; index++) {
    if (index > 0 && index % TOLD_AFTER === 0)
      process.stderr.write(`${index} of ${count} ConfigMaps are written\n`)
    const metadata = { name: `c-${String(index).padStart(5, '0')}`, labels: { tier: `t${index % 7}` } }
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { text: 'x'.repeat(800) } }
    await karmadas[index % karmadas.length]?.server.local.request({ method: 'POST', path, body })
  }
}

// Ctrl-C reaches every process of the terminal: this one ends when the bench, which still needs it, is done with it.
process.on('SIGINT', () => undefined)
if (process.send) process.once('message', request => void serve(request as HostRequest))
