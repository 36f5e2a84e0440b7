import fc from 'fast-check'
import type { Cluster } from '../../karmada/objects/cluster.js'
import type {
  OverrideOperator,
  OverridePolicy,
  Overriders,
  ResourceSelector,
} from '../../karmada/objects/override-policy.js'
import type { KubeObject } from '../../manifests/kube.js'

/** One object to override for one cluster. */
export interface OverrideScenario {
  readonly object: KubeObject & Readonly<Record<string, unknown>>
  readonly cluster: Cluster
  readonly clusterPolicies: readonly OverridePolicy[]
  readonly policies: readonly OverridePolicy[]
}

const operator = fc.constantFrom<OverrideOperator>('add', 'remove', 'replace')
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })
const few = <T>(arbitrary: fc.Arbitrary<T>) => optional(fc.array(arbitrary, { maxLength: 2 }))
/** Without the fields that are undefined, as JSON has it. */
const defined = <T extends object>(value: T): T => JSON.parse(JSON.stringify(value)) as T

const DIGEST = `sha256:${'0123456789abcdef'.repeat(4)}`
const image = fc.constantFrom(
  ...['nginx', 'nginx:1.27', 'library/nginx:1', 'registry.example.com:5000/team/web:v2', 'localhost/web'],
  ...[
    `ghcr.io/web@${DIGEST}`,
    `ghcr.io/web:v1@${DIGEST}`,
    'UPPER/case',
    'web:',
    '',
    `web@sha256:${'0'.repeat(40)}`,
  ],
  ...['team/sub_part/web__x', '10.0.0.1:5000/web', 'web.io', 'a//b'],
)
const words = fc.subarray(['run', '--fast', '--slow', 'run'])
const container = fc
  .record({ name: fc.constantFrom('web', 'side'), image, command: optional(words), args: optional(words) })
  .map(defined)
const text = fc.constantFrom('a', 'b', 'x/y', 'tier', '')
const labels = optional(fc.dictionary(fc.constantFrom('app', 'tier', 'example.com/part'), text))
const document = fc.constantFrom(
  ...[
    'port: 80\nhosts:\n  - a\n  - b\n',
    '{"port": 80, "hosts": ["a"]}',
    'plain words',
    '- 1\n- 2\n',
    'on: yes\nmode: 012\nquoted: "off"\nday: 2020-01-01\n',
    'key: [',
    '',
  ],
)

const metadata = fc.record({
  name: fc.constantFrom('web', 'api'),
  namespace: optional(fc.constantFrom('default', 'other')),
  labels,
  annotations: labels,
})
const podSpec = fc.record({ containers: fc.array(container, { maxLength: 3 }) })
const object = fc
  .oneof(
    fc.record({
      apiVersion: fc.constant('apps/v1'),
      kind: fc.constantFrom('Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet'),
      metadata,
      spec: fc.record({ replicas: fc.nat(3), template: fc.record({ spec: podSpec }) }),
    }),
    fc.record({ apiVersion: fc.constant('v1'), kind: fc.constant('Pod'), metadata, spec: podSpec }),
    fc.record({
      apiVersion: fc.constant('v1'),
      kind: fc.constant('ConfigMap'),
      metadata,
      data: fc.dictionary(fc.constantFrom('a', 'b/c'), document),
    }),
  )
  .map(defined) as fc.Arbitrary<OverrideScenario['object']>

const value = fc.constantFrom<unknown>(1, 'x', null, ['a'], { deep: true }, undefined)
const path = fc.constantFrom(
  ...[
    '/spec/replicas',
    '/spec/template/spec/containers/0/image',
    '/spec/containers/-',
    '/metadata/labels/app',
  ],
  ...['/metadata/labels/example.com~1part', '/data/a', '/gone/deep', '/spec/template/spec/containers/7', ''],
  ...['/spec/template/spec/containers/x', 'spec', '/metadata/annotations/a~0b'],
)
const edit = <K extends string>(key: K, paths: fc.Arbitrary<string>) =>
  fc.record({ [key]: paths, operator, value } as Record<K | 'operator' | 'value', fc.Arbitrary<never>>)

const overriders = fc
  .record({
    imageOverrider: few(
      fc.record({
        predicate: optional(
          fc.constantFrom({ path: '/spec/template/spec/containers/0/image' }, { path: '/spec/gone' }),
        ),
        component: fc.constantFrom('Registry', 'Repository', 'Tag'),
        operator,
        value: fc.constantFrom('mirror.example.com', '-fast', 'v9', DIGEST, '', 'not a tag'),
      }),
    ),
    commandOverrider: few(
      fc.record({ containerName: fc.constantFrom('web', 'gone'), operator, value: optional(words) }),
    ),
    argsOverrider: few(
      fc.record({ containerName: fc.constantFrom('web', 'side'), operator, value: optional(words) }),
    ),
    // Several keys in one overrider are taken in no order by Karmada, which matters to none of these operators.
    labelsOverrider: few(
      fc.record({ operator, value: fc.dictionary(fc.constantFrom('app', 'example.com/part'), text) }),
    ),
    annotationsOverrider: few(
      fc.record({ operator, value: fc.dictionary(fc.constantFrom('app', 'tier'), text) }),
    ),
    fieldOverrider: few(
      fc.oneof(
        fc.record({
          fieldPath: fc.constantFrom('/data/a', '/data/b~1c', '/metadata/name', '/spec/replicas'),
          yaml: fc.array(edit('subPath', fc.constantFrom('/port', '/hosts/0', '/gone/x', '/hosts/-')), {
            minLength: 1,
            maxLength: 2,
          }),
        }),
        fc.record({
          fieldPath: fc.constantFrom('/data/a', '/data/gone'),
          json: fc.array(edit('subPath', fc.constantFrom('/port', '/hosts/0', '/gone/x')), {
            minLength: 1,
            maxLength: 2,
          }),
        }),
      ),
    ),
    plaintext: few(edit('path', path)),
  })
  .map(defined) as unknown as fc.Arbitrary<Overriders>

const targetCluster = optional(
  fc.constantFrom(
    { clusterNames: ['member1'] },
    { clusterNames: ['member2'] },
    { labelSelector: { matchLabels: { tier: 'gold' } } },
  ),
)
const selector: fc.Arbitrary<ResourceSelector> = fc
  .record({
    type: fc.constantFrom(
      { apiVersion: 'apps/v1', kind: 'Deployment' },
      { apiVersion: 'v1', kind: 'ConfigMap' },
      { apiVersion: 'v1', kind: 'Pod' },
    ),
    namespace: optional(fc.constantFrom('default')),
    name: optional(fc.constantFrom('web', 'gone')),
    labelSelector: optional(fc.constantFrom({}, { matchLabels: { app: 'a' } })),
  })
  .map(({ type, ...rest }) => defined({ ...type, ...rest }) as ResourceSelector)

const spec = fc
  .record({
    resourceSelectors: fc.oneof(
      { weight: 2, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.array(selector, { maxLength: 2 }) },
    ),
    overrideRules: optional(
      fc.array(fc.record({ targetCluster, overriders }).map(defined), { maxLength: 2 }),
    ),
    targetCluster,
    overriders,
  })
  .map(defined)

const policies = (kind: string, namespaces: fc.Arbitrary<string | undefined>) =>
  fc
    .array(fc.record({ name: fc.constantFrom('a', 'b', 'c'), namespace: namespaces, spec }), { maxLength: 2 })
    .map(all =>
      all
        .filter(
          (one, at) =>
            all.findIndex(({ name, namespace }) => name === one.name && namespace === one.namespace) === at,
        )
        .map(({ name, namespace, spec }) =>
          defined({ apiVersion: 'policy.karmada.io/v1alpha1', kind, metadata: { name, namespace }, spec }),
        ),
    ) as fc.Arbitrary<readonly OverridePolicy[]>

/** Objects and policies of every kind, also some that cannot be applied. */
export const overrideScenarios: fc.Arbitrary<OverrideScenario> = fc.record({
  object,
  cluster: fc.constant<Cluster>({
    apiVersion: 'cluster.karmada.io/v1alpha1',
    kind: 'Cluster',
    metadata: { name: 'member1', labels: { tier: 'gold' } },
    spec: { syncMode: 'Push' },
  }),
  clusterPolicies: policies('ClusterOverridePolicy', fc.constant(undefined)),
  policies: policies('OverridePolicy', fc.constantFrom('default', 'other')),
})
