import type { EffectiveBinding } from '../../../manifests/effective-binding.js'
import { isReservedNamespace } from '../../../manifests/reserved-namespaces.js'
import type { WorkspaceBinding } from '../../../manifests/workspace.js'
import { type KairshipQuestion, smallestRole } from './kairship-links.js'
import type { AccessLink } from './link.js'

/**
 * The link of a workspace to which belongs what is asked about, and in which the subject has no role; none where it belongs to none, and
 * where no role of Kairship would help.
 * @param belonging of the instance, and of namespaces of it
 * @param given what the subject has on the instance
 */
export function workspaceLinks(
  question: KairshipQuestion,
  belonging: readonly WorkspaceBinding[],
  given: Iterable<EffectiveBinding>,
): readonly AccessLink[] {
  const { subject, instance, inside } = question
  const namespace = inside && !('path' in inside) ? inside.namespace : ''
  const through = new Set(
    [...given].flatMap(({ origin }) =>
      origin.kind === 'WorkspaceRoleBinding' ? origin.object.spec.workspace : [],
    ),
  )
  const who = `${subject.user} or one of its groups`
  return belonging.flatMap(({ spec }): AccessLink[] => {
    const isWhole = spec.namespace === undefined
    const isAbout = isWhole || (spec.namespace === namespace && !isReservedNamespace(namespace))
    const role = smallestRole(question, isWhole ? 'instance' : 'namespaces')
    if (!isAbout || !role || through.has(spec.workspace)) return []
    const what = isWhole ? instance : `the namespace ${spec.namespace} of ${instance}`
    return [
      {
        ...{ step: 'Workspace', state: 'Missing', reason: 'NoWorkspaceRole' },
        message: `${what} belongs to the workspace ${spec.workspace}, in which no role binding names ${who}`,
        fix: `give ${who} the role ${role} in the workspace ${spec.workspace}, and so on all that belongs to it, by a WorkspaceRoleBinding; or on ${what} alone by an InstanceRoleBinding`,
      },
    ]
  })
}
