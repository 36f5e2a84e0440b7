import { describe, expect, it } from 'vitest'
import { mutated } from '../../karmada/admission/mutate.js'
import type { Resource } from '../../karmada/interpreter/workload.js'
import { workName } from '../../karmada/names.js'
import type { OverridePolicy } from '../../karmada/objects/override-policy.js'
import type { Work } from '../../karmada/objects/work.js'
import { newBinding } from '../../karmada/propagation/binding-of.js'
import { updateInMember } from '../../karmada/propagation/in-member.js'
import { pruned } from '../../karmada/propagation/prune.js'
import { aggregated, fullyApplied } from '../../karmada/propagation/report.js'
import { workOf } from '../../karmada/propagation/work-of.js'
import { binding, cluster, none, policy, template, work } from './propagated-objects.js'

describe('a Work', () => {
  it('has one manifest with the replicas of its cluster, pruned and labelled', () => {
    const { metadata, spec } = work()
    expect(metadata).toMatchObject({
      name: workName('Deployment', 'nginx', 'default'),
      namespace: 'karmada-es-m1',
      labels: { 'resourcebinding.karmada.io/permanent-id': 'rb-1' },
      annotations: {
        'resourcebinding.karmada.io/namespace': 'default',
        'resourcebinding.karmada.io/name': 'nginx-deployment',
        'work.karmada.io/conflict-resolution': 'abort',
      },
      finalizers: ['karmada.io/execution-controller'],
    })
    const [manifest] = spec.workload.manifests
    expect(manifest?.spec?.replicas).toBe(3)
    expect(manifest?.status).toBeUndefined()
    expect(Object.keys(manifest?.metadata ?? {}).sort()).toEqual([
      'annotations',
      'labels',
      'name',
      'namespace',
    ])
    expect(manifest?.metadata.annotations).toMatchObject({
      note: 'x',
      'resourcetemplate.karmada.io/uid': 'u1',
      'resourcetemplate.karmada.io/generation': '3',
      'work.karmada.io/name': metadata.name,
      'work.karmada.io/namespace': 'karmada-es-m1',
    })
    expect(manifest?.metadata.annotations).not.toHaveProperty('deployment.kubernetes.io/revision')
  })

  it('does not change when it already has an id', () => {
    const stored = mutated(work(), () => 'w-1')
    expect(work(stored).spec).toEqual(stored.spec)
  })

  it.each([
    ['in proportion to its replicas', [3, 1], [6, 2]],
    ['not at all where no cluster has replicas', [0, 0], [8, 8]],
  ] as const)('divides a Job’s completions %s', (_, replicas, expected) => {
    const job: Resource = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { namespace: 'default', name: 'j', uid: 'u' },
      spec: { parallelism: 4, completions: 8 },
    }
    const made = newBinding(job, policy)
    const clusters = replicas.map((count, at) => ({ name: `m${at}`, replicas: count }))
    const one = { ...made, spec: { ...made.spec, clusters } }
    const specs = clusters.map(
      target => workOf(one, job, target, cluster(target.name), none).spec.workload.manifests[0]?.spec,
    )
    expect(specs.map(spec => [spec?.parallelism, spec?.completions])).toEqual(
      replicas.map((count, at) => [count, expected[at]]),
    )
  })

  it.each<[string, Resource, object]>([
    [
      'a Service loses its address',
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 's' },
        spec: { clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1'], type: 'ClusterIP' },
      },
      { spec: { type: 'ClusterIP' } },
    ],
    [
      'a headless Service stays headless',
      { apiVersion: 'v1', kind: 'Service', metadata: { name: 's' }, spec: { clusterIP: 'None' } },
      { spec: { clusterIP: 'None' } },
    ],
    [
      'of two tokens in a row, a ServiceAccount keeps the second as in Karmada',
      {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name: 'a' },
        secrets: [{ name: 'a-token-1' }, { name: 'a-token-2' }, { name: 'a-token-3' }, { name: 'own' }],
      } as Resource,
      { secrets: [{ name: 'a-token-2' }, { name: 'own' }] },
    ],
    [
      'a Job loses its life time',
      {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: { name: 'j' },
        spec: { ttlSecondsAfterFinished: 5, parallelism: 1 },
      },
      { spec: { parallelism: 1 } },
    ],
  ])('%s', (_, object, expected) => {
    expect(pruned(object)).toEqual({ ...object, ...expected })
  })
})

describe('labels that an override makes something else than texts', () => {
  const labelsWith = (value: unknown) => {
    const override = {
      apiVersion: 'policy.karmada.io/v1alpha1',
      kind: 'OverridePolicy',
      metadata: { namespace: 'default', name: 'o' },
      spec: {
        overrideRules: [
          {
            overriders: {
              plaintext: [{ path: '/metadata/labels', operator: 'add', value: { app: 'a', odd: value } }],
            },
          },
        ],
      },
    } as OverridePolicy
    const overrides = { clusterWide: [], namespaced: [override] }
    const made = workOf(binding(), template, { name: 'm1', replicas: 3 }, cluster('m1'), overrides)
    return made.spec.workload.manifests[0]?.metadata.labels
  }

  it('all go, except that null is an empty text', () => {
    expect(labelsWith('b')).toMatchObject({ app: 'a', odd: 'b', 'karmada.io/managed': 'true' })
    expect(labelsWith(null)).toMatchObject({ app: 'a', odd: '', 'karmada.io/managed': 'true' })
    expect(Object.keys(labelsWith(1) ?? {}).sort()).toEqual([
      'karmada.io/managed',
      'resourcebinding.karmada.io/permanent-id',
    ])
  })
})

describe('an object in a member', () => {
  const manifest = (): Resource => mutated(work(), () => 'w-1').spec.workload.manifests[0] as Resource

  it('keeps fields that controllers there added, and loses fields that the template lost', async () => {
    const was = manifest()
    const observed = {
      ...was,
      metadata: { ...was.metadata, resourceVersion: '9', labels: { ...was.metadata.labels, theirs: 'y' } },
      status: {},
    }
    expect(await updateInMember(was, observed, 'm1')).toBeUndefined()
    const { note: _, ...annotations } = was.metadata.annotations ?? {}
    const next = await updateInMember({ ...was, metadata: { ...was.metadata, annotations } }, observed, 'm1')
    expect(next?.metadata.annotations).not.toHaveProperty('note')
    expect(next?.metadata).toMatchObject({ resourceVersion: '9', labels: { theirs: 'y' } })
  })

  it('is not changed when Karmada did not create it', async () => {
    await expect(updateInMember(manifest(), template, 'm1')).rejects.toThrow(
      'Karmada will not manage this resource',
    )
  })
})

describe('the status of a binding', () => {
  const at = (name: string, status: 'True' | 'False', message = ''): Work => ({
    ...work(),
    metadata: { ...work().metadata, namespace: `karmada-es-${name}` },
    status: { conditions: [{ type: 'Applied', status, reason: 'r', message, lastTransitionTime: 't' }] },
  })

  it('is applied only when every target is applied', () => {
    const all = aggregated([at('m2', 'True'), at('m1', 'True')])
    expect(all.map(({ clusterName }) => clusterName)).toEqual(['m1', 'm2'])
    expect(fullyApplied(binding(), all).status).toBe('True')
    expect(fullyApplied(binding(), aggregated([at('m1', 'True')])).status).toBe('False')
    const failed = aggregated([at('m1', 'True'), at('m2', 'False', 'no')])
    expect(failed[1]).toEqual({ clusterName: 'm2', appliedMessage: 'no', health: 'Unknown' })
    expect(fullyApplied(binding(), failed).status).toBe('False')
  })
})
