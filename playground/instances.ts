import { INSTANCES, type Instance } from '../manifests/instance.js'
import { equal, type Json } from './apimachinery/json.js'
import type { ApiServer } from './apiserver/server.js'
import type { Secret } from './core.js'
import { SECRETS } from './core-types.js'
import { CLUSTERS, type Cluster } from './karmada/cluster.js'
import type { Karmada } from './karmada/control-plane.js'
import { join } from './karmada/join.js'
import { toBase64 } from './kubeconfig.js'
import type { Member } from './member/member.js'
import { ensure, read, update } from './write.js'

/** Where the Secrets with the instances' kubeconfigs live on the host. */
export const INSTANCE_NAMESPACE = 'karmada-instances'

/** Joins a member, or points its Cluster to where it listens now. */
export async function bringIn(karmada: Karmada, { name, server }: Member): Promise<void> {
  const control = karmada.server.local
  if (await read<Cluster>(control, CLUSTERS, { name })) {
    await update<Cluster>(control, CLUSTERS, { name }, cluster =>
      cluster.spec.apiEndpoint === server.url
        ? cluster
        : { ...cluster, spec: { ...cluster.spec, apiEndpoint: server.url } },
    )
    return
  }
  const region = karmada.name
  await join({ control, member: server.local, name, apiEndpoint: server.url, provider: 'playground', region })
}

/** Gives Kairship an instance to adopt: its kubeconfig in a Secret, and the Instance that names it. */
export async function register(host: ApiServer, { name, server }: Karmada): Promise<void> {
  const kubeconfig = await server.kubeconfig({ name: 'kairship', groups: ['system:masters'] })
  const secret: Secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: INSTANCE_NAMESPACE, name: `${name}-kubeconfig` },
    data: { kubeconfig: toBase64(kubeconfig) },
  }
  await ensure(host.local, SECRETS, secret)
  await update<Secret>(host.local, SECRETS, secret.metadata, current =>
    equal(current.data as Json, secret.data as Json) ? current : { ...current, data: secret.data ?? {} },
  )
  await ensure<Instance>(host.local, INSTANCES, {
    apiVersion: 'kairship.io/v1alpha1',
    kind: 'Instance',
    metadata: { name },
    spec: {
      alias: `Karmada ${name}`,
      kubeconfigSecretRef: { namespace: INSTANCE_NAMESPACE, name: secret.metadata.name },
    },
  })
}
