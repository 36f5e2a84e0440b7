import { beforeEach, describe, expect, it } from 'vitest'
import type { Replacement } from '../../../../http/rpc/instance/manifest.js'
import { replaceInstance } from '../../../../http/rpc/instance/replace.js'
import { INSTANCES } from '../../../../manifests/instance.js'
import { resourcePath } from '../../../../manifests/kube.js'
import type { KubeRequest } from '../../../../ports/kube-api.js'
import { instance } from '../../../machines/instance/facts.js'
import { refusal } from '../../fakes/host.js'

type Parts = Parameters<typeof replaceInstance>

/** So many writes are refused, because the Instance has changed since it was read. */
let refusals: number
let sent: KubeRequest[]
beforeEach(() => {
  refusals = 0
  sent = []
})

const replace = (more: Partial<Replacement>) => {
  const current = instance({ name: 'eu', uid: 'u1', resourceVersion: '7' })
  const parts = {
    host: {
      request: async (request: KubeRequest) => {
        sent.push(request)
        if (sent.length <= refusals) throw refusal(409, 'Conflict', 'the object has been modified')
        return request.body
      },
    },
    instances: { onHost: async () => current },
    ownWrites: { write: (_verb: string, _name: string, _call: unknown, send: () => unknown) => send() },
  } as unknown as Parts[0]
  const call = { signal: new AbortController().signal } as Parts[1]
  const replacement = { labels: {}, annotations: {}, spec: { alias: 'new' }, ...more } as Replacement
  return replaceInstance(parts, call, 'eu', replacement)
}

describe('an Instance that changes while it is replaced', () => {
  it.each([[{}], [{ uid: 'u1' }]])('is read again where no version is named: %j', async more => {
    refusals = 4
    expect(await replace(more)).toMatchObject({ spec: { alias: 'new' }, metadata: { uid: 'u1' } })
    expect(sent.map(({ method, path }) => [method, path])).toEqual(
      Array(5).fill(['PUT', resourcePath(INSTANCES, { name: 'eu' })]),
    )
  })

  it.each([
    ['the version that the caller names is not the newest', { resourceVersion: '6' }],
    ['it is another than the caller names', { uid: 'u0' }],
  ])('is left as it is where %s', async (_, more) => {
    refusals = 1
    await expect(replace(more)).rejects.toMatchObject({ code: 409 })
    expect(sent).toHaveLength(1)
  })

  it('is given up after five times', async () => {
    refusals = 5
    await expect(replace({})).rejects.toMatchObject({ code: 409 })
    expect(sent).toHaveLength(5)
  })
})
