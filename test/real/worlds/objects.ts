import fc from 'fast-check'
import type { Step, World } from './world.js'

/** Templates of a world, in its namespace and without one, and what selects them. */

export const DEPLOYMENTS = 'apps/v1/deployments'
export const CONFIG_MAPS = 'v1/configmaps'
export const NAMESPACES = 'v1/namespaces'
export const CLUSTER_ROLES = 'rbac.authorization.k8s.io/v1/clusterroles'
export const DEFINITIONS = 'apiextensions.k8s.io/v1/customresourcedefinitions'

export const from = <T>(...values: readonly T[]) => fc.constantFrom(...values)

/** No odd numbers: Karmada breaks ties by the uid of the template, which is another on each side. */
export const deployments = ({ name: namespace }: World) =>
  fc.record({ name: from('web', 'api'), replicas: from(0, 2, 4, 8) }).map(
    ({ name, replicas }): Step => ({
      type: DEPLOYMENTS,
      part: 'spec',
      put: {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name, namespace, labels: { app: name } },
        spec: {
          replicas,
          selector: { matchLabels: { app: name } },
          template: {
            metadata: { labels: { app: name } },
            spec: {
              containers: [{ name: 'main', image: 'nginx:1.27', resources: { requests: { cpu: '10m' } } }],
            },
          },
        },
      },
    }),
  )

export const configMaps = ({ name: namespace }: World) =>
  from('a', 'b').map(
    (value): Step => ({
      type: CONFIG_MAPS,
      part: 'data',
      put: {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'settings', namespace, labels: { app: 'settings' } },
        data: { value },
      },
    }),
  )

/** Templates without a namespace; their names begin with the world's. */
export const clusterWide = ({ name }: World) =>
  fc.oneof(
    from('get', 'list').map(
      (verb): Step => ({
        type: CLUSTER_ROLES,
        part: 'rules',
        put: {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'ClusterRole',
          metadata: { name: `${name}-role`, labels: { app: 'role' } },
          rules: [{ apiGroups: [''], resources: ['pods'], verbs: [verb] }],
        },
      }),
    ),
    fc.constant<Step>({
      type: NAMESPACES,
      part: 'spec',
      put: {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: {
          name: `${name}-extra`,
          labels: { app: 'extra', 'namespace.karmada.io/skip-auto-propagation': 'true' },
        },
        spec: {},
      },
    }),
    fc.constant<Step>({
      type: DEFINITIONS,
      part: 'spec',
      put: definition(name),
    }),
  )

const definition = (world: string) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${world}things.example.io`, labels: { app: 'things' } },
  spec: {
    group: 'example.io',
    scope: 'Namespaced',
    names: {
      plural: `${world}things`,
      singular: `${world}thing`,
      kind: `T${world}`,
      listKind: `T${world}List`,
    },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
})

/** Selectors of objects in the world's namespace; policies without a namespace name it. */
export const namespacedSelectors = (world: World, named: boolean) => {
  const inside = named ? { namespace: world.name } : {}
  const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', ...inside }
  const configMap = { apiVersion: 'v1', kind: 'ConfigMap', ...inside, name: 'settings' }
  return from<readonly object[]>(
    [deployment],
    [{ ...deployment, name: 'web' }],
    [{ ...deployment, labelSelector: { matchLabels: { app: 'api' } } }],
    [{ ...deployment, name: 'api' }, configMap],
    [configMap],
  )
}

/** Selectors of a cluster-wide policy. */
export const anySelectors = (world: World) =>
  fc.oneof(
    namespacedSelectors(world, true),
    from<readonly object[]>(
      [{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', name: `${world.name}-role` }],
      [{ apiVersion: 'v1', kind: 'Namespace', name: `${world.name}-extra` }],
      [
        {
          apiVersion: 'apiextensions.k8s.io/v1',
          kind: 'CustomResourceDefinition',
          name: definition(world.name).metadata.name,
        },
        { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', name: `${world.name}-role` },
      ],
    ),
  )

/** Templates that go. */
export const templateDrops = ({ name }: World) =>
  from<Step>(
    { type: DEPLOYMENTS, drop: 'web', namespaced: true },
    { type: DEPLOYMENTS, drop: 'api', namespaced: true },
    { type: CONFIG_MAPS, drop: 'settings', namespaced: true },
    { type: CLUSTER_ROLES, drop: `${name}-role`, namespaced: false },
    { type: NAMESPACES, drop: `${name}-extra`, namespaced: false },
    { type: DEFINITIONS, drop: definition(name).metadata.name, namespaced: false },
  )
