import fc from 'fast-check'
import { few, metadata, one, some, words } from './arbitraries.js'
import type { Subject } from './subject.js'

const quantities = fc.dictionary(one('cpu', 'memory'), one('1', '1000m', '0.5', '1Gi', '1024Mi'), {
  maxKeys: 2,
})

const container = fc.record(
  {
    name: one('a', 'b', 'main'),
    image: one('example.test/x:1', 'example.test/x:2', 'example.test/x:latest'),
    env: few(some({ name: one('A', 'B'), value: one('1', '2', '') }).map(env => ({ name: 'C', ...env }))),
    ports: few(
      fc.record(
        { containerPort: one(80, 81), protocol: one('TCP', 'UDP'), name: one('x', 'y') },
        { requiredKeys: ['containerPort'] },
      ),
    ),
    resources: some({ limits: quantities }),
    volumeMounts: few(fc.record({ name: one('v', 'w'), mountPath: one('/v', '/w') }), 2),
    args: few(one('-x', '-y')),
    imagePullPolicy: one('Always', 'IfNotPresent'),
    securityContext: some({
      runAsUser: one(1, 2),
      capabilities: some({ add: few(one('NET_ADMIN', 'SYS_TIME'), 2) }),
    }),
    livenessProbe: fc.record({
      periodSeconds: one(5, 10),
      httpGet: fc.record({ path: one('/', '/z'), port: one<number | string>(80, 'x') }),
    }),
  },
  { requiredKeys: ['name'] },
)

const podSpec = some({
  containers: few(container, 2),
  initContainers: few(
    container.map(({ livenessProbe: _, ...rest }) => rest),
    1,
  ),
  volumes: few(
    fc.oneof(
      fc.record({ name: one('v', 'w'), emptyDir: fc.constant({}) }),
      fc.record({
        name: one('v', 'w'),
        configMap: some({ name: one('c', 'd'), defaultMode: one(420, 256) }),
      }),
    ),
    2,
  ),
  nodeSelector: words,
  tolerations: few(
    fc.record({
      key: one('k', 'l'),
      operator: one('Exists', 'Equal'),
      effect: one('NoSchedule'),
    }),
    2,
  ),
  imagePullSecrets: few(fc.record({ name: one('s', 't') }), 2),
  hostAliases: few(fc.record({ ip: one('10.0.0.1', '10.0.0.2'), hostnames: few(one('h', 'i')) }), 2),
  terminationGracePeriodSeconds: one(0, 30, 60),
  securityContext: some({ runAsUser: one(1, 2), supplementalGroups: few(one(1, 2), 2) }),
  topologySpreadConstraints: fc.uniqueArray(
    fc.record({
      maxSkew: one(1, 2),
      topologyKey: one('zone', 'node'),
      whenUnsatisfiable: one('DoNotSchedule'),
    }),
    { maxLength: 2, selector: ({ topologyKey }) => topologyKey },
  ),
})

export const deployments: Subject = {
  kind: 'Deployment',
  apiVersion: 'apps/v1',
  path: namespace => `/apis/apps/v1/namespaces/${namespace}/deployments`,
  least: {
    spec: {
      selector: { matchLabels: { app: 'x' } },
      template: {
        metadata: { labels: { app: 'x' } },
        spec: { containers: [{ name: 'main', image: 'example.test/x:1' }] },
      },
    },
  },
  opinion: some({
    metadata,
    spec: some({
      replicas: one(0, 1, 2),
      paused: fc.boolean(),
      minReadySeconds: one(0, 5),
      revisionHistoryLimit: one(2, 10),
      strategy: fc.oneof(
        fc.constant({ type: 'Recreate' }),
        some({
          type: fc.constant('RollingUpdate'),
          rollingUpdate: some({ maxSurge: one<number | string>(1, '25%', '50%'), maxUnavailable: one(0, 1) }),
        }),
      ),
      template: some({ metadata: some({ labels: words, annotations: words }), spec: podSpec }),
    }),
  }),
  status: some({
    replicas: one(0, 1),
    readyReplicas: one(0, 1),
    observedGeneration: one(1, 2),
    conditions: few(
      fc.record({
        type: one('Available', 'Progressing'),
        status: one('True', 'False'),
        reason: one('r', 's'),
        lastUpdateTime: fc.constant('2026-01-01T00:00:00Z'),
        lastTransitionTime: fc.constant('2026-01-01T00:00:00Z'),
      }),
      2,
    ),
  }),
  directives: fc.oneof(
    fc.constant({ spec: { template: { spec: { containers: [{ $patch: 'delete', name: 'a' }] } } } }),
    fc.constant({
      spec: {
        template: { spec: { containers: [{ $patch: 'replace' }, { name: 'z', image: 'example.test/z:1' }] } },
      },
    }),
    fc.constant({ spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } }),
    fc.constant({
      spec: {
        template: {
          spec: {
            '$setElementOrder/containers': [{ name: 'b' }, { name: 'main' }],
            containers: [{ name: 'b', image: 'example.test/x:2' }],
          },
        },
      },
    }),
    fc.constant({
      spec: {
        template: { spec: { volumes: [{ $retainKeys: ['name', 'emptyDir'], name: 'v', emptyDir: {} }] } },
      },
    }),
    fc.constant({
      spec: {
        template: {
          spec: { containers: [{ name: 'main', ports: [{ $patch: 'delete', containerPort: 80 }] }] },
        },
      },
    }),
    fc.constant({ spec: { template: { spec: { nodeSelector: { $patch: 'replace', z: '1' } } } } }),
  ),
  pointers: [
    '/spec/replicas',
    '/spec/template/spec/containers/0/image',
    '/spec/template/spec/containers/0/env',
    '/spec/template/spec/containers/0/ports/0',
    '/spec/template/spec/containers/-',
    '/spec/template/spec/tolerations',
    '/spec/strategy',
    '/metadata/labels/a',
  ],
}
