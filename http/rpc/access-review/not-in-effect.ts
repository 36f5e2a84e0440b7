import { type EffectiveBinding, originOf } from '../../../manifests/effective-binding.js'
import type { AccessLink } from './link.js'

/**
 * Names the cause where the control plane refuses what a role binding gives, because the RBAC of the binding could not be made there: its
 * namespace does not exist yet, say. The status of a binding is about all of it, so it counts only where the verdict agrees.
 * @param given what the subject has
 */
export function withCauseInside(
  links: readonly AccessLink[],
  given: readonly EffectiveBinding[],
): readonly AccessLink[] {
  if (links.find(({ step }) => step === 'ControlPlane')?.state !== 'Missing') return links
  return links.map(link => {
    if (link.step !== 'Binding' || link.state !== 'Found') return link
    const [problem] = given.filter(binding => isGrantOf(link, binding)).flatMap(problemsOf)
    return problem === undefined
      ? link
      : {
          ...{ ...link, state: 'Missing', reason: 'NotInEffect', message: problem },
          fix: 'mend what the binding’s condition Materialized says: it comes into effect by itself then',
        }
  })
}

const isGrantOf = ({ grants = [] }: AccessLink, { origin: { kind, object } }: EffectiveBinding): boolean =>
  grants.some(({ binding }) => binding?.kind === kind && binding.name === object.metadata.name)

function problemsOf(binding: EffectiveBinding): readonly string[] {
  const made = binding.origin.object.status?.conditions?.find(({ type }) => type === 'Materialized')
  return made?.status === 'False'
    ? [
        `${originOf(binding)} gives the role ${binding.spec.role}, and is not in effect inside: ${made.message}`,
      ]
    : []
}
