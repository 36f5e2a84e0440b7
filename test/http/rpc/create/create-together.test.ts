import { describe, expect, it } from 'vitest'
import type { Call } from '../../../../http/call/call.js'
import type { ObjectKey, ObjectType } from '../../../../http/objects/object-type.js'
import type { ObjectCall, Objects, RemoveOptions, WriteOptions } from '../../../../http/objects/objects.js'
import { createTogether } from '../../../../http/rpc/create/create-together.js'
import type { KubeObject } from '../../../../manifests/kube.js'
import { bareStatus, StatusError } from '../../../../manifests/status-error.js'
import { UnreachableError } from '../../../../ports/kube-api.js'
import { silent } from '../../../silent.js'

const type: ObjectType = {
  group: '',
  version: 'v1',
  resource: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
}
const named = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default' },
})
const planned = (...names: string[]) =>
  names.map(name => ({ type, object: named(name), field: `data.${name}` }))
const refusal = (code: number, reason: string, message = reason) =>
  new StatusError({ ...bareStatus(code, message), reason })

/** An instance whose answers can be told to fail; the uid of an object is `uid-` and its name. */
function instanceWith(fails: {
  readonly dry?: Readonly<Record<string, Error>>
  readonly create?: Readonly<Record<string, Error>>
  readonly remove?: Readonly<Record<string, Error>>
}) {
  const seen: string[] = []
  const objects = {
    create: async (
      ...[, , , object, { dryRun = false } = {}]: [ObjectCall, object, ObjectType, KubeObject, WriteOptions?]
    ) => {
      const { name = 'generated' } = object.metadata as { name?: string }
      seen.push(`${dryRun ? 'try' : 'create'} ${name}`)
      const failure = (dryRun ? fails.dry : fails.create)?.[name]
      if (failure) throw failure
      return { ...object, metadata: { ...object.metadata, name, uid: `uid-${name}` } }
    },
    remove: async (
      ...[call, , , { name }, { uid = 'any' } = {}]: [
        ObjectCall,
        object,
        ObjectType,
        ObjectKey,
        RemoveOptions?,
      ]
    ) => {
      call.signal.throwIfAborted()
      seen.push(`remove ${name} ${uid}`)
      const failure = fails.remove?.[name]
      if (failure) throw failure
    },
  } as unknown as Objects
  return { objects, seen }
}
const call = (signal = new AbortController().signal) => ({ signal, log: silent }) as unknown as Call

describe('objects that are created together', () => {
  it('are all dry-run before the first is created, and returned in their order', async () => {
    const { objects, seen } = instanceWith({})
    const made = await createTogether(objects, call(), { instance: 'i' }, planned('a', 'b'))
    expect(seen).toEqual(['try a', 'try b', 'create a', 'create b'])
    expect(made.map(({ metadata }) => metadata.uid)).toEqual(['uid-a', 'uid-b'])
  })

  it('are not created when one of them would be refused', async () => {
    const { objects, seen } = instanceWith({ dry: { b: refusal(409, 'AlreadyExists') } })
    await expect(createTogether(objects, call(), { instance: 'i' }, planned('a', 'b'))).rejects.toThrow(
      'data.b: AlreadyExists',
    )
    expect(seen).toEqual(['try a', 'try b'])
  })

  it.each([
    ['belongs to one before it', refusal(404, 'NotFound')],
    [
      'meets a webhook that cannot be tried',
      refusal(400, 'BadRequest', 'admission webhook "w" does not support dry run'),
    ],
  ])('are created although one of them %s', async (_, failure) => {
    const { objects, seen } = instanceWith({ dry: { b: failure } })
    await createTogether(objects, call(), { instance: 'i' }, planned('a', 'b'))
    expect(seen.slice(2)).toEqual(['create a', 'create b'])
  })

  it('are rolled back in reverse order by their uids, except the refused one', async () => {
    const { objects, seen } = instanceWith({ create: { c: refusal(403, 'Forbidden', 'no c') } })
    const failure = await createTogether(objects, call(), { instance: 'i' }, planned('a', 'b', 'c')).catch(
      e => e,
    )
    expect(failure.message).toBe('data.c: no c')
    expect(seen.slice(-3)).toEqual(['create c', 'remove b uid-b', 'remove a uid-a'])
  })

  it.each([
    ['no answer', new UnreachableError('POST: connection reset', 'ECONNRESET')],
    ['an error of the server', refusal(500, 'InternalError')],
  ])('are rolled back by name when the outcome of the creation is unknown: %s', async (_, lost) => {
    const { objects, seen } = instanceWith({ create: { b: lost } })
    await createTogether(objects, call(), { instance: 'i' }, planned('a', 'b')).catch(() => undefined)
    expect(seen.slice(-2)).toEqual(['remove b any', 'remove a uid-a'])
  })

  it('are rolled back after the caller has disconnected, and when the last step fails', async () => {
    const { objects, seen } = instanceWith({})
    const caller = new AbortController()
    const last = async () => {
      caller.abort()
      throw refusal(500, 'InternalError', 'the last step')
    }
    const failure = await createTogether(
      objects,
      call(caller.signal),
      { instance: 'i' },
      planned('a'),
      last,
    ).catch(e => e)
    expect([failure.message, seen.at(-1)]).toEqual(['the last step', 'remove a uid-a'])
  })

  it('are named in the error when they cannot be rolled back, and the others are rolled back', async () => {
    const { objects, seen } = instanceWith({
      create: { c: refusal(403, 'Forbidden', 'no c') },
      remove: { b: refusal(403, 'Forbidden'), a: refusal(404, 'NotFound') },
    })
    const failure = await createTogether(objects, call(), { instance: 'i' }, planned('a', 'b', 'c')).catch(
      e => e,
    )
    expect(failure.message).toBe('data.c: no c. This is left of it: ConfigMap b')
    expect(seen.at(-1)).toBe('remove a uid-a')
  })

  it('with generated names are rolled back by the name they got', async () => {
    const { objects, seen } = instanceWith({ create: { z: refusal(403, 'Forbidden') } })
    const generated = {
      ...named('x'),
      metadata: { generateName: 'gen-', namespace: 'default' },
    } as unknown as KubeObject
    const both = [{ type, object: generated }, ...planned('z')]
    await createTogether(objects, call(), { instance: 'i' }, both).catch(() => undefined)
    expect(seen.at(-1)).toBe('remove generated uid-generated')
  })
})
