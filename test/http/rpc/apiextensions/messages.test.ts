import { create } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { customResourceMessage, overridesOf } from '../../../../http/rpc/apiextensions/custom-resource.js'
import { type Definition, definitionMessage } from '../../../../http/rpc/apiextensions/definition.js'
import { patchOfType } from '../../../../http/rpc/apiextensions/patch-custom-resource.js'
import { distributionOf } from '../../../../http/rpc/distribution/distribution.js'
import {
  CustomResourceDefinitionSchema,
  CustomResourceSchema,
  PatchCustomResourceRequest_PatchType as PatchKind,
  CustomResourceDefinitionSpec_ResourceScope as Scope,
} from '../../../../proto/gen/kairship/apiextensions_pb.js'
import { binding } from '../objects/binding.js'
import { unsetFields } from '../unset-fields.js'

const here = { instance: 'eu-west' }
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'boats.example.io' },
  spec: {
    group: 'example.io',
    scope: 'Cluster',
    names: {
      ...{ plural: 'boats', singular: 'boat', kind: 'Boat', listKind: 'BoatList' },
      ...{ shortNames: ['bt'], categories: ['all'] },
    },
    versions: [
      { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
      { name: 'v1beta1', served: false, storage: false, deprecated: true, deprecationWarning: 'use v1' },
    ],
  },
  status: {
    storedVersions: ['v1beta1', 'v1'],
    acceptedNames: { plural: 'boats', kind: 'Boat' },
    conditions: [
      {
        ...{ type: 'Established', status: 'True', reason: 'InitialNamesAccepted', message: 'accepted' },
        ...{ lastTransitionTime: '2026-11-20T10:00:00Z', observedGeneration: 2 },
      },
    ],
  },
} as unknown as Definition
const boat = {
  apiVersion: 'example.io/v1',
  kind: 'Boat',
  metadata: {
    ...{ name: 'jolly', namespace: 'shop', uid: 'u', resourceVersion: '7' },
    creationTimestamp: '2026-11-20T10:00:00Z',
    deletionTimestamp: '2026-11-20T11:00:00Z',
    labels: { tier: 'front', 'propagationpolicy.karmada.io/permanent-id': 'id' },
    annotations: {
      'propagationpolicy.karmada.io/namespace': 'shop',
      'propagationpolicy.karmada.io/name': 'boats',
    },
  },
}
const override = (name: string, namespace?: string, ...resourceSelectors: object[]) =>
  ({
    ...{ apiVersion: 'policy.karmada.io/v1alpha1', kind: 'OverridePolicy' },
    metadata: { name, ...(namespace && { namespace }) },
    spec: { resourceSelectors },
  }) as never
const boats = { apiVersion: 'example.io/v1', kind: 'Boat' }

describe('a CustomResourceDefinition message', () => {
  it('has names, versions, scope and conditions', () => {
    const message = create(CustomResourceDefinitionSchema, definitionMessage(definition, here))
    expect(unsetFields(CustomResourceDefinitionSchema, message)).toEqual([])
    expect(message).toMatchObject({
      spec: {
        group: 'example.io',
        scope: Scope.CLUSTER,
        names: { plural: 'boats', shortNames: ['bt'], categories: ['all'] },
        versions: [
          { name: 'v1', served: true, storage: true, deprecated: false },
          { name: 'v1beta1', served: false, deprecated: true, deprecationWarning: 'use v1' },
        ],
      },
      status: { storedVersions: ['v1beta1', 'v1'], conditions: [{ type: 'Established', status: 'True' }] },
    })
    const namespaced = { ...definition, spec: { ...definition.spec, scope: 'Namespaced' } } as Definition
    expect(definitionMessage(namespaced, here).spec?.scope).toBe(Scope.NAMESPACED)
  })
})

describe('a custom resource message', () => {
  const distribution = distributionOf(
    binding({ resource: { ...boats, namespace: 'shop', name: 'jolly' } }),
    undefined,
  )
  const message = (place: object, propagation?: Parameters<typeof customResourceMessage>[2]) =>
    create(CustomResourceSchema, customResourceMessage(boat, { ...here, ...place }, propagation))

  it('has its clusters and its policies', () => {
    const shown = message({}, { distribution, overrides: ['paint'] })
    expect(shown).toMatchObject({
      ...{ apiVersion: 'example.io/v1', kind: 'Boat', name: 'jolly', namespace: 'shop', cluster: '' },
      creationTimestamp: BigInt(Date.parse('2026-11-20T10:00:00Z')),
      deletionTimestamp: BigInt(Date.parse('2026-11-20T11:00:00Z')),
      clusters: [
        { name: 'a', applied: true },
        { name: 'b', applied: false },
      ],
      propagationpolicies: ['boats'],
      overridepolicies: ['paint'],
    })
  })

  it('of a member has no placement', () => {
    expect(message({ cluster: 'a' })).toMatchObject({
      ...{ cluster: 'a', uid: 'u', resourceVersion: '7' },
      ...{ clusters: [], propagationpolicies: [], overridepolicies: [] },
    })
  })
})

describe('the override policies of an object', () => {
  it.each([
    ['its name', [override('x', 'shop', { ...boats, name: 'jolly' })], ['x']],
    [
      'its labels',
      [override('x', 'shop', { ...boats, labelSelector: { matchLabels: { tier: 'front' } } })],
      ['x'],
    ],
    ['nothing in particular', [override('x', 'shop'), override('y')], ['x', 'y']],
    ['another namespace', [override('x', 'other')], []],
    ['another name', [override('x', 'shop', { ...boats, name: 'roger' })], []],
    ['another version', [override('x', undefined, { ...boats, apiVersion: 'example.io/v2' })], []],
    ['it twice, under one name', [override('x', 'shop'), override('x')], ['x']],
  ])('are those that select %s', (_, policies, names) => {
    expect(overridesOf(boat, policies)).toEqual(names)
  })
})

describe('a patch of a custom resource', () => {
  const type = { group: 'example.io', version: 'v1', resource: 'boats', kind: 'Boat', namespaced: true }
  const patch = (patchType: PatchKind, data: string) =>
    patchOfType({ patchType, data, namespace: 'shop', name: 'jolly' }, type)

  it.each([
    [PatchKind.UNSPECIFIED, '{"spec":{"a":null}}', 'application/merge-patch+json', { spec: { a: null } }],
    [PatchKind.MERGE, 'spec: {a: 1}', 'application/merge-patch+json', { spec: { a: 1 } }],
    [
      PatchKind.JSON,
      '[{"op":"remove","path":"/spec/a"}]',
      'application/json-patch+json',
      [{ op: 'remove', path: '/spec/a' }],
    ],
    [
      PatchKind.APPLY,
      'spec: {a: 1}',
      'application/apply-patch+yaml',
      {
        ...{ apiVersion: 'example.io/v1', kind: 'Boat', spec: { a: 1 } },
        metadata: { name: 'jolly', namespace: 'shop' },
      },
    ],
  ])('of type %s is parsed by its type', (patchType, data, contentType, body) => {
    expect(patch(patchType, data)).toEqual({ type: contentType, body })
  })

  it.each([
    [PatchKind.JSON, '{}', /^data: is no list of operations/],
    [PatchKind.MERGE, '[]', /^data: is not an object/],
    [PatchKind.APPLY, 'kind: Ship', /^data\.kind: is "Ship"/],
    [PatchKind.APPLY, 'metadata: {name: roger}', /^data\.metadata\.name/],
    [PatchKind.STRATEGIC_MERGE, '{}', /^patchType: .*use PATCH_TYPE_MERGE/],
    [9 as PatchKind, '{}', /^patchType: is 9/],
  ])('of type %s and %j is refused', (patchType, data, message) => {
    expect(() => patch(patchType, data)).toThrow(message)
  })
})
