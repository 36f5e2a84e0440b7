import fc from 'fast-check'
import type { ApiObject } from '../api-client.js'

/** One change of a history: an object that is created or changed, or one that is deleted. */
export type Step =
  | { readonly put: ApiObject; readonly type: string; readonly part: 'spec' | 'data' }
  | { readonly drop: string; readonly type: string }

export const DEPLOYMENTS = 'apps/v1/deployments'
export const CONFIG_MAPS = 'v1/configmaps'
export const POLICIES = 'policy.karmada.io/v1alpha1/propagationpolicies'
export const OVERRIDES = 'policy.karmada.io/v1alpha1/overridepolicies'

const from = <T>(...values: readonly T[]) => fc.constantFrom(...values)
const partly = (fields: Record<string, fc.Arbitrary<unknown>>) => fc.record(fields, { requiredKeys: [] })

const deployments = fc
  .record({
    name: from('web', 'api'),
    // No odd numbers, and weights of 1, 2 and 4: Karmada breaks ties by the uid of the template, which is another on each side.
    replicas: from(0, 2, 4, 8),
    image: from('nginx:1.27', 'nginx:1.28', 'registry.example/nginx'),
    configMap: fc.boolean(),
  })
  .map(
    ({ name, replicas, image, configMap }): Step => ({
      type: DEPLOYMENTS,
      part: 'spec',
      put: {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name, labels: { app: name } },
        spec: {
          replicas,
          selector: { matchLabels: { app: name } },
          template: {
            metadata: { labels: { app: name } },
            spec: {
              containers: [
                {
                  name: 'main',
                  image,
                  args: ['serve'],
                  resources: { requests: { cpu: '10m' } },
                  ...(configMap && { envFrom: [{ configMapRef: { name: 'settings' } }] }),
                },
              ],
            },
          },
        },
      },
    }),
  )

const configMaps = fc.record({ name: from('settings', 'extra'), value: from('a', 'b', '') }).map(
  ({ name, value }): Step => ({
    type: CONFIG_MAPS,
    part: 'data',
    put: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels: { app: name } }, data: { value } },
  }),
)

const affinity = (members: readonly string[]) =>
  partly({
    clusterNames: fc.subarray([...members], { minLength: 1 }),
    exclude: fc.subarray([...members], { maxLength: 1 }),
    labelSelector: from({ matchLabels: { tier: 'gold' } }, { matchLabels: { tier: 'tin' } }),
  })

const scheduling = (members: readonly string[]) =>
  fc.oneof(
    fc.constant(undefined),
    fc.constant({ replicaSchedulingType: 'Duplicated' }),
    fc
      .array(
        fc.record({
          targetCluster: fc.record({ clusterNames: fc.subarray([...members], { minLength: 1 }) }),
          weight: from(1, 2, 4),
        }),
        { minLength: 1, maxLength: 2 },
      )
      .map(staticWeightList => ({
        replicaSchedulingType: 'Divided',
        replicaDivisionPreference: 'Weighted',
        weightPreference: { staticWeightList },
      })),
    fc.constant({ replicaSchedulingType: 'Divided', replicaDivisionPreference: 'Weighted' }),
  )

// Both clusters or no constraint: which one of two is taken depends on their free capacity, which other histories change.
const spread = from<readonly object[] | undefined>(undefined, undefined, [
  { spreadByField: 'cluster', minGroups: 2, maxGroups: 2 },
])

const selectors = from<readonly object[]>(
  [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }],
  [{ apiVersion: 'apps/v1', kind: 'Deployment' }],
  [{ apiVersion: 'apps/v1', kind: 'Deployment', labelSelector: { matchLabels: { app: 'api' } } }],
  [
    { apiVersion: 'apps/v1', kind: 'Deployment', name: 'api' },
    { apiVersion: 'v1', kind: 'ConfigMap', name: 'settings' },
  ],
  [{ apiVersion: 'v1', kind: 'ConfigMap' }],
)

const policies = (members: readonly string[]) =>
  fc
    .record({
      name: from('first', 'second'),
      resourceSelectors: selectors,
      priority: from(0, 0, 3),
      propagateDeps: fc.boolean(),
      conflictResolution: from('Abort', 'Overwrite'),
      clusterAffinity: fc.option(affinity(members), { nil: undefined }),
      replicaScheduling: scheduling(members),
      spreadConstraints: spread,
      suspended: fc.nat(9),
    })
    .map(
      ({ name, clusterAffinity, replicaScheduling, spreadConstraints, suspended, ...spec }): Step => ({
        type: POLICIES,
        part: 'spec',
        put: {
          apiVersion: 'policy.karmada.io/v1alpha1',
          kind: 'PropagationPolicy',
          metadata: { name },
          spec: {
            ...spec,
            ...(suspended === 0 && { suspension: { dispatching: true } }),
            placement: {
              ...(clusterAffinity && { clusterAffinity }),
              ...(replicaScheduling && { replicaScheduling }),
              ...(spreadConstraints && { spreadConstraints }),
            },
          },
        },
      }),
    )

const overriders = from<object>(
  { imageOverrider: [{ component: 'Registry', operator: 'replace', value: 'mirror.example' }] },
  { imageOverrider: [{ component: 'Tag', operator: 'replace', value: '1.29' }] },
  { argsOverrider: [{ containerName: 'main', operator: 'add', value: ['--verbose'] }] },
  { labelsOverrider: [{ operator: 'add', value: { overridden: 'yes' } }] },
  { annotationsOverrider: [{ operator: 'add', value: { note: 'here' } }] },
  { plaintext: [{ path: '/metadata/labels/plain', operator: 'add', value: 'text' }] },
)

const overrides = (members: readonly string[]) =>
  fc
    .record({
      name: from('one', 'two'),
      resourceSelectors: selectors,
      rules: fc.array(
        fc.record({
          clusters: fc.option(fc.subarray([...members], { minLength: 1 }), { nil: undefined }),
          overriders,
        }),
        { minLength: 1, maxLength: 2 },
      ),
    })
    .map(
      ({ name, resourceSelectors, rules }): Step => ({
        type: OVERRIDES,
        part: 'spec',
        put: {
          apiVersion: 'policy.karmada.io/v1alpha1',
          kind: 'OverridePolicy',
          metadata: { name },
          spec: {
            resourceSelectors,
            overrideRules: rules.map(({ clusters, overriders }) => ({
              ...(clusters && { targetCluster: { clusterNames: clusters } }),
              overriders,
            })),
          },
        },
      }),
    )

const drops = fc.oneof(
  from('web', 'api').map((drop): Step => ({ type: DEPLOYMENTS, drop })),
  from('settings', 'extra').map((drop): Step => ({ type: CONFIG_MAPS, drop })),
  from('first', 'second').map((drop): Step => ({ type: POLICIES, drop })),
  from('one', 'two').map((drop): Step => ({ type: OVERRIDES, drop })),
)

/** Histories of one namespace: templates, policies and overrides that come, change and go. */
export const histories = (members: readonly string[]): fc.Arbitrary<readonly Step[]> =>
  fc
    .tuple(
      deployments,
      policies(members),
      fc.array(
        fc.oneof(
          { weight: 3, arbitrary: deployments },
          { weight: 1, arbitrary: configMaps },
          { weight: 4, arbitrary: policies(members) },
          { weight: 2, arbitrary: overrides(members) },
          { weight: 2, arbitrary: drops },
        ),
        { minLength: 1, maxLength: 5 },
      ),
      fc.boolean(),
    )
    .map(([template, policy, rest, policyFirst]) => [
      ...(policyFirst ? [policy, template] : [template, policy]),
      ...rest,
    ])
