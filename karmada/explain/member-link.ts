import { isHealthy } from '../interpreter/health.js'
import type { Resource } from '../interpreter/workload.js'
import { MARKS } from '../objects/work.js'
import { broken, done, type Finding, type LinkedObject, linkTo, nameOf, waiting } from './link.js'
import type { Propagated } from './propagated.js'

/** Whether a member has the object, and whether it is healthy there. */
export function memberLink({ wanted, members }: Propagated, cluster: string): Finding {
  const found = members.get(cluster)
  if (!found || found.kind === 'unreadable')
    return {
      state: 'Unknown',
      reason: 'Unreadable',
      message: found ? `The member could not be asked: ${found.because}` : 'The member was not asked.',
      object: wanted,
      ...(found && { quoted: found.because }),
    }
  if (found.kind === 'missing')
    return broken(
      'MissingInMember',
      `Karmada applied it, and the cluster has no ${nameOf(wanted)} now: it was deleted there.`,
      'Karmada makes it again when it notices; change the template if it does not.',
      wanted,
    )
  return healthLink(found.object, wanted)
}

function healthLink(object: Resource, wanted: LinkedObject): Finding {
  const at = linkTo(object)
  const { labels = {}, deletionTimestamp } = object.metadata
  if (deletionTimestamp)
    return waiting('DeletingInMember', `${nameOf(at)} is being deleted in the cluster.`, at)
  if (labels[MARKS.managed.key] !== MARKS.managed.value)
    return broken(
      'NotManaged',
      `The cluster’s ${nameOf(wanted)} is not the one that Karmada made: it lacks the label ${MARKS.managed.key}.`,
      'See who removes the label there; Karmada leaves objects without it alone.',
      at,
    )
  const counted = readyText(object)
  if (isHealthy(object) === false)
    return waiting(
      'Unhealthy',
      `${nameOf(at)} is there and not healthy${counted ? `: ${counted}` : ''}.`,
      at,
      'See its pods and their events in the cluster.',
    )
  return done('Healthy', `${nameOf(at)} is there${counted ? `: ${counted}` : ''}.`, at)
}

/** `2 of 3 replicas are available`, where the kind counts replicas. */
function readyText({ spec, status }: Resource): string {
  const wanted = spec?.replicas
  if (typeof wanted !== 'number') return ''
  const { availableReplicas = 0 } = (status ?? {}) as { readonly availableReplicas?: number }
  return `${availableReplicas} of ${wanted} replicas are available`
}
