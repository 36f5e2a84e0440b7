import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../../playground/apimachinery/json.js'
import { container, definitionOf, deployment, read } from './objects.js'

const errors = (kind: string, object: JsonObject, old?: JsonObject): string[] =>
  (definitionOf(kind).strategy?.validate?.(read(kind, object), old && read(kind, old)) ?? []).map(
    ({ field, body }) => `${field}: ${body}`,
  )

describe('validation of a built-in object refuses', () => {
  const D = deployment()
  it.each<[string, string, JsonObject, JsonObject | undefined, string[]]>([
    ...(
      [
        ['without a backend', {}, 'backend: Invalid value: "": resource or service backend is required'],
        [
          'with two backends',
          { service: { name: 'web' }, resource: { kind: 'Bucket', name: 'files' } },
          'backend: Invalid value: "": cannot set both resource and service backends',
        ],
        [
          'with a backend without a name',
          { service: { port: { number: 80 } } },
          'backend.service.name: Required value',
        ],
      ] as const
    ).map(([title, backend, error]): [string, string, JsonObject, undefined, string[]] => [
      title,
      'Ingress',
      { spec: { rules: [{ http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }] } },
      undefined,
      [`spec.rules[0].http.paths[0].${error}`],
    ]),
    [
      'without containers',
      'Deployment',
      deployment({ template: { metadata: { labels: { app: 'web' } }, spec: { containers: [] } } }),
      undefined,
      ['spec.template.spec.containers: Required value'],
    ],
    [
      'without a selector',
      'Deployment',
      deployment({ selector: null }),
      undefined,
      [
        'spec.selector: Required value',
        'spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`',
      ],
    ],
    [
      'when the selector misses the template',
      'Deployment',
      deployment({ selector: { matchLabels: { app: 'x' } } }),
      undefined,
      [
        'spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`',
      ],
    ],
    [
      'when the selector changes',
      'Deployment',
      deployment({
        selector: { matchLabels: { app: 'web' }, matchExpressions: [{ key: 'x', operator: 'DoesNotExist' }] },
      }),
      D,
      [
        'spec.selector: Invalid value: {"matchLabels":{"app":"web"},"matchExpressions":[{"key":"x","operator":"DoesNotExist"}]}: field is immutable',
      ],
    ],
    [
      'with negative replicas',
      'Deployment',
      deployment({ replicas: -1 }),
      undefined,
      ['spec.replicas: Invalid value: -1: must be greater than or equal to 0'],
    ],
    [
      'with a bad container',
      'Pod',
      { spec: { containers: [{ name: 'A', ports: [{ containerPort: 70000 }] }] } },
      undefined,
      [
        `spec.containers[0].name: Invalid value: "A": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
        'spec.containers[0].image: Required value',
        'spec.containers[0].ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive',
      ],
    ],
    [
      'with two containers of one name',
      'Pod',
      { spec: { containers: [container, container] } },
      undefined,
      ['spec.containers[1].name: Duplicate value: "web"'],
    ],
    [
      'with two ports of one name',
      'Pod',
      {
        spec: {
          containers: [
            {
              ...container,
              ports: [
                { containerPort: 80, name: 'p' },
                { containerPort: 81, name: 'p' },
              ],
            },
          ],
        },
      },
      undefined,
      ['spec.containers[0].ports[1].name: Duplicate value: "p"'],
    ],
    [
      'with a mount of no volume',
      'Pod',
      { spec: { containers: [{ ...container, volumeMounts: [{ name: 'x', mountPath: '/x' }] }] } },
      undefined,
      ['spec.containers[0].volumeMounts[0].name: Not found: "x"'],
    ],
    [
      'when it restarts a Job always',
      'Job',
      { spec: { template: { spec: { containers: [container] } } } },
      undefined,
      ['spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'],
    ],
    [
      'with a key that is no file name',
      'ConfigMap',
      { data: { 'a/b': '' } },
      undefined,
      [
        `data[a/b]: Invalid value: "a/b": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')`,
      ],
    ],
    [
      'with more than 1 MiB of data',
      'ConfigMap',
      { data: { a: 'x'.repeat(1_048_577) } },
      undefined,
      ['[]: Too long: may not be more than 1048576 bytes'],
    ],
    [
      'when immutable data changes',
      'ConfigMap',
      { data: { a: '2' }, immutable: true },
      { data: { a: '1' }, immutable: true },
      ['data: Forbidden: field is immutable when `immutable` is set'],
    ],
    [
      'when the type of a Secret changes',
      'Secret',
      { type: 'b' },
      { type: 'a' },
      ['type: Invalid value: "b": field is immutable'],
    ],
    [
      'without the keys of its type',
      'Secret',
      { type: 'kubernetes.io/tls', data: { 'tls.crt': '' } },
      undefined,
      ['data[tls.key]: Required value'],
    ],
    [
      'when a role reference changes',
      'RoleBinding',
      { roleRef: { kind: 'Role', name: 'b' } },
      { roleRef: { kind: 'Role', name: 'a' } },
      [
        'roleRef: Invalid value: {"kind":"Role","name":"b","apiGroup":"rbac.authorization.k8s.io"}: cannot change roleRef',
      ],
    ],
    [
      'with a rule without verbs',
      'ClusterRole',
      { rules: [{ apiGroups: [''], resources: ['pods'] }] },
      undefined,
      ['rules[0].verbs: Required value: verbs must contain at least one value'],
    ],
    [
      'without ports',
      'Service',
      { spec: { selector: { a: 'b' } } },
      undefined,
      ['spec.ports: Required value'],
    ],
    [
      'with a node port out of range',
      'Service',
      { spec: { type: 'NodePort', ports: [{ port: 80, protocol: 'TCP', nodePort: 80 }] } },
      undefined,
      [
        'spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. The range of valid ports is 30000-32767',
      ],
    ],
    [
      'with a lease that lasts no time',
      'Lease',
      { spec: { leaseDurationSeconds: 0 } },
      undefined,
      ['spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0'],
    ],
    [
      'with a bad schedule',
      'CronJob',
      {
        spec: {
          schedule: 'often',
          jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', containers: [container] } } } },
        },
      },
      undefined,
      ['spec.schedule: Invalid value: "often": expected exactly 5 fields, found 1: [often]'],
    ],
  ])('%s', (_title, kind, object, old, expected) => {
    expect(errors(kind, object, old)).toEqual(expected)
  })

  it('a volume without modes, capacity or source', () => {
    expect(errors('PersistentVolume', { spec: {} })).toEqual([
      'spec.accessModes: Required value',
      'spec.capacity: Required value',
      'spec.capacity: Unsupported value: null: supported values: "storage"',
      'spec: Required value: must specify a volume type',
    ])
    const spec = { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, hostPath: { path: '/a' } }
    expect(errors('PersistentVolume', { spec })).toEqual([])
  })

  it('changes of a claim, but for its first volume and class, and the size of a bound one', () => {
    const claim = (spec: JsonObject, phase = 'Pending'): JsonObject => ({
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
      status: { phase },
    })
    const larger = { resources: { requests: { storage: '2Gi' } } }
    const change = (to: JsonObject, from: JsonObject = {}, phase?: string) =>
      errors('PersistentVolumeClaim', claim(to, phase), claim(from, phase))
    const refused = [expect.stringMatching(/^spec: Forbidden: spec is immutable after creation/)]
    expect(change({ volumeName: 'a' })).toEqual([])
    expect(change({ volumeName: 'b' }, { volumeName: 'a' })).toEqual(refused)
    expect(change({ storageClassName: 'a' })).toEqual([])
    expect(change({ storageClassName: 'b' }, { storageClassName: 'a' })).toEqual(refused)
    expect(change(larger)).toEqual(refused)
    expect(change(larger, {}, 'Bound')).toEqual([])
    expect(errors('PersistentVolumeClaim', { spec: {} })).toEqual([
      'spec.accessModes: Required value: at least 1 access mode is required',
      'spec.resources[storage]: Required value',
    ])
  })

  it('a storage class without a provisioner, and changes of what it provides', () => {
    const before = { provisioner: 'a', parameters: { a: 'b' }, reclaimPolicy: 'Delete' }
    expect(errors('StorageClass', {})).toEqual(['provisioner: Required value'])
    expect(errors('StorageClass', before, before)).toEqual([])
    expect(
      errors('StorageClass', { provisioner: 'b', parameters: {}, reclaimPolicy: 'Retain' }, before),
    ).toEqual([
      'parameters: Forbidden: updates to parameters are forbidden.',
      'provisioner: Forbidden: updates to provisioner are forbidden.',
      'reclaimPolicy: Forbidden: updates to reclaimPolicy are forbidden.',
    ])
  })

  it('no change of a pod’s image', () => {
    const pod = { spec: { containers: [container] } }
    expect(errors('Pod', { spec: { containers: [{ ...container, image: 'nginx:latest' }] } }, pod)).toEqual(
      [],
    )
    expect(errors('Pod', { spec: { containers: [container], hostname: 'x' } }, pod)[0]).toMatch(
      /^spec: Forbidden: pod updates may not change fields other than/,
    )
  })
})

describe('a registry', () => {
  it('replaces the status a client sends on create, and keeps the stored one on update', () => {
    const { strategy } = definitionOf('Namespace')
    expect(strategy?.prepareForCreate?.({ metadata: { name: 'a' }, status: { phase: 'X' } })).toEqual({
      metadata: { name: 'a', labels: { 'kubernetes.io/metadata.name': 'a' } },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    })
    const kept = definitionOf('Deployment').strategy?.prepareForUpdate?.(
      { status: { replicas: 9 } },
      { status: { replicas: 1 } },
    )
    expect(kept).toEqual({ status: { replicas: 1 } })
  })

  it.each([0, '', undefined])('sends a port of a Service whose target is %j to the same port', targetPort => {
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web' },
      spec: { ports: [{ port: 42, ...(targetPort !== undefined && { targetPort }) }] },
    }
    expect(read('Service', service)).toMatchObject({ spec: { ports: [{ port: 42, targetPort: 42 }] } })
  })

  it('assigns a Service a cluster IP and keeps it', () => {
    const { strategy } = definitionOf('Service')
    const created = strategy?.prepareForCreate?.({
      metadata: { namespace: 'a', name: 'b' },
      spec: { type: 'NodePort', ports: [{ port: 80 }] },
    })
    const { clusterIP, ports } = created!.spec as unknown as {
      clusterIP: string
      ports: { nodePort: number }[]
    }
    expect(clusterIP).toMatch(/^10\.(9[6-9]|10\d|11[01])\./)
    expect(ports[0]!.nodePort).toBeGreaterThanOrEqual(30_000)
    const updated = strategy?.prepareForUpdate?.(
      { metadata: {}, spec: { type: 'NodePort', ports: [{ port: 80 }, { port: 81 }] } },
      created!,
    )
    expect(updated?.spec).toMatchObject({
      clusterIP,
      ports: [{ nodePort: ports[0]!.nodePort }, { port: 81 }],
    })
  })
})
