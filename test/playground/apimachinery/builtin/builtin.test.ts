import { describe, expect, it } from 'vitest'
import { builtinDefinitions } from '../../../../playground/apimachinery/builtin/builtin-definitions.js'
import {
  DEFAULTS,
  MEANT_EMPTY,
  QUANTITIES,
  VANISHING_ZEROS,
} from '../../../../playground/apimachinery/builtin/field-facts.js'
import { LIST_FACTS } from '../../../../playground/apimachinery/builtin/merge-facts.js'
import {
  modelNames,
  modelSchema,
  typeName,
} from '../../../../playground/apimachinery/builtin/model-schemas.js'
import { DecodeError, decode, strictProblem } from '../../../../playground/apimachinery/decode.js'
import type { JsonObject } from '../../../../playground/apimachinery/json.js'

const definitionOf = (kind: string) => builtinDefinitions.find(one => one.kind === kind)!
const read = (kind: string, object: JsonObject): JsonObject => decode(definitionOf(kind), object).object
const errors = (kind: string, object: JsonObject, old?: JsonObject): string[] =>
  (definitionOf(kind).strategy?.validate?.(read(kind, object), old && read(kind, old)) ?? []).map(
    ({ field, body }) => `${field}: ${body}`,
  )

const container = { name: 'web', image: 'nginx' }
const deployment = (spec: JsonObject = {}): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' }, creationTimestamp: null },
      spec: { containers: [container] },
    },
    ...spec,
  },
})

describe('the tables of facts', () => {
  it('name only types and fields that exist', () => {
    const fields = new Set(
      modelNames().flatMap(model =>
        Object.keys(modelSchema(model).properties ?? {}).map(field => `${typeName(model)}.${field}`),
      ),
    )
    const named = [
      ...Object.keys(LIST_FACTS),
      ...Object.keys(DEFAULTS),
      ...QUANTITIES,
      ...VANISHING_ZEROS,
      ...MEANT_EMPTY,
    ]
    expect(named.filter(name => !fields.has(name))).toEqual([])
  })

  it('give every kind a schema with metadata and no kind twice', () => {
    for (const { schema, kind } of builtinDefinitions) {
      if (!kind.endsWith('Review'))
        expect([kind, schema.properties?.metadata?.model]).toEqual([kind, 'V1ObjectMeta'])
    }
    const names = builtinDefinitions.map(({ group, plural }) => `${plural}.${group}`)
    expect(new Set(names).size).toBe(names.length)
  })
})

describe('a built-in object that is read', () => {
  it('gets the defaults users see', () => {
    expect(read('Deployment', deployment())).toEqual({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web' },
      spec: {
        replicas: 1,
        revisionHistoryLimit: 10,
        progressDeadlineSeconds: 600,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
        selector: { matchLabels: { app: 'web' } },
        template: {
          metadata: { labels: { app: 'web' } },
          spec: {
            containers: [
              {
                name: 'web',
                image: 'nginx',
                imagePullPolicy: 'Always',
                resources: {},
                terminationMessagePath: '/dev/termination-log',
                terminationMessagePolicy: 'File',
              },
            ],
            dnsPolicy: 'ClusterFirst',
            restartPolicy: 'Always',
            schedulerName: 'default-scheduler',
            securityContext: {},
            terminationGracePeriodSeconds: 30,
          },
        },
      },
      status: {},
    })
  })

  it('is the same when it is read again', () => {
    const once = read('Deployment', deployment())
    expect(read('Deployment', once)).toEqual(once)
  })

  it('loses empty values that say nothing, and keeps those that do', () => {
    const claim = read('PersistentVolumeClaim', {
      metadata: { name: 'a', labels: {} },
      spec: { storageClassName: '', volumeName: '', accessModes: [] },
    })
    expect(claim).toMatchObject({ metadata: { name: 'a' }, spec: { storageClassName: '' } })
    expect(Object.keys(claim.metadata as object)).toEqual(['name'])
    expect(Object.keys(claim.spec as object).sort()).toEqual(['resources', 'storageClassName', 'volumeMode'])
  })

  it.each([
    ['1000m', '1'],
    ['0.5', '500m'],
    ['1.5Gi', '1536Mi'],
    ['1024Mi', '1Gi'],
    ['100k', '100k'],
    ['1e3', '1e3'],
    ['0', '0'],
    [2, '2'],
  ])('spells the quantity %j as %j', (given, stored) => {
    const limits = { cpu: given }
    const pod = read('Pod', { spec: { containers: [{ ...container, resources: { limits } }] } })
    expect(pod).toMatchObject({
      spec: { containers: [{ resources: { limits: { cpu: stored }, requests: { cpu: stored } } }] },
    })
  })

  it('turns stringData into data', () => {
    const secret = read('Secret', { data: { a: 'eA==' }, stringData: { b: 'y' } })
    expect(secret).toEqual({ data: { a: 'eA==', b: 'eQ==' }, type: 'Opaque' })
  })

  it('spells the times of leases in microseconds and others in seconds', () => {
    const lease = read('Lease', {
      metadata: { creationTimestamp: '2026-01-01T00:00:00.9Z' },
      spec: { renewTime: '2026-01-01T01:00:00.120000+01:00' },
    })
    expect(lease).toEqual({
      metadata: { creationTimestamp: '2026-01-01T00:00:00Z' },
      spec: { renewTime: '2026-01-01T00:00:00.120000Z' },
    })
  })

  it('keeps whole schemas inside a CustomResourceDefinition', () => {
    const openAPIV3Schema = {
      type: 'object',
      properties: {
        a: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
        b: { 'x-kubernetes-int-or-string': true },
      },
      additionalProperties: { type: 'string' },
    }
    const crd = { spec: { names: { kind: 'A' }, versions: [{ name: 'v1', schema: { openAPIV3Schema } }] } }
    expect(read('CustomResourceDefinition', crd)).toMatchObject(crd)
  })

  it('names its unknown fields', () => {
    const { unknownFields } = decode(definitionOf('Deployment'), deployment({ replicass: 3 }))
    expect(strictProblem(unknownFields)).toBe('strict decoding error: unknown field "spec.replicass"')
  })

  it.each([
    [
      deployment({ replicas: 'three' }),
      'json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    [
      deployment({ replicas: 1.5 }),
      'json: cannot unmarshal number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    [
      deployment({ template: [] }),
      'json: cannot unmarshal array into Go struct field DeploymentSpec.spec.template of type v1.PodTemplateSpec',
    ],
    [
      deployment({ selector: { matchLabels: { a: 1 } } }),
      'json: cannot unmarshal number into Go struct field LabelSelector.spec.selector.matchLabels of type string',
    ],
    [
      { ...deployment(), metadata: { name: 'a', creationTimestamp: 'today' } },
      'parsing time "today" as "2006-01-02T15:04:05Z07:00": cannot parse "today" as "2006"',
    ],
  ])('is refused with 400 when a field has another type', (object, problem) => {
    expect(() => read('Deployment', object)).toThrow(
      new DecodeError(`Deployment in version "v1" cannot be handled as a Deployment: ${problem}`),
    )
  })
})

describe('a built-in object is refused', () => {
  const D = deployment()
  it.each<[string, string, JsonObject, JsonObject | undefined, string[]]>([
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

  it('but a pod may get another image', () => {
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

  it('gives a service an address and keeps it', () => {
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
