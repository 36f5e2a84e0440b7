import { warningsOf } from '../../manifests/wide-subjects.js'
import type { Fleet } from '../../ports/fleet.js'

/** Where roles can be given, as this replica sees it now. */
export interface RolePlaces {
  readonly hasInstance: (name: string) => boolean
  readonly hasWorkspace: (name: string) => boolean
}

/** The instances of the fleet, and the workspaces of the host. */
export const rolePlacesOf = (fleet: Pick<Fleet, 'get' | 'roleBindings'>): RolePlaces => ({
  hasInstance: name => fleet.get(name) !== undefined,
  hasWorkspace: name => fleet.roleBindings.workspaceOf(name).exists,
})

/** The parts of a role binding that warnings are about. */
interface Given {
  readonly instance?: string
  readonly workspace?: string
  readonly subjects: readonly { readonly kind: string; readonly name: string }[]
}

/**
 * What a role binding gives less or more than its author may mean: one sentence for a place that is not there, which may be misspelled or
 * come later, and those of `warningsOf`.
 */
export function roleWarnings(
  { instance, workspace, subjects }: Given,
  places: RolePlaces,
): readonly string[] {
  const missing =
    instance !== undefined && !places.hasInstance(instance)
      ? `instance ${instance}`
      : workspace !== undefined && !places.hasWorkspace(workspace)
        ? `workspace ${workspace}`
        : undefined
  return [
    ...(missing ? [`there is no ${missing}: the role gives nothing until there is one`] : []),
    ...warningsOf(subjects),
  ]
}
