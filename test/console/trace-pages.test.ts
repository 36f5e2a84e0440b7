import { create } from '@bufbuild/protobuf'
import { expect, it } from 'vitest'
import { pageOf } from '../../console/propagation/trace-pages.js'
import { ObjectReferenceSchema } from '../../proto/gen/kairship/placement_pb.js'

const [policy, work] = ['policy.karmada.io/v1alpha1', 'work.karmada.io/v1alpha2']

it.each([
  [policy, 'PropagationPolicy', 'shop', '/instances/eu/policies/propagationpolicies/shop/web'],
  [policy, 'ClusterPropagationPolicy', '', '/instances/eu/policies/clusterpropagationpolicies/-/web'],
  [
    work,
    'ResourceBinding',
    'shop',
    '/instances/eu/objects/resourcebindings.v1alpha2.work.karmada.io/shop/web',
  ],
  [
    work,
    'ClusterResourceBinding',
    '',
    '/instances/eu/objects/clusterresourcebindings.v1alpha2.work.karmada.io/-/web',
  ],
  [
    'work.karmada.io/v1alpha1',
    'Work',
    'karmada-es-a',
    '/instances/eu/objects/works.v1alpha1.work.karmada.io/karmada-es-a/web',
  ],
  // The page of the template is the one that the trace is on, and objects of members have none.
  ['apps/v1', 'Deployment', 'shop', undefined],
])('leads from a step of the trace to the page of %s %s', (apiVersion, kind, namespace, expected) => {
  const page = pageOf('eu', create(ObjectReferenceSchema, { apiVersion, kind, namespace, name: 'web' }))
  const path = page?.to.replace(/\$(\w+)/g, (_, name: string) => page.params[name] ?? '')
  expect(path).toBe(expected)
})

it('leads to no page where the step names no object', () => {
  const none = create(ObjectReferenceSchema, { apiVersion: policy, kind: 'PropagationPolicy' })
  expect(pageOf('eu', none)).toBeUndefined()
  expect(pageOf('eu', undefined)).toBeUndefined()
})
