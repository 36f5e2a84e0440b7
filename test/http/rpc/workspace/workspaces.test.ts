import { describe, expect, it } from 'vitest'
import { Workspaces } from '../../../../http/rpc/workspace/workspaces.js'
import { bareStatus, StatusError } from '../../../../manifests/status-error.js'
import type { WorkspaceBinding } from '../../../../manifests/workspace.js'
import type { KubeRequest } from '../../../../ports/kube-api.js'

const { signal } = new AbortController()
const unused = () => {
  throw new Error('nothing is watched')
}
const refusal = (code: number, reason: string) => new StatusError({ ...bareStatus(code, reason), reason })
const binding = (workspace: string) =>
  ({
    metadata: { name: 'instance-north', uid: 'u' },
    spec: { instance: 'north', workspace },
  }) as WorkspaceBinding

/** A host with this binding, or none; a second one of its name is refused. */
function hostWith(stored: WorkspaceBinding | undefined) {
  const sent: KubeRequest[] = []
  const request = async (one: KubeRequest) => {
    sent.push(one)
    if (one.method === 'POST') throw refusal(409, 'AlreadyExists')
    if (one.method === 'GET' && !stored) throw refusal(404, 'NotFound')
    return stored as never
  }
  return { workspaces: new Workspaces({ request, watch: unused }), sent }
}

describe('a binding', () => {
  it('is released as the very one that was read', async () => {
    const { workspaces, sent } = hostWith(binding('shop'))
    await workspaces.release({ instance: 'north' }, 'shop', signal)
    expect(sent.at(-1)).toMatchObject({ method: 'DELETE', body: { preconditions: { uid: 'u' } } })
  })

  it.each([
    ['another workspace', binding('platform'), 'belongs to workspace platform, and not to shop'],
    ['none', undefined, 'belongs to no workspace, and not to shop'],
  ])('to %s is not released', async (_, stored, words) => {
    const { workspaces, sent } = hostWith(stored)
    await expect(workspaces.release({ instance: 'north' }, 'shop', signal)).rejects.toThrow(words)
    expect(sent.map(({ method }) => method)).toEqual(['GET'])
  })

  it.each([
    ['the same workspace is fine', binding('shop'), undefined],
    ['another one is refused', binding('platform'), { code: 9, details: { reason: 'Bound' } }],
    ['one that is gone by now is to be tried again', undefined, { code: 10 }],
  ])('that exists already: %s', async (_, stored, failure) => {
    const bound = hostWith(stored).workspaces.bind(binding('shop'), signal)
    await (failure ? expect(bound).rejects.toMatchObject(failure) : expect(bound).resolves.toBeUndefined())
  })
})
