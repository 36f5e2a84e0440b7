import { filter, firstValueFrom, fromEvent, map, takeUntil } from 'rxjs'
import { INSTANCE_ROLE_BINDINGS, type InstanceRoleBinding } from '../../manifests/instance-role-binding.js'
import type { KubeApi } from '../../ports/kube-api.js'
import { keepWatching } from '../../streams/keep-watching.js'
import { listWatch } from '../../streams/list-watch.js'
import { ObjectStore } from '../../streams/object-store.js'
import { reflectInto } from '../../streams/reflect.js'
import { conditionOf } from '../objects/conditions.js'
import { GRANTS } from './names.js'

/**
 * Waits until the playground's users have their roles inside these instances. An instance is ready a moment before, and refuses
 * them until then.
 * @param host a connection to the host cluster
 * @param signal ends the waiting early
 * @returns whether they have them
 */
export async function granted(
  host: KubeApi,
  instances: readonly string[],
  signal: AbortSignal,
): Promise<boolean> {
  if (signal.aborted) return false
  const bindings = new ObjectStore<InstanceRoleBinding>()
  const isGranted = (instance: string): boolean =>
    [...bindings.values()].filter(binding => binding.spec.instance === instance && isInEffect(binding))
      .length >= GRANTS.length
  const all = keepWatching(listWatch<InstanceRoleBinding>(host, INSTANCE_ROLE_BINDINGS, {})).pipe(
    reflectInto(bindings),
    filter(() => instances.every(isGranted)),
    map(() => true),
    takeUntil(fromEvent(signal, 'abort')),
  )
  return firstValueFrom(all, { defaultValue: false })
}

const isInEffect = ({ status, metadata }: InstanceRoleBinding): boolean => {
  const condition = conditionOf(status?.conditions, 'Materialized')
  return condition?.status === 'True' && condition.observedGeneration === metadata.generation
}
