import { type EffectiveBinding, originOf } from '../../../manifests/effective-binding.js'
import type { AccessLink } from './link.js'

/**
 * Names the cause where the control plane refuses what a role binding gives, because the RBAC of the binding could not be made there: its
 * namespace does not exist yet, say. The status of a binding is about all of it, so it counts only where the verdict agrees.
 * @param question the instance, and the namespace that the request is about
 * @param given what the subject has
 */
export function withCauseInside(
  links: readonly AccessLink[],
  question: { readonly instance: string; readonly namespace: string },
  given: readonly EffectiveBinding[],
): readonly AccessLink[] {
  if (links.find(({ step }) => step === 'ControlPlane')?.state !== 'Missing') return links
  return links.map(link => {
    if (link.step !== 'Binding' || link.state !== 'Found') return link
    const [problem] = given
      .filter(binding => isGrantOf(link, binding))
      .flatMap(binding => problemsOf(binding, question))
    return problem === undefined ? link : { ...link, state: 'Missing', reason: 'NotInEffect', ...problem }
  })
}

const isGrantOf = ({ grants = [] }: AccessLink, { origin: { kind, object } }: EffectiveBinding): boolean =>
  grants.some(({ binding }) => binding?.kind === kind && binding.name === object.metadata.name)

function problemsOf(
  binding: EffectiveBinding,
  { instance, namespace }: { readonly instance: string; readonly namespace: string },
): readonly Pick<AccessLink, 'message' | 'fix' | 'quoted'>[] {
  const made = binding.origin.object.status?.conditions?.find(({ type }) => type === 'Materialized')
  if (made?.status !== 'False') return []
  // Of the namespaces that the binding names, that of the request is the one that matters here.
  const lacksNamespace = made.message.includes(`namespaces "${namespace}" not found`)
  return [
    {
      message: `${originOf(binding)} gives the role ${binding.spec.role}, and is not in effect inside: ${lacksNamespace ? `${instance} has no namespace ${namespace}` : made.message}`,
      ...(!lacksNamespace && { quoted: made.message }),
      fix: lacksNamespace
        ? `create the namespace ${namespace} in ${instance}: the role begins there a moment later`
        : 'mend what the binding’s condition Materialized says: it comes into effect by itself then',
    },
  ]
}
