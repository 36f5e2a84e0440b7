import { describe, expect, it } from 'vitest'
import type { Call } from '../../../../http/call/call.js'
import { readUsage } from '../../../../http/rpc/core/pod-usage.js'
import { podsOf } from '../../../../http/rpc/core/pods-of.js'
import type { KubeObject } from '../../../../manifests/kube.js'
import { bareStatus, StatusError } from '../../../../manifests/status-error.js'
import { recordingObjects } from '../recording-objects.js'

const call = {} as Call
const place = { instance: 'i', cluster: 'm' }
const ownedBy = (kind: string, name: string, uid: string) => ({
  ownerReferences: [{ apiVersion: 'apps/v1', kind, name, uid, controller: true }],
})
const pod = (owner: string, uid: string) =>
  ({ metadata: { name: 'p', namespace: 'a', ...ownedBy('ReplicaSet', owner, uid) } }) as unknown as KubeObject
const web = { kind: 'Deployment', metadata: { name: 'web', namespace: 'a', uid: 'web' } } as KubeObject

describe('the pods of a Deployment that are followed', () => {
  const belonging = () =>
    recordingObjects(
      (_id, _type, { name }) => {
        if (name === 'newer') return { metadata: { uid: 'newer', ...ownedBy('Deployment', 'web', 'web') } }
        if (name === 'other')
          return { metadata: { uid: 'other', ...ownedBy('Deployment', 'web', 'earlier') } }
        return undefined
      },
      {
        replicasets: [
          { metadata: { name: 'first', uid: 'first', ...ownedBy('Deployment', 'web', 'web') } },
          { metadata: { name: 'theirs', uid: 'theirs', ...ownedBy('Deployment', 'web', 'earlier') } },
        ],
      },
    )
  it.each([
    ['first', 'first', true],
    ['theirs', 'theirs', false],
    ['newer', 'newer', true],
    ['newer', 'one-of-the-same-name-before', false],
    ['other', 'other', false],
    ['gone', 'gone', false],
  ])('are those of its ReplicaSets by uid: %s %s %s', async (name, uid, isOne) => {
    const { where, learn } = await podsOf(belonging().objects, call, place, web)
    const one = pod(name, uid)
    await learn?.(one)
    expect(where(one)).toBe(isOne)
  })
})

describe('the usage of pods', () => {
  const usage = (error?: StatusError) => {
    const { objects } = recordingObjects(() => undefined, {
      pods: [{ metadata: { name: 'p', namespace: 'a' }, containers: [{ usage: { cpu: '1' } }] }],
    })
    const list = error ? () => Promise.reject(error) : objects.list
    return readUsage({ ...objects, list }, call, place, [pod('x', 'x')])
  }

  it('is that of their containers, and none where a member has no metrics or its metrics server is down', async () => {
    expect((await usage())(pod('x', 'x'))).toEqual([{ cpu: '1' }])
    for (const code of [403, 404, 503])
      expect((await usage(new StatusError(bareStatus(code, 'no'))))(pod('x', 'x'))).toBeUndefined()
    await expect(usage(new StatusError(bareStatus(500, 'broken')))).rejects.toThrow('broken')
  })
})
