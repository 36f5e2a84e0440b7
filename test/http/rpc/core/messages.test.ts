import { create, toJson } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { configMapMessage } from '../../../../http/rpc/core/config-map.js'
import { type Event, eventMessage, lastSeen } from '../../../../http/rpc/core/event.js'
import { namespaceMessage } from '../../../../http/rpc/core/namespace.js'
import { type Secret, secretMessage, withoutValues } from '../../../../http/rpc/core/secret.js'
import { type Service, selectsPods, serviceMessage } from '../../../../http/rpc/core/service.js'
import { distributionOf } from '../../../../http/rpc/distribution/distribution.js'
import {
  ConfigMapSchema,
  EventSchema,
  NamespaceSchema,
  SecretSchema,
  ServiceSchema,
} from '../../../../proto/gen/kairship/core_pb.js'
import { ClusterProvider } from '../../../../proto/gen/kairship/types_pb.js'
import { binding } from '../objects/binding.js'
import { unsetFields } from '../unset-fields.js'

const here = { instance: 'eu-west' }
const distribution = distributionOf(
  binding(),
  new Map(['a', 'b'].map(name => [name, { provider: ClusterProvider.AWS_EKS, reachable: true }])),
)
const metadata = { name: 'web', namespace: 'shop' }

describe('a ConfigMap message', () => {
  const configMap = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata,
    immutable: true,
    data: { color: 'blue', empty: '', 'file.txt': 'ä\n' },
    binaryData: { icon: Buffer.from([0, 255]).toString('base64') },
  }

  it('has every field of the contract', () => {
    const message = create(ConfigMapSchema, configMapMessage(configMap, here, distribution))
    expect(unsetFields(ConfigMapSchema, message)).toEqual([])
    expect(toJson(ConfigMapSchema, message)).toMatchObject({
      data: configMap.data,
      binaryData: configMap.binaryData,
      status: { clusters: [{ name: 'a', applied: true }, { name: 'b' }] },
    })
  })

  it('is complete without data', () => {
    const bare = { apiVersion: 'v1', kind: 'ConfigMap', metadata }
    expect(create(ConfigMapSchema, configMapMessage(bare, here))).toMatchObject({
      data: {},
      immutable: false,
    })
  })
})

describe('a Secret message', () => {
  const secret: Secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      ...metadata,
      labels: { app: 'web' },
      annotations: {
        note: 'kept',
        'kubectl.kubernetes.io/last-applied-configuration': '{"stringData":{"password":"c4n4ry"}}',
      },
    },
    type: 'Opaque',
    immutable: true,
    data: { password: Buffer.from('c4n4ry').toString('base64'), user: 'd2Vi' },
  } as Secret

  it('has its values in base64', () => {
    expect(create(SecretSchema, secretMessage(secret, here, distribution))).toMatchObject({
      metadata: { name: 'web' },
      type: 'Opaque',
      immutable: true,
      data: { password: 'YzRuNHJ5', user: 'd2Vi' },
      status: { clusters: [{ name: 'a' }, { name: 'b' }] },
    })
  })

  it('has only its keys in a list: no values, and no manifest with values', () => {
    const message = create(SecretSchema, secretMessage(withoutValues(secret), here))
    expect(message).toMatchObject({
      metadata: { labels: { app: 'web' }, annotations: { note: 'kept' } },
      type: 'Opaque',
      immutable: true,
      data: { password: '', user: '' },
    })
    expect(JSON.stringify(toJson(SecretSchema, message))).not.toMatch(/c4n4ry|YzRuNHJ5|d2Vi/)
  })

  it('has no plain values in a list', () => {
    const odd = { ...secret, stringData: { password: 'c4n4ry' } }
    expect(JSON.stringify(withoutValues(odd))).not.toContain('c4n4ry')
  })

  it('is complete without data', () => {
    const bare = { apiVersion: 'v1', kind: 'Secret', metadata }
    expect(create(SecretSchema, secretMessage(withoutValues(bare), here))).toMatchObject({ data: {} })
  })
})

describe('a Service message', () => {
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata,
    spec: {
      ports: [
        { name: 'http', protocol: 'TCP', appProtocol: 'http', port: 80, targetPort: 8080, nodePort: 30080 },
        { name: 'dns', protocol: 'UDP', port: 53, targetPort: 'dns' },
      ],
      selector: { app: 'web', tier: 'front' },
      clusterIP: '10.0.0.7',
      clusterIPs: ['10.0.0.7'],
      type: 'LoadBalancer',
      externalIPs: ['192.0.2.9'],
      sessionAffinity: 'None',
      loadBalancerIP: '192.0.2.8',
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
    },
    status: { loadBalancer: {} },
  } as Service

  it('has every field of the contract', () => {
    const blocked = distributionOf(
      binding(
        {},
        {
          aggregatedStatus: [
            { clusterName: 'a', applied: true, appliedMessage: 'x', status: { readyReplicas: 1 } },
          ],
        },
      ),
      new Map([['a', { provider: ClusterProvider.AWS_EKS, reachable: true }]]),
    )
    const message = create(ServiceSchema, serviceMessage(service, here, blocked))
    expect(unsetFields(ServiceSchema, message)).toEqual([])
    expect(toJson(ServiceSchema, message)).toMatchObject({
      spec: {
        type: 'LoadBalancer',
        clusterIP: '10.0.0.7',
        IPFamilies: ['IPv4'],
        ports: [{ targetPort: '8080' }, { targetPort: 'dns' }],
      },
    })
  })

  it.each([
    [{ app: 'web', tier: 'front', version: '2' }, true],
    [{ app: 'web' }, false],
    [{ app: 'web', tier: 'back' }, false],
  ])('selects pods with all labels of its selector: %j', (labels, selects) => {
    expect(selectsPods(service, labels)).toBe(selects)
  })

  it('selects no pods without a selector', () => {
    expect(selectsPods({ ...service, spec: { selector: {} } }, { app: 'web' })).toBe(false)
    expect(selectsPods({ ...service, spec: {} }, {})).toBe(false)
  })
})

describe('a Namespace message', () => {
  it.each([
    ['kube-system', true],
    ['karmada-system', true],
    ['karmada-cluster', true],
    ['karmada-es-eu-west-a', true],
    ['default', false],
    ['shop', false],
    ['karmada-shop', false],
  ])('marks %s as a system namespace: %j', (name, system) => {
    const namespace = {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    }
    const message = create(NamespaceSchema, namespaceMessage(namespace, here))
    expect(message).toMatchObject({ metadata: { name }, system, status: { phase: 'Active' } })
    expect(toJson(NamespaceSchema, message)).toMatchObject({ spec: { Finalizers: ['kubernetes'] } })
  })
})

describe('an Event message', () => {
  const counted: Event = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { ...metadata, creationTimestamp: '2026-11-20T09:00:00Z' },
    involvedObject: { kind: 'Deployment', name: 'web', namespace: 'shop' } as Event['involvedObject'] &
      object,
    reason: 'ApplyPolicySucceed',
    message: 'Apply policy(shop/web) succeed',
    source: { component: 'resource-detector', host: 'node-1' },
    firstTimestamp: '2026-11-20T10:00:00Z',
    lastTimestamp: '2026-11-20T11:00:00Z',
    count: 4,
    type: 'Normal',
  } as Event
  const series: Event = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { ...metadata, creationTimestamp: '2026-11-20T09:00:00Z' },
    type: 'Warning',
    firstTimestamp: null,
    lastTimestamp: null,
    eventTime: '2026-11-20T10:00:00.000001Z',
    series: { count: 9, lastObservedTime: '2026-11-20T12:00:00.000000Z' },
    source: {},
    reportingComponent: 'default-scheduler',
    reportingInstance: 'scheduler-0',
  }
  const at = (time: string) => BigInt(Date.parse(time))

  it('has every field of the contract', () => {
    const message = create(EventSchema, eventMessage(counted, { ...here, cluster: 'a' }))
    expect(unsetFields(EventSchema, message)).toEqual([])
    expect(message).toMatchObject({
      cluster: 'a',
      count: 4,
      firstTimestamp: at('2026-11-20T10:00:00Z'),
      lastTimestamp: at('2026-11-20T11:00:00Z'),
    })
  })

  it('supports the form with a series', () => {
    expect(create(EventSchema, eventMessage(series, here))).toMatchObject({
      cluster: '',
      count: 9,
      source: { component: 'default-scheduler', host: 'scheduler-0' },
      firstTimestamp: at('2026-11-20T10:00:00Z'),
      lastTimestamp: at('2026-11-20T12:00:00Z'),
    })
  })

  it('has the creation time where it has no other', () => {
    const { series: _, eventTime: __, ...bare } = series
    expect(lastSeen(bare)).toBe('2026-11-20T09:00:00Z')
    expect(eventMessage(bare, here)).toMatchObject({ count: 1, lastTimestamp: at('2026-11-20T09:00:00Z') })
  })
})
