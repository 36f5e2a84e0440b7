import type { AccessRequest, PolicyRule } from './policy-rule.js'
import type { RbacBinding } from './rbac-objects.js'
import { subjectText } from './subject.js'
import type { NearMiss, RbacGrant } from './walk.js'

/** `get deployments.apps/scale "web" in the namespace shop`, as sentences name a request. */
export function requestText(request: AccessRequest): string {
  if ('path' in request) return `${request.verb} ${request.path}`
  const { verb, group, resource, subresource, namespace, name } = request
  const type = `${resource}${group === '' ? '' : `.${group}`}${subresource === '' ? '' : `/${subresource}`}`
  const what = name === '' ? type : `${type} ${JSON.stringify(name)}`
  return `${verb} ${what}${namespace === '' ? '' : ` in the namespace ${namespace}`}`
}

/** `RoleBinding "shop/editors"`. */
export const bindingText = ({ kind, metadata: { namespace, name } }: RbacBinding): string =>
  `${kind} ${JSON.stringify(namespace ? `${namespace}/${name}` : name)}`

/** `ClusterRole "edit"`. */
export const roleText = ({ roleRef: { kind, name } }: Pick<RbacBinding, 'roleRef'>): string =>
  `${kind} ${JSON.stringify(name)}`

/** One sentence for a binding that includes a request. */
export function grantText({ binding, subject, rule, aggregatedFrom }: RbacGrant): string {
  const aggregated = aggregatedFrom ? ` (aggregated from ClusterRole ${JSON.stringify(aggregatedFrom)})` : ''
  return `${bindingText(binding)} gives ${subjectText(subject)} the ${roleText(binding)}${aggregated}, whose rule is ${ruleText(rule)}`
}

/** `verbs get, list on deployments of apps`. */
export function ruleText({
  verbs = [],
  apiGroups = [],
  resources = [],
  resourceNames = [],
  nonResourceURLs = [],
}: PolicyRule): string {
  const on =
    nonResourceURLs.length > 0
      ? `paths ${listed(nonResourceURLs)}`
      : `${listed(resources)} of ${listed(apiGroups, group => (group === '' ? 'the core group' : plain(group)))}`
  return `${listed(verbs)} on ${on}${resourceNames.length > 0 ? ` named ${listed(resourceNames)}` : ''}`
}

/** One sentence for a binding that means the identity and does not include the request. */
export function missText({ binding, subject, lacks }: NearMiss): string {
  const gives = `${bindingText(binding)} gives ${subjectText(subject)} the ${roleText(binding)}`
  switch (lacks) {
    case 'Role':
      return `${gives}, which does not exist`
    case 'Verb':
      return `${gives}, which has these objects without this verb`
    case 'Name':
      return `${gives}, which has this only for objects of other names`
    case 'Rule':
      return `${gives}, which does not have these objects`
  }
}

/** A rule may name hundreds of objects. */
const MOST_LISTED = 12

const listed = (words: readonly string[], inWords: (word: string) => string = plain): string => {
  const said = words.slice(0, MOST_LISTED).map(inWords).join(', ')
  return words.length > MOST_LISTED ? `${said} and ${words.length - MOST_LISTED} others` : said
}

/** A rule of a member may have any text, which must not read like a sentence of ours. */
const plain = (word: string): string => (/^[\w.:/*-]+$/.test(word) ? word : JSON.stringify(word))
