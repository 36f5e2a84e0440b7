import { bindingNameOf } from '../../../manifests/workspace.js'
import type { ImageRegistry } from '../../../ports/image-registry.js'
import type { Call } from '../../call/call.js'
import { failedPrecondition, invalidFields, notFound } from '../../errors/failure.js'
import type { Objects } from '../../objects/objects.js'
import { namespaces } from '../core/namespace.js'
import type { Workspaces } from '../workspace/workspaces.js'

/** What decides which registries a caller sees. */
export interface RegistryDependencies {
  readonly registries: readonly ImageRegistry[]
  readonly objects: Pick<Objects, 'get'>
  readonly workspaces: Pick<Workspaces, 'all' | 'bindings'>
}

/** Where images are to be used, and whose registries are wanted. */
interface Place {
  readonly instance: string
  readonly namespace: string
  /** An id; '' for any. */
  readonly workspaceId: string
}

/**
 * The registries that may be used in a namespace: those that all share, and those of the workspaces to which the namespace or its
 * instance belongs. The caller must see the namespace: a registry of a workspace is for those who work there.
 * @throws Failure FAILED_PRECONDITION NoRegistries where none are configured
 */
export async function visibleRegistries(
  { registries, objects, workspaces }: RegistryDependencies,
  call: Call,
  { instance, namespace, workspaceId }: Place,
): Promise<readonly ImageRegistry[]> {
  if (registries.length === 0)
    throw failedPrecondition('there are no image registries: set registriesFile to a file that lists some', {
      reason: 'NoRegistries',
    })
  if (!/^\d{0,10}$/.test(workspaceId))
    throw invalidFields([{ field: 'workspaceId', description: 'must be the id of a workspace, a number' }])
  await objects.get(call, { instance }, namespaces.type, { name: namespace })
  const isShared = (registry: ImageRegistry) => registry.workspaceId === undefined
  if (registries.every(isShared)) return registries
  const [all, bindings] = await Promise.all([workspaces.all(call.signal), workspaces.bindings(call.signal)])
  const bound = new Set([bindingNameOf({ instance }), bindingNameOf({ instance, namespace })])
  const names = new Set(
    bindings.filter(({ metadata }) => bound.has(metadata.name)).map(({ spec }) => spec.workspace),
  )
  const ids = new Set(all.filter(({ metadata }) => names.has(metadata.name)).map(({ spec }) => spec.id))
  return registries.filter(
    registry =>
      isShared(registry) ||
      (ids.has(registry.workspaceId as number) &&
        (workspaceId === '' || Number(workspaceId) === registry.workspaceId)),
  )
}

/** One of them. @throws Failure NOT_FOUND also for one that may not be used there */
export async function visibleRegistry(
  dependencies: RegistryDependencies,
  call: Call,
  place: Place & { readonly registry: string },
): Promise<ImageRegistry> {
  const found = (await visibleRegistries(dependencies, call, place)).find(
    ({ name }) => name === place.registry,
  )
  if (found) return found
  throw notFound(`there is no registry ${JSON.stringify(place.registry)} for namespace ${place.namespace}`, {
    reason: 'NotFound',
  })
}
