import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { objectsOf } from '../../../http/objects/karmada-objects.js'
import type { ObjectType } from '../../../http/objects/object-type.js'
import { requestParts } from '../../../http/proxy/request-parts.js'
import { WriteLedger } from '../../../http/read-your-writes/ledger.js'
import { unmetered } from '../../silent.js'
import { aloneAnswers } from '../fakes/answers.js'
import { fakeLog } from '../fakes/log.js'
import { type PlaygroundProxy, startPlaygroundProxy } from '../proxy/playground-proxy.js'

const type: ObjectType = {
  ...{ group: '', version: 'v1', resource: 'configmaps', kind: 'ConfigMap', namespaced: true },
}
const path = '/api/v1/namespaces/default/configmaps'

let world: PlaygroundProxy
beforeAll(async () => {
  world = await startPlaygroundProxy()
})
afterAll(() => world?.close())

const control = () => world.playground.karmadas.get(world.instance)!.server
const found = (name: string) =>
  control().local.request<{ data?: object }>({ method: 'GET', path: `${path}/${name}` })

/** Writes as a person to an instance that says of so many of its next updates that another writer came first. */
async function contested(
  conflicts: number,
  work: (objects: ReturnType<typeof objectsOf>) => Promise<unknown>,
) {
  const now = () => performance.now()
  const common = {
    fleet: world.manager.fleet,
    log: fakeLog(),
    meter: unmetered,
    now,
    ledger: new WriteLedger(now),
  }
  let sent = 0
  const restore = control().interrupt({
    kind: 'answer',
    matches: ({ method }) => method === 'PUT' && ++sent <= conflicts,
    response: {
      code: 409,
      body: {
        object: {
          ...{ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code: 409 },
          ...{ message: 'the object has been modified', reason: 'Conflict' },
        },
      },
    },
  })
  try {
    await work(
      objectsOf({
        parts: requestParts({ ...common, limits: {} }),
        instances: { sameAsWritten: () => undefined },
      }),
    )
  } finally {
    restore()
  }
  return sent
}
const call = () => ({
  caller: { user: 'admin@playground', groups: ['system:authenticated'], extra: {} },
  ...{ signal: new AbortController().signal, answers: aloneAnswers(), answered: () => undefined },
})
const wanted = (name: string, metadata: object = {}) => ({
  ...{ apiVersion: 'v1', kind: 'ConfigMap', data: { a: 'new' } },
  metadata: { name, namespace: 'default', ...metadata },
})
const make = (name: string) =>
  control().local.request<{ metadata: { resourceVersion: string; uid: string } }>({
    ...{ method: 'POST', path, body: { metadata: { name }, data: { a: 'old' } } },
  })

describe('an update', () => {
  it('of no version replaces the newest object, and is made again five times at most while others write', async () => {
    await make('any')
    const update = (objects: ReturnType<typeof objectsOf>) =>
      objects.update(call(), { instance: world.instance }, type, wanted('any'))
    expect(await contested(4, update)).toBe(5)
    expect((await found('any')).data).toEqual({ a: 'new' })
    await expect(contested(5, update)).rejects.toMatchObject({ code: 409 })
  })

  it('of a version is sent once', async () => {
    const { metadata } = await make('pinned')
    const { resourceVersion } = metadata
    await expect(
      contested(1, objects =>
        objects.update(call(), { instance: world.instance }, type, wanted('pinned', { resourceVersion })),
      ),
    ).rejects.toMatchObject({ code: 409 })
    expect((await found('pinned')).data).toEqual({ a: 'old' })
  })
})

describe('a deletion', () => {
  it('is of the object with the uid and the version that it names, and of no other', async () => {
    const { metadata } = await make('precious')
    const remove = (options: object) =>
      contested(0, objects =>
        objects.remove(
          call(),
          { instance: world.instance },
          type,
          { namespace: 'default', name: 'precious' },
          options,
        ),
      )
    for (const options of [{ uid: 'another' }, { resourceVersion: '1' }])
      await expect(remove(options)).rejects.toMatchObject({ code: 409 })
    expect((await found('precious')).data).toEqual({ a: 'old' })
    await remove({ uid: metadata.uid, resourceVersion: metadata.resourceVersion })
    await expect(found('precious')).rejects.toMatchObject({ code: 404 })
  })
})
