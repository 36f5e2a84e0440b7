import { objectsOf } from '../../../http/objects/karmada-objects.js'
import type { ObjectType } from '../../../http/objects/object-type.js'
import type { ObjectCall, Objects } from '../../../http/objects/objects.js'
import { requestParts } from '../../../http/proxy/request-parts.js'
import { WriteLedger } from '../../../http/read-your-writes/ledger.js'
import type { ObjectMeta } from '../../../manifests/kube.js'
import { unmetered } from '../../silent.js'
import { aloneAnswers } from '../fakes/answers.js'
import { fakeLog } from '../fakes/log.js'
import type { PlaygroundProxy } from '../proxy/playground-proxy.js'

/** The type that is listed. */
export const CONFIG_MAPS: ObjectType = {
  ...{ group: '', version: 'v1', resource: 'configmaps' },
  ...{ kind: 'ConfigMap', namespaced: true },
}

/** The namespaces of its objects: two of them sort differently as texts and as parts of a path. */
export const NAMESPACES = ['a', 'a-b', 'c']

/** A call of a user, alone with the memory for its answers. */
export const callOf = (
  user = 'admin@playground',
  answered: ObjectCall['answered'] = () => undefined,
): ObjectCall => ({
  caller: { user, groups: ['system:authenticated'], extra: {} },
  signal: new AbortController().signal,
  answers: aloneAnswers(),
  answered,
})

/** The objects of the world's fleet, with its index or as if there were none. */
export function objectsIn(world: PlaygroundProxy, { index = true } = {}): Objects {
  const { fleet } = world.manager
  const seen = index ? fleet : Object.create(fleet, { index: { value: () => undefined } })
  const now = () => performance.now()
  const options = { fleet: seen, log: fakeLog(), meter: unmetered, now, ledger: new WriteLedger(now) }
  return objectsOf({ parts: requestParts(options), instances: { sameAsWritten: () => undefined } })
}

/** Makes the namespaces of an instance, and in each its ConfigMaps. */
export async function createConfigMaps(
  world: PlaygroundProxy,
  instance: string,
  maps: readonly (Partial<ObjectMeta> & { readonly namespace: string })[],
): Promise<void> {
  const { local } = world.playground.karmadas.get(instance)!.server
  for (const name of NAMESPACES)
    await local.request({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name } } })
  for (const { namespace, ...metadata } of maps)
    await local.request({
      method: 'POST',
      path: `/api/v1/namespaces/${namespace}/configmaps`,
      body: { metadata },
    })
}
