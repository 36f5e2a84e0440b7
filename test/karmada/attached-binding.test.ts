import { describe, expect, it } from 'vitest'
import { dependenciesOf } from '../../karmada/interpreter/dependencies.js'
import type { Resource } from '../../karmada/interpreter/workload.js'
import { bindingReferenceKey } from '../../karmada/names.js'
import type { Binding, FullBindingSpec } from '../../karmada/objects/resource-binding.js'
import {
  attached,
  attachedBinding,
  dependedByLabel,
  detached,
  disagreements,
  isAttachedTo,
  isNeededBy,
  MissingReferrerError,
  withDependencies,
} from '../../karmada/propagation/attached-binding.js'
import { ForeignBindingError } from '../../karmada/propagation/binding-of.js'

const template: Resource = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { namespace: 'default', name: 'web', uid: 'd1' },
  spec: { template: { spec: { volumes: [{ name: 'v', configMap: { name: 'settings' } }] } } },
}
const settings: Resource = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'default', name: 'settings', uid: 'c1', resourceVersion: '5' },
}
const owner = (name: string, spec: Partial<FullBindingSpec> = {}): Binding => ({
  apiVersion: 'work.karmada.io/v1alpha2',
  kind: 'ResourceBinding',
  metadata: {
    namespace: 'default',
    name,
    labels: { 'resourcebinding.karmada.io/permanent-id': `id-${name}` },
  },
  spec: {
    resource: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name },
    clusters: [{ name: 'm1', replicas: 2 }],
    placement: {},
    ...spec,
  },
})
const [web, shop] = [owner('web'), owner('shop', { conflictResolution: 'Overwrite' })]
const find = ({ name }: { readonly name: string }) => [web, shop].find(one => one.metadata.name === name)
const ofWeb = () => attachedBinding(web, settings, find)
const both = () => attached(ofWeb(), attachedBinding(shop, settings, find), find)

describe('a binding that is attached', () => {
  it('names its workload by the hash of the workload’s binding, and takes its clusters', () => {
    // Karmada's own function gives this key for default/web.
    expect(dependedByLabel(web)).toBe(
      `resourcebinding.karmada.io/depended-by-${bindingReferenceKey('default', 'web')}`,
    )
    expect(ofWeb()).toEqual({
      apiVersion: 'work.karmada.io/v1alpha2',
      kind: 'ResourceBinding',
      metadata: {
        name: 'settings-configmap',
        namespace: 'default',
        labels: { [dependedByLabel(web)]: 'id-web' },
        finalizers: ['karmada.io/binding-controller'],
        ownerReferences: [
          {
            apiVersion: 'v1',
            kind: 'ConfigMap',
            name: 'settings',
            uid: 'c1',
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      },
      spec: {
        resource: {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          namespace: 'default',
          name: 'settings',
          uid: 'c1',
          resourceVersion: '5',
        },
        requiredBy: [{ namespace: 'default', name: 'web', clusters: [{ name: 'm1', replicas: 2 }] }],
        conflictResolution: 'Abort',
        preserveResourcesOnDeletion: false,
      },
    })
  })

  it('follows the clusters of its workload', () => {
    const moved = owner('web', { clusters: [{ name: 'm2' }] })
    const next = attached(both(), attachedBinding(moved, settings, find), find)
    expect(next.spec.requiredBy).toEqual([
      { namespace: 'default', name: 'web', clusters: [{ name: 'm2' }] },
      { namespace: 'default', name: 'shop', clusters: [{ name: 'm1', replicas: 2 }] },
    ])
  })

  it('overwrites when one of several workloads overwrites, and reports that they disagree', () => {
    expect(both().spec.conflictResolution).toBe('Overwrite')
    expect(disagreements(both(), find)).toEqual(['ConflictResolution conflicted (Overwrite vs Abort)'])
    expect(disagreements(ofWeb(), find)).toEqual([])
  })

  it('keeps the placement of the policy that selected its object', () => {
    const own = {
      ...ofWeb(),
      spec: { ...ofWeb().spec, placement: {}, conflictResolution: 'Abort' },
    } as Binding
    const next = attached(own, attachedBinding(shop, settings, find), find)
    expect(next.spec.conflictResolution).toBe('Abort')
    expect(next.spec.requiredBy).toHaveLength(2)
  })

  it('keeps the other workload when one no longer needs it', () => {
    const left = detached(both(), shop, find)
    expect(isAttachedTo(left, shop)).toBe(false)
    expect(isAttachedTo(left, web)).toBe(true)
    expect(left.spec).toMatchObject({ requiredBy: [{ name: 'web' }], conflictResolution: 'Abort' })
  })

  it('stays without clusters when the last one no longer needs it', () => {
    const { spec, metadata } = detached(ofWeb(), web, find)
    expect(spec).toEqual({ resource: ofWeb().spec.resource })
    expect(metadata.labels).toEqual({})
  })

  it('does not take over the binding of an earlier object with the same name', () => {
    const another = attachedBinding(web, { ...settings, metadata: { ...settings.metadata, uid: 'c2' } }, find)
    expect(() => attached(ofWeb(), another, find)).toThrow(ForeignBindingError)
  })

  it('waits while a binding that it names does not exist', () => {
    expect(() => attached(both(), ofWeb(), () => undefined)).toThrow(MissingReferrerError)
  })
})

describe('a workload’s binding', () => {
  const noted = withDependencies(web, dependenciesOf(template))

  it('records the workload’s dependencies once, and keeps its finalizer until they are removed', () => {
    expect(noted.metadata.annotations).toEqual({
      'resourcebinding.karmada.io/dependencies':
        '[{"apiVersion":"v1","kind":"ConfigMap","namespace":"default","name":"settings"}]',
    })
    expect(noted.metadata.finalizers).toEqual(['karmada.io/binding-dependencies-distributor'])
    expect(withDependencies(noted, dependenciesOf(template))).toBe(noted)
  })

  it('records a workload without dependencies as Go encodes it', () => {
    const { annotations } = withDependencies(web, []).metadata
    expect(annotations).toEqual({ 'resourcebinding.karmada.io/dependencies': 'null' })
  })

  it.each([
    ['the object', settings, true],
    ['another name', { ...settings, metadata: { ...settings.metadata, name: 'x' } }, false],
    ['another namespace', { ...settings, metadata: { ...settings.metadata, namespace: 'x' } }, false],
    ['another kind', { ...settings, kind: 'Secret' }, false],
  ])('reports whether it needs a dependency: %s', (_, object, expected) => {
    expect(isNeededBy(object, noted)).toBe(expected)
  })

  it('names no dependency when its annotation cannot be parsed', () => {
    const annotations = { 'resourcebinding.karmada.io/dependencies': '{' }
    expect(isNeededBy(settings, { ...web, metadata: { ...web.metadata, annotations } })).toBe(false)
  })
})
