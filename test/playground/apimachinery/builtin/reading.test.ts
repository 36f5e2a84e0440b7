import { describe, expect, it } from 'vitest'
import { DecodeError, decode, strictProblem } from '../../../../playground/apimachinery/decode.js'
import { container, definitionOf, deployment, read } from './objects.js'

describe('decoding of a built-in object', () => {
  it('reads a null in a list as Go does: as the zero value of its items', () => {
    const { spec } = decode(definitionOf('Pod'), {
      ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', finalizers: [null] } },
      spec: { containers: [null, { ...container, args: ['a', null] }], volumes: [null] },
    } as never).object as never as {
      spec: { containers: { args?: string[]; name?: string }[]; volumes: object[] }
    }
    expect(spec.containers.map(({ name, args }) => [name, args])).toEqual([
      [undefined, undefined],
      ['web', ['a', '']],
    ])
    expect(spec.volumes).toHaveLength(1)
    expect(spec.volumes).not.toContain(null)
  })

  it('fills in defaults', () => {
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

  it('is idempotent', () => {
    const once = read('Deployment', deployment())
    expect(read('Deployment', once)).toEqual(once)
  })

  it('drops empty values where Go omits them, and keeps the others', () => {
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
  ])('normalizes the quantity %j to %j', (given, stored) => {
    const limits = { cpu: given }
    const pod = read('Pod', { spec: { containers: [{ ...container, resources: { limits } }] } })
    expect(pod).toMatchObject({
      spec: { containers: [{ resources: { limits: { cpu: stored }, requests: { cpu: stored } } }] },
    })
  })

  it('moves stringData into data', () => {
    const secret = read('Secret', { data: { a: 'eA==' }, stringData: { b: 'y' } })
    expect(secret).toEqual({ data: { a: 'eA==', b: 'eQ==' }, type: 'Opaque' })
  })

  it('formats times of leases in microseconds and others in seconds', () => {
    const lease = read('Lease', {
      metadata: { creationTimestamp: '2026-01-01T00:00:00.9Z' },
      spec: { renewTime: '2026-01-01T01:00:00.120000+01:00' },
    })
    expect(lease).toEqual({
      metadata: { creationTimestamp: '2026-01-01T00:00:00Z' },
      spec: { renewTime: '2026-01-01T00:00:00.120000Z' },
    })
  })

  it('keeps whole schemas in a CustomResourceDefinition', () => {
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

  it('reports unknown fields', () => {
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
  ])('refuses a field of the wrong type with 400', (object, problem) => {
    expect(() => read('Deployment', object)).toThrow(
      new DecodeError(`Deployment in version "v1" cannot be handled as a Deployment: ${problem}`),
    )
  })
})
