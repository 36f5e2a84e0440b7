import { FINALIZER } from '../../../machines/instance/facts.js'
import { INSTANCES, type Instance } from '../../../manifests/instance.js'
import type { InstanceRoleBinding } from '../../../manifests/instance-role-binding.js'
import { resourcePath } from '../../../manifests/kube.js'
import { isNotFound, StatusError } from '../../../manifests/status-error.js'
import { find } from '../../kube/apply.js'
import { fail } from '../../kube/failure.js'
import type { InstanceDependencies } from '../dependencies.js'
import { INSTANCE_NOT_FOUND, reportMaterialized } from './binding-status.js'
import { leaderEffect } from './leader-effect.js'

/**
 * The finalizer that keeps the CR until everything of the instance is gone. Both effects read the CR live and patch with a
 * `test`, so that they neither add it twice nor remove another's.
 */
export const addFinalizer = (dependencies: InstanceDependencies) =>
  leaderEffect(
    dependencies,
    { name: 'add the finalizer', stage: 'finalizer' },
    async ({ instance }, signal) => {
      const { api } = dependencies.host
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
    },
  )

export const removeFinalizer = (dependencies: InstanceDependencies) =>
  leaderEffect(
    dependencies,
    { name: 'remove the finalizer', stage: 'finalizer' },
    async ({ name, instance, leftBehind = [] }, signal) => {
      const { api, events, roleBindings } = dependencies.host
      const live = await find<Instance>(api, INSTANCES, instance.metadata, signal)
      if (!live || live.metadata.uid !== instance.metadata.uid) return 'gone'
      const index = live.metadata.finalizers?.indexOf(FINALIZER) ?? -1
      if (index < 0) return 'gone'
      for (const message of leftBehind)
        await events.record(live, { type: 'Warning', reason: 'LeftBehind', message }, signal)
      for (const { origin } of roleBindings.of(name))
        if (origin.kind === 'InstanceRoleBinding') await reportDeleted(dependencies, origin.object, signal)
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

/**
 * Nothing of the instance is in effect any more; its bindings must not claim otherwise. A status that cannot be written does
 * not keep the CR: the sweep for orphans writes it later.
 */
async function reportDeleted(
  { host: { api }, log }: InstanceDependencies,
  binding: InstanceRoleBinding,
  signal: AbortSignal,
): Promise<void> {
  try {
    await reportMaterialized(api, binding, INSTANCE_NOT_FOUND, signal)
  } catch (error) {
    signal.throwIfAborted()
    const { name } = binding.metadata
    log.warn(
      { binding: name, err: error },
      'an InstanceRoleBinding still claims to be in effect in an instance that is gone',
    )
  }
}

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
  api: InstanceDependencies['host']['api'],
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
