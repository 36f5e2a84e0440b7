import { create, type DescMessage, type MessageInitShape, toBinary, toJson } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { type KubeMessage, kubeMessage } from '../../../../http/rpc/kind/kube-message.js'
import { ServiceSpecSchema } from '../../../../proto/gen/kairship/core_pb.js'
import { PodTemplateSpecSchema, ProbeSchema } from '../../../../proto/gen/kairship/pod_pb.js'
import { ConditionSchema } from '../../../../proto/gen/kairship/types_pb.js'
import { podTemplate } from '../objects/pod-template.js'
import { unsetFields } from '../unset-fields.js'

const jsonOf = <S extends DescMessage>(schema: S, object: unknown) =>
  toJson(schema, created(schema, kubeMessage(schema, object))) as Record<string, unknown>
const created = <S extends DescMessage>(schema: S, fields: KubeMessage<S>) =>
  create(schema, fields as unknown as MessageInitShape<S>)

describe('a Kubernetes object in a message', () => {
  it('fills every field of a pod template, at any depth', () => {
    const message = created(PodTemplateSpecSchema, kubeMessage(PodTemplateSpecSchema, podTemplate))
    expect(unsetFields(PodTemplateSpecSchema, message)).toEqual([])
  })

  it('keeps the contract’s own spellings', () => {
    const { spec } = jsonOf(PodTemplateSpecSchema, podTemplate) as { spec: typeof podTemplate.spec }
    expect(spec.volumes[4]).toMatchObject({ downwardAPI: { DefaultMode: 420 } })
    expect(spec.containers[0]!.env[3]).toMatchObject({ valueFrom: { ConfigMapKeyRef: { key: 'color' } } })
    expect(spec.containers[0]!.lifecycle).toMatchObject({
      PostStart: { httpGet: { path: '/started', port: '8080' } },
      preStop: { TCPSocket: { port: 8080 } },
    })
  })

  it('has both forms of IntOrString as text, and a port as a number only where it is one', () => {
    expect(jsonOf(ProbeSchema, { httpGet: { port: 'http' } })).toEqual({ httpGet: { port: 'http' } })
    expect(jsonOf(ProbeSchema, { httpGet: { port: 8080 } })).toEqual({ httpGet: { port: '8080' } })
    expect(jsonOf(ProbeSchema, { tcpSocket: { port: 'http' } })).toEqual({ tcpSocket: {} })
    expect(jsonOf(ServiceSpecSchema, { ports: [{ port: 80, targetPort: 'http' }] })).toEqual({
      ports: [{ port: 80, targetPort: 'http' }],
    })
  })

  it('has quantities in whole units and times in milliseconds', () => {
    const { spec } = kubeMessage(PodTemplateSpecSchema, podTemplate)
    expect(spec?.volumes[1]?.emptyDir?.sizeLimit).toBe(1500n * 1024n * 1024n)
    const metadata = { name: 'web', creationTimestamp: '2026-11-20T10:00:00Z' }
    expect(kubeMessage(PodTemplateSpecSchema, { metadata }).metadata?.creationTimestamp).toBe(
      BigInt(Date.parse('2026-11-20T10:00:00Z')),
    )
  })

  it('gives a condition without an update time the time of its last probe or transition', () => {
    const times = { lastTransitionTime: '2026-01-01T00:00:00Z' }
    const at = (more: object) => kubeMessage(ConditionSchema, { ...times, ...more }).lastUpdateTime
    expect(at({ lastUpdateTime: '2026-01-03T00:00:00Z', lastProbeTime: '2026-01-02T00:00:00Z' })).toBe(
      '2026-01-03T00:00:00Z',
    )
    expect(at({ lastProbeTime: '2026-01-02T00:00:00Z' })).toBe('2026-01-02T00:00:00Z')
    expect(at({ lastProbeTime: null })).toBe('2026-01-01T00:00:00Z')
  })

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['text', 'spec'],
    ['a list', [1]],
    ['null in place of everything', { metadata: null, spec: null }],
    ['lists that are none', { spec: { volumes: 'x', containers: { name: 'x' } } }],
    ['items that are none', { spec: { volumes: [null, 3, 'x'], containers: [null] } }],
    [
      'wrong types in fields',
      {
        spec: {
          hostNetwork: 'yes',
          nodeName: {},
          tolerations: [{ tolerationSeconds: 1.5, key: false }],
          volumes: [{ name: [], emptyDir: { sizeLimit: 'much' }, secret: { defaultMode: 2 ** 31 } }],
        },
      },
    ],
  ])('omits a value of the wrong type: %s', (_, object) => {
    const message = created(PodTemplateSpecSchema, kubeMessage(PodTemplateSpecSchema, object))
    expect(() => toBinary(PodTemplateSpecSchema, message)).not.toThrow()
    expect(JSON.stringify(toJson(PodTemplateSpecSchema, message))).not.toMatch(/yes|much|1\.5|false/)
  })
})
