import { describe, expect, it } from 'vitest'
import type { Call } from '../../../../../http/call/call.js'
import { deployments } from '../../../../../http/rpc/apps/deployment.js'
import { revisionId } from '../../../../../http/rpc/apps/revisions/revision.js'
import { listRevisions } from '../../../../../http/rpc/apps/revisions/revisions-of.js'
import { rollback } from '../../../../../http/rpc/apps/revisions/rollback.js'
import { recordingObjects } from '../../recording-objects.js'

const template = (image: string) => ({ spec: { containers: [{ name: 'main', image }] } })
const earlier = template('shop:1')
const present = template('shop:2')

/** A Deployment at its second template, whose first one a member remembers. */
const world = (first: object = earlier) =>
  recordingObjects(
    (_id, { kind }) =>
      kind === 'Deployment'
        ? { metadata: { uid: 'u', resourceVersion: '7' }, spec: { template: present } }
        : {
            spec: {
              resource: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'a', name: 'x' },
              clusters: [{ name: 'm1', replicas: 1 }],
            },
          },
    {
      clusters: [{ metadata: { name: 'm1' }, spec: { syncMode: 'Push' } }],
      replicasets: [first, present].map((one, index) => ({
        metadata: {
          name: `x-${index}`,
          annotations: { 'deployment.kubernetes.io/revision': String(index + 1) },
        },
        spec: { template: one },
      })),
    },
  )
const call = { signal: new AbortController().signal } as Call
const request = {
  ...{ instance: 'north', namespace: 'a', name: 'x', revision: revisionId(earlier) },
  ...{ resourceVersion: '', dryRun: false },
}
const replaced = { op: 'replace', path: '/spec/template', value: earlier }

describe('a list of revisions', () => {
  const listed = { instance: 'north', namespace: 'a', name: 'x' }

  it('has the whole template that a rollback would write, also fields that its message lacks', async () => {
    const hidden = { spec: { ...earlier.spec, serviceAccountName: 'admin', hostPID: true } }
    const { objects } = world(hidden)
    const { items = [] } = await listRevisions(objects, deployments.type)(listed, call)
    const found = items.find(({ images }) => images?.includes('shop:1'))
    expect(found?.template?.spec).not.toHaveProperty('serviceAccountName')
    expect(JSON.parse(found?.data ?? '')).toEqual(hidden)
    const writing = world(hidden)
    await rollback(writing.objects, deployments, { ...request, revision: found?.id ?? '' }, call)
    expect(writing.writes()).toMatchObject([{ patch: { body: [{ ...replaced, value: hidden }] } }])
  })

  it('names a member whose template cannot be compared, and shows the others', async () => {
    const nested = JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`)
    const { objects } = world({ spec: nested })
    const { items, unread } = await listRevisions(objects, deployments.type)(listed, call)
    expect([items, unread]).toEqual([[], [{ cluster: 'm1', message: expect.any(String) }]])
  })
})

describe('a rollback', () => {
  it('keeps what others change of the workload meanwhile, unless it names the version that it is of', async () => {
    const any = world()
    await rollback(any.objects, deployments, request, call)
    expect(any.writes()).toMatchObject([{ verb: 'patch', patch: { body: [replaced], dryRun: false } }])
    const pinned = world()
    await rollback(pinned.objects, deployments, { ...request, resourceVersion: '7', dryRun: true }, call)
    const precondition = { op: 'replace', path: '/metadata/resourceVersion', value: '7' }
    expect(pinned.writes()).toMatchObject([{ patch: { body: [precondition, replaced], dryRun: true } }])
  })

  it('of another version is ABORTED, and one to the present template writes nothing', async () => {
    const { objects, writes } = world()
    await expect(
      rollback(objects, deployments, { ...request, resourceVersion: '6' }, call),
    ).rejects.toMatchObject({ code: 10, details: { reason: 'Conflict' } })
    await rollback(objects, deployments, { ...request, revision: revisionId(present) }, call)
    expect(writes()).toEqual([])
  })
})
