import { describe, expect, it } from 'vitest'
import { workName } from '../../../karmada/names.js'
import {
  claimedService,
  clustersOf,
  type MultiClusterService,
  providerWork,
  released,
  serviceBinding,
} from '../../../karmada/networking/multi-cluster-service.js'
import {
  type DerivedService,
  derivedService,
  type ServiceImport,
} from '../../../karmada/networking/service-import.js'
import {
  collectedWork,
  dispatchedWork,
  type EndpointSlice,
  importedSlice,
  isCollectedFor,
  isDispatchedFor,
  uncollected,
} from '../../../karmada/networking/slice-works.js'
import type { Work } from '../../../karmada/objects/work.js'
import type { KubeObject } from '../../../manifests/kube.js'

const slice: EndpointSlice = {
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: {
    ...{ namespace: 'shop', name: 'web-x7', uid: 'u', resourceVersion: '7' },
    labels: { 'kubernetes.io/service-name': 'web' },
  },
  addressType: 'IPv4',
  endpoints: [{ addresses: ['10.244.0.1'] }],
  ports: [{ port: 80 }],
}
const mcs: MultiClusterService = {
  apiVersion: 'networking.karmada.io/v1alpha1',
  kind: 'MultiClusterService',
  metadata: {
    ...{ namespace: 'shop', name: 'web' },
    labels: { 'multiclusterservice.karmada.io/permanent-id': '1' },
  },
  spec: { types: ['CrossCluster'] },
}
const service: KubeObject = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { namespace: 'shop', name: 'web', uid: 's', resourceVersion: '9' },
}
/** As Karmada's webhook leaves it. */
const stored = (work: Work): Work => ({
  ...work,
  metadata: { ...work.metadata, labels: { ...work.metadata.labels, 'work.karmada.io/permanent-id': 'w' } },
})

describe('the clusters of a MultiClusterService', () => {
  it.each([
    [undefined, ['a', 'b']],
    [[], ['a', 'b']],
    [
      [{ name: 'c' }, { name: 'a' }, { name: 'c' }],
      ['a', 'c'],
    ],
  ])('named as %j are %j', (named, wanted) => {
    expect(clustersOf(named, ['b', 'a'])).toEqual(wanted)
  })
})

describe('the Work of a collected EndpointSlice', () => {
  const name = workName('EndpointSlice', 'web-x7', 'shop')
  const forMcs = stored(collectedWork(slice, 'm1', 'MultiClusterService', undefined))
  const forBoth = stored(collectedWork(slice, 'm1', 'ServiceExport', forMcs))

  it('stays in the control plane, and says for what it was collected', () => {
    expect(forMcs).toMatchObject({
      metadata: {
        ...{ namespace: 'karmada-es-m1', name },
        labels: {
          'multiclusterservice.karmada.io/namespace': 'shop',
          'multiclusterservice.karmada.io/name': 'web',
          'endpointslice.karmada.io/managed-by': 'MultiClusterService',
        },
        finalizers: ['karmada.io/mcs-endpointslice-dispatch-controller'],
      },
      spec: { suspendDispatching: true },
    })
    expect(forBoth.metadata.labels).toMatchObject({
      'endpointslice.karmada.io/namespace': 'shop',
      'endpointslice.karmada.io/name': 'web',
      'endpointslice.karmada.io/managed-by': 'MultiClusterService.ServiceExport',
    })
  })

  it('is known to those that it was collected for', () => {
    expect(isCollectedFor(forMcs, 'MultiClusterService', service)).toBe(true)
    expect(isCollectedFor(forMcs, 'ServiceExport', service)).toBe(false)
    const other = { ...service, metadata: { ...service.metadata, name: 'api' } }
    expect(isCollectedFor(forMcs, 'MultiClusterService', other)).toBe(false)
  })

  it('goes when the last one gives it up', () => {
    expect(uncollected(forMcs, 'MultiClusterService')).toBeUndefined()
    const labels = { ...forMcs.metadata.labels, ...forBoth.metadata.labels }
    const left = uncollected({ ...forBoth, metadata: { ...forBoth.metadata, labels } }, 'MultiClusterService')
    expect(left?.metadata.labels?.['endpointslice.karmada.io/managed-by']).toBe('ServiceExport')
    expect(left?.metadata.labels?.['multiclusterservice.karmada.io/name']).toBeUndefined()
    expect(left?.metadata.finalizers).toEqual(['karmada.io/endpointslice-controller'])
  })

  it('is dispatched under its own name, as a slice that names its cluster', () => {
    const work = dispatchedWork(forMcs, mcs, 'm2', undefined) as Work
    expect(work).toMatchObject({
      metadata: {
        ...{ namespace: 'karmada-es-m2', name },
        annotations: { 'endpointslice.karmada.io/provision-cluster': 'm1' },
        finalizers: ['karmada.io/execution-controller'],
      },
      spec: {
        workload: {
          manifests: [
            {
              metadata: {
                ...{ namespace: 'shop', name: 'm1-web-x7' },
                labels: {
                  'kubernetes.io/service-name': 'web',
                  'endpointslice.kubernetes.io/managed-by': 'endpointslice-dispatch-controller.karmada.io',
                },
                annotations: { 'work.karmada.io/name': name, 'work.karmada.io/namespace': 'karmada-es-m2' },
              },
              endpoints: slice.endpoints,
            },
          ],
        },
      },
    })
    expect(work.spec.suspendDispatching).toBeUndefined()
    expect(isDispatchedFor(work, mcs)).toBe(true)
    expect(isDispatchedFor(forMcs, mcs)).toBe(false)
  })

  it('becomes a slice of the control plane for a ServiceExport', () => {
    expect(importedSlice(forBoth)).toMatchObject({
      metadata: {
        ...{ namespace: 'shop', name: 'imported-m1-web-x7' },
        labels: {
          'work.karmada.io/permanent-id': 'w',
          'kubernetes.io/service-name': 'derived-web',
          'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.karmada.io',
        },
        annotations: { 'work.karmada.io/namespace': 'karmada-es-m1', 'work.karmada.io/name': name },
      },
      endpoints: slice.endpoints,
    })
  })
})

describe('the Service of a MultiClusterService', () => {
  const policy = {
    labels: { app: 'web', 'propagationpolicy.karmada.io/permanent-id': '2' },
    annotations: {
      'propagationpolicy.karmada.io/name': 'p',
      'propagationpolicy.karmada.io/namespace': 'shop',
    },
  }
  const claimed = claimedService({ ...service, metadata: { ...service.metadata, ...policy } }, mcs)

  it('is taken from its policy, and given back without marks', () => {
    expect(claimed.metadata).toMatchObject({
      labels: {
        app: 'web',
        'resourcetemplate.karmada.io/claimed-by': 'MultiClusterService',
        'multiclusterservice.karmada.io/permanent-id': '1',
      },
    })
    expect(Object.keys(claimed.metadata.labels ?? {})).toHaveLength(3)
    expect(claimed.metadata.annotations).toEqual({
      'multiclusterservice.karmada.io/name': 'web',
      'multiclusterservice.karmada.io/namespace': 'shop',
    })
    expect(released(claimed).metadata.labels).toEqual({ app: 'web' })
  })

  it('has a binding to all clusters concerned, which loses its marks too', () => {
    const binding = serviceBinding(claimed, mcs, ['m1', 'm2'])
    expect(binding).toMatchObject({
      metadata: { namespace: 'shop', name: 'web-service' },
      spec: {
        placement: { clusterAffinity: { clusterNames: ['m1', 'm2'] } },
        conflictResolution: 'Overwrite',
        resource: { kind: 'Service', name: 'web', uid: 's' },
      },
    })
    const { labels, annotations } = released(binding).metadata
    expect([labels, annotations]).toEqual([{}, {}])
  })

  it('is announced in each cluster that provides it by a Work without a finalizer', () => {
    const work = providerWork({ ...mcs, status: { conditions: [] } }, 'm1', undefined)
    expect(work.metadata.finalizers).toEqual([])
    expect(work.spec.suspendDispatching).toBe(true)
    expect(work.spec.workload.manifests[0]).not.toHaveProperty('status')
  })
})

describe('the Service of a ServiceImport', () => {
  const imported = (type: string, ips?: readonly string[]): ServiceImport => ({
    apiVersion: 'multicluster.x-k8s.io/v1alpha1',
    kind: 'ServiceImport',
    metadata: { namespace: 'shop', name: 'web' },
    spec: { type, ports: [{ name: 'http', port: 80, protocol: 'TCP' }], ...(ips && { ips }) },
  })

  it.each<[string, ServiceImport, object | undefined]>([
    ['has its ports', imported('ClusterSetIP'), { loadBalancer: {} }],
    [
      'has its addresses',
      imported('ClusterSetIP', ['1.2.3.4']),
      { loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } },
    ],
    ['is not made for one of the type Headless', imported('Headless'), undefined],
  ])('%s', (_, one, status) => {
    const found = derivedService(one)
    expect(found?.status).toEqual(status)
    if (found)
      expect(found).toMatchObject({
        metadata: { name: 'derived-web' },
        spec: { type: 'ClusterIP', ports: [{ name: 'http', port: 80, protocol: 'TCP' }] },
      })
  })

  it('keeps the address that it has', () => {
    const present = {
      metadata: { resourceVersion: '3' },
      spec: { clusterIP: '10.96.0.9' },
    } as unknown as DerivedService
    expect(derivedService(imported('ClusterSetIP'), present)).toMatchObject({
      metadata: { resourceVersion: '3' },
      spec: { clusterIP: '10.96.0.9' },
    })
  })
})
