import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { KubeObject } from '../../../../manifests/kube.js'
import type { Follower } from '../../../../playground/apiserver/operations/follow.js'
import { type ApiServer, startApiServer } from '../../../../playground/apiserver/server.js'
import { type LocalConnection, localConnector } from '../../../../playground/client/local-connector.js'
import { keepWatching } from '../../../../streams/keep-watching.js'
import { listWatch } from '../../../../streams/list-watch.js'
import type { Seen } from '../../../../streams/seen.js'
import { eventually } from '../../eventually.js'

const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' }
const path = '/api/v1/namespaces/default/configmaps'

let server: ApiServer
beforeEach(async () => {
  server = await startApiServer({ name: 'followed', defaultAccounts: false })
})
afterEach(() => server.close())

const put = (name: string) => server.local.request({ method: 'POST', path, body: { metadata: { name } } })
const change = (name: string, data: object) =>
  server.local.request({
    method: 'PATCH',
    path: `${path}/${name}`,
    body: { data },
    contentType: 'application/merge-patch+json',
  })
const remove = (name: string) => server.local.request({ method: 'DELETE', path: `${path}/${name}` })

/** What was seen, in words; objects by what matters of them. */
const told = (seen: Seen<KubeObject>): string => {
  const one = ({ kind, metadata }: KubeObject) => `${kind} ${metadata.name} ${metadata.resourceVersion}`
  if (seen.type === 'listed') return `listed ${seen.objects.map(one).join(', ')}`
  if (seen.type === 'applied' || seen.type === 'deleted') return `${seen.type} ${one(seen.object)}`
  return seen.type === 'synced' ? `synced ${seen.cursor}` : seen.type
}
const nobody: Follower = { onSeen: () => undefined, onEnd: () => undefined }

describe('following a type from within the process', () => {
  it('emits the same as a list and its watch', async () => {
    await put('before')
    const [followed, watched]: string[][] = [[], []]
    const watching = keepWatching(listWatch(server.local, CONFIG_MAPS)).subscribe(seen =>
      watched?.push(told(seen)),
    )
    await eventually('the watch to have listed', () => watched?.some(one => one.startsWith('synced')))
    const stop = server.follow(CONFIG_MAPS, { ...nobody, onSeen: seen => followed?.push(told(seen)) })
    await put('a')
    await change('a', { key: 'value' })
    await remove('before')
    await eventually('the watch to tell of the deletion', () => watched?.at(-1)?.startsWith('deleted'))
    expect(followed).toEqual(watched)
    watching.unsubscribe()
    stop?.()
    await put('late')
    expect(followed).toEqual(watched)
  })

  it('fails for a type that is not served', () => {
    expect(server.follow({ group: 'x.io', version: 'v1', resource: 'things' }, nobody)).toBeUndefined()
  })

  it('ends when the server ends its watches', async () => {
    let ends = 0
    server.follow(CONFIG_MAPS, { ...nobody, onEnd: () => ends++ })
    server.interrupt({ kind: 'endWatches' })
    server.interrupt({ kind: 'endWatches' })
    expect(ends).toBe(1)
  })

  it('completes without an event when its connection is closed', async () => {
    const otherwise = { connect: () => Promise.reject(new Error('only servers of this process')) }
    const connector = localConnector(url => (url === server.url ? server : undefined), otherwise)
    const connection = (await connector.connect(
      await server.kubeconfig({ name: 'follower' }),
    )) as LocalConnection
    const seen: string[] = []
    let ends = 0
    connection.follow(CONFIG_MAPS, { onSeen: one => seen.push(told(one)), onEnd: () => ends++ })
    await put('a')
    const before = [...seen]
    await connection.close()
    await put('b')
    server.interrupt({ kind: 'endWatches' })
    expect({ seen, ends }).toEqual({ seen: before, ends: 0 })
    expect(connection.follow(CONFIG_MAPS, nobody)).toBeUndefined()
  })
})
