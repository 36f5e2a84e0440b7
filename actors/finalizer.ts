import { FINALIZER } from '../machines/facts.js'
import { INSTANCES, type Instance } from '../manifests/instance.js'
import { resourcePath } from '../manifests/kube.js'
import { isNotFound, StatusError } from '../manifests/status-error.js'
import { find } from './apply.js'
import { provided } from './effect.js'
import { fail } from './failure.js'
import type { Surroundings } from './surroundings.js'

/**
 * The finalizer that keeps the CR until everything of the instance is gone. Both effects read the CR live and patch with a
 * `test`, so that they neither add it twice nor remove another's.
 */
export const addFinalizer = (surroundings: Surroundings) =>
  provided(surroundings, { name: 'add the finalizer', stage: 'finalizer' }, async ({ instance }, signal) => {
    const { api } = surroundings.host
    const { uid, resourceVersion, finalizers } = instance.metadata
    if (finalizers?.includes(FINALIZER)) return 'held'
    const operations = [
      { op: 'test', path: '/metadata/uid', value: uid },
      { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion },
      finalizers?.length
        ? { op: 'add', path: '/metadata/finalizers/-', value: FINALIZER }
        : { op: 'add', path: '/metadata/finalizers', value: [FINALIZER] },
    ]
    await tested(instance, patch(api, instance, operations, signal))
    return 'held'
  })

export const removeFinalizer = (surroundings: Surroundings) =>
  provided(
    surroundings,
    { name: 'remove the finalizer', stage: 'finalizer' },
    async ({ instance }, signal) => {
      const { api } = surroundings.host
      const live = await find<Instance>(api, INSTANCES, instance.metadata, signal)
      if (!live || live.metadata.uid !== instance.metadata.uid) return 'gone'
      const index = live.metadata.finalizers?.indexOf(FINALIZER) ?? -1
      if (index < 0) return 'gone'
      const path = `/metadata/finalizers/${index}`
      try {
        await patch(
          api,
          live,
          [
            { op: 'test', path, value: FINALIZER },
            { op: 'remove', path },
          ],
          signal,
        )
      } catch (error) {
        if (!isNotFound(error)) throw error
      }
      return 'gone'
    },
  )

/** A `test` that does not hold comes back as 422 and means what a 409 means elsewhere: look again. */
async function tested({ metadata }: Instance, patched: Promise<unknown>): Promise<void> {
  try {
    await patched
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 422) throw error
    fail('Conflict', 'finalizer', `instance ${metadata.name} changed while its finalizers were being written`)
  }
}

const patch = (
  api: Surroundings['host']['api'],
  { metadata: { name } }: Instance,
  body: readonly object[],
  signal: AbortSignal,
): Promise<unknown> =>
  api.request({
    method: 'PATCH',
    path: resourcePath(INSTANCES, { name }),
    contentType: 'application/json-patch+json',
    body,
    signal,
  })
