import fc from 'fast-check'
import { few, metadata, one, some, words } from './arbitraries.js'
import type { Subject } from './subject.js'

const port = fc.record(
  {
    name: one('x', 'y', 'z'),
    port: one(80, 81),
    protocol: one('TCP', 'UDP'),
    targetPort: one<number | string>(80, 8080, 'web'),
    appProtocol: one('http', 'h2'),
  },
  { requiredKeys: ['port'] },
)

export const services: Subject = {
  kind: 'Service',
  apiVersion: 'v1',
  path: namespace => `/api/v1/namespaces/${namespace}/services`,
  least: { spec: { ports: [{ port: 80 }] } },
  opinion: some({
    metadata,
    spec: some({
      ports: few(port),
      selector: words,
      type: fc.constant('ClusterIP'),
      sessionAffinity: one('None', 'ClientIP'),
      sessionAffinityConfig: fc.constant({ clientIP: { timeoutSeconds: 5 } }),
      externalIPs: few(one('192.0.2.1', '192.0.2.2'), 2),
      publishNotReadyAddresses: fc.boolean(),
      internalTrafficPolicy: one('Cluster', 'Local'),
    }),
  }),
  status: some({
    conditions: few(
      fc.record({
        type: one('A', 'B'),
        status: one('True', 'False'),
        reason: one('R', 'S'),
        message: one('', 'm'),
        lastTransitionTime: fc.constant('2026-01-01T00:00:00Z'),
      }),
      2,
    ),
    loadBalancer: fc.constant({}),
  }),
  directives: fc.oneof(
    fc.constant({ spec: { ports: [{ $patch: 'delete', port: 80 }] } }),
    fc.constant({ spec: { ports: [{ $patch: 'replace' }, { port: 82 }] } }),
    fc.constant({ spec: { selector: { $patch: 'replace', c: '1' } } }),
    fc.constant({ spec: { $patch: 'merge', sessionAffinity: 'None' } }),
    fc.constant({
      spec: { '$setElementOrder/ports': [{ port: 81 }, { port: 80 }], ports: [{ port: 81, name: 'y' }] },
    }),
  ),
  pointers: ['/spec/ports/0/targetPort', '/spec/selector', '/spec/selector/a'],
}
