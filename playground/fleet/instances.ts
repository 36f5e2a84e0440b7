import { CLUSTERS, type Cluster } from '../../karmada/objects/cluster.js'
import { INSTANCES, type Instance } from '../../manifests/instance.js'
import type { KubeObject } from '../../manifests/kube.js'
import { equal, type Json } from '../apimachinery/json.js'
import type { ApiServer } from '../apiserver/server.js'
import { toBase64 } from '../client/kubeconfig.js'
import { ensure, read, update } from '../client/write.js'
import type { Karmada } from '../karmada/control-plane.js'
import { join } from '../karmada/join.js'
import type { Member } from '../member/member.js'
import type { Secret } from '../objects/core.js'
import { CLUSTER_ROLE_BINDINGS, SECRETS } from '../objects/core-types.js'
import { PEOPLE } from './host.js'

/** Where the Secrets with the instances' kubeconfigs live on the host. */
export const INSTANCE_NAMESPACE = 'karmada-instances'

/** Gives the playground's people their rights on a member, where their requests arrive under their own names. */
export async function grantPeopleOnMember({ server }: Member): Promise<void> {
  for (const [key, { name, memberRole }] of Object.entries(PEOPLE))
    await ensure(server.local, CLUSTER_ROLE_BINDINGS, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: `playground-${key}` },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: memberRole },
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name }],
    } as KubeObject)
}

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
