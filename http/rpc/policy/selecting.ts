import type { ResourceSelector } from '../../../karmada/objects/override-policy.js'
import type { KubeObject } from '../../../manifests/kube.js'
import { selectsLabels } from '../../../manifests/label-selector.js'
import { isNotFound } from '../../../manifests/status-error.js'
import { Code } from '../../../transcoding/code.js'
import { invalidFields } from '../../errors/failure.js'
import { toFailure } from '../../errors/to-failure.js'
import type { ListQuery } from '../../objects/list-query.js'
import type { ObjectType, Place } from '../../objects/object-type.js'
import type { ObjectCall, Objects } from '../../objects/objects.js'
import { sideCall } from '../../objects/side-call.js'
import type { Policy } from './policies.js'

/** What the policies of a list select. Empty texts mean anything. */
export interface Selected {
  readonly kind: string
  /** Names one object of the kind, with its namespace. */
  readonly kindName: string
  readonly kindNamespace: string
  readonly apiVersion: string
}

/**
 * The condition that a policy selects what the request names, by the rules of Karmada's own selectors; none where it names
 * nothing. For one object, its labels are read as the caller where a policy selects by labels; in a followed list again with each
 * change of such a policy.
 * @param listed the policies that come into question
 * @throws Failure INVALID_ARGUMENT for an object without its kind; StatusError where the caller may not read the object
 */
export async function selecting(
  objects: Objects,
  call: ObjectCall,
  place: Place,
  listed: { readonly type: ObjectType; readonly namespace?: string },
  selected: Selected,
): Promise<Pick<ListQuery<Policy>, 'where' | 'learn'>> {
  const { kind, kindName, kindNamespace, apiVersion } = selected
  if (kind === '') {
    const given = Object.entries({ kindName, kindNamespace, apiVersion }).filter(([, value]) => value !== '')
    if (given.length === 0) return {}
    throw invalidFields(given.map(([field]) => ({ field, description: 'means nothing without kind' })))
  }
  const isOfKind = (selector: ResourceSelector) =>
    selector.kind === kind && (apiVersion === '' || selector.apiVersion === apiVersion)
  if (kindName === '') return { where: policy => selects(policy, isOfKind) }
  const byLabels = (selector: ResourceSelector) =>
    isOfKind(selector) && !selector.name && selector.labelSelector !== undefined
  const labels = new Map<string, KnownLabels>()
  const readAll = async (policies: readonly Policy[]): Promise<void> => {
    const wanted = policies.flatMap(policy => selectorsOf(policy).filter(byLabels))
    const versions = new Set(wanted.map(selector => selector.apiVersion))
    const read = async (version: string) =>
      labels.set(version, await readLabels(objects, call, place, version, selected))
    await Promise.all([...versions].map(read))
  }
  const { items } = await objects.list<Policy>(sideCall(call), place, listed.type, {
    ...{ page: 1, pageSize: 0 },
    ...(listed.namespace && { namespace: listed.namespace }),
    where: policy => selectorsOf(policy).some(byLabels),
  })
  await readAll(items)
  return {
    learn: policy => readAll([policy]),
    where: policy =>
      selects(
        policy,
        selector =>
          isOfKind(selector) &&
          (!selector.namespace || kindNamespace === '' || selector.namespace === kindNamespace) &&
          (selector.name ? selector.name === kindName : selectsByLabels(selector, labels)),
      ),
  }
}

/** The labels of an object; `unknown` where it has a namespace that the request does not name, undefined where it is not there. */
type KnownLabels = Readonly<Record<string, string>> | 'unknown' | undefined
/** By the version in which a policy selects the object. */
type LabelsOfVersions = ReadonlyMap<string, KnownLabels>

const selectorsOf = ({ spec }: Policy): readonly ResourceSelector[] => spec?.resourceSelectors ?? []

/** An override policy without selectors is about everything; a propagation policy always has some. */
function selects(policy: Policy, isWanted: (selector: ResourceSelector) => boolean): boolean {
  const selectors = selectorsOf(policy)
  return selectors.length === 0 || selectors.some(isWanted)
}

function selectsByLabels({ apiVersion, labelSelector }: ResourceSelector, labels: LabelsOfVersions): boolean {
  if (!labelSelector) return true
  const found = labels.get(apiVersion)
  if (found === 'unknown') return true
  return found !== undefined && selectsLabels(labelSelector, found)
}

/** Reads the object that a request names. Of a type that is not served there is none. */
async function readLabels(
  objects: Objects,
  call: ObjectCall,
  place: Place,
  apiVersion: string,
  { kind, kindName: name, kindNamespace: namespace }: Selected,
): Promise<KnownLabels> {
  try {
    const type = await objects.typeOf(sideCall(call), place, apiVersion, kind)
    if (type.namespaced && namespace === '') return 'unknown'
    const { metadata } = await objects.get<KubeObject>(sideCall(call), place, type, { name, namespace })
    return metadata.labels ?? {}
  } catch (error) {
    if (isNotFound(error) || toFailure(error).code === Code.INVALID_ARGUMENT) return undefined
    throw error
  }
}
