import type { KubeObject } from '../../../manifests/kube.js'
import { PatchCustomResourceRequest_PatchType as PatchKind } from '../../../proto/gen/kairship/apiextensions_pb.js'
import { invalidFields } from '../../errors/failure.js'
import { documentOf, manifestOf, patchOf } from '../../objects/manifest.js'
import type { ObjectType, Place, Subresource } from '../../objects/object-type.js'
import type { ObjectCall, Objects, Patch } from '../../objects/objects.js'
import { inField } from '../kind/in-field.js'
import { dataOf } from '../kind/kind-handlers.js'
import { type KeyFields, objectKeyOf } from '../kind/request-fields.js'

/** How a request patches a custom resource. */
export interface PatchFields extends KeyFields {
  readonly patchType: PatchKind
  readonly data: string
  readonly subResources: readonly string[]
}

/**
 * Changes a custom resource, or one subresource of it.
 * @returns what was stored, JSON
 * @throws Failure INVALID_ARGUMENT for what is no patch of the named type; StatusError
 */
export async function patchCustomResource(
  objects: Objects,
  call: ObjectCall,
  place: Place,
  type: ObjectType,
  request: PatchFields,
): Promise<{ data: string }> {
  const key = objectKeyOf(request)
  const subresource = subresourceOf(request.subResources)
  const patch = { ...patchOfType(request, type), ...(subresource && { subresource }) }
  return dataOf(await inField('data', objects.patch<KubeObject>(call, place, type, key, patch)))
}

/** The patch that a request holds. @throws Failure INVALID_ARGUMENT */
export function patchOfType(
  { patchType, data, ...request }: Pick<PatchFields, 'patchType' | 'data' | 'namespace' | 'name'>,
  type: ObjectType,
): Patch {
  switch (patchType) {
    case PatchKind.UNSPECIFIED:
    case PatchKind.MERGE:
      return { type: 'application/merge-patch+json', body: patchOf(data) }
    case PatchKind.JSON: {
      const body = documentOf(data, 'data')
      if (Array.isArray(body)) return { type: 'application/json-patch+json', body }
      throw wrong('data', 'is no list of operations, which a JSON patch is')
    }
    case PatchKind.APPLY: {
      const key = objectKeyOf({ instance: '', ...request })
      return { type: 'application/apply-patch+yaml', body: manifestOf(data, { type, ...key }) }
    }
    case PatchKind.STRATEGIC_MERGE:
      throw wrong('patchType', 'Kubernetes has no strategic merge of custom resources: use PATCH_TYPE_MERGE')
    default:
      throw wrong('patchType', `is ${patchType}, which is no type of patch`)
  }
}

/** CustomResourceDefinitions have no others. */
const SUBRESOURCES: readonly string[] = ['status', 'scale'] satisfies Subresource[]

function subresourceOf(given: readonly string[]): Subresource | undefined {
  const [subresource, ...more] = given
  if (subresource === undefined) return undefined
  if (more.length > 0) throw wrong('subResources', 'names several: one patch changes one of them')
  if (SUBRESOURCES.includes(subresource)) return subresource as Subresource
  throw wrong(
    'subResources',
    `is ${JSON.stringify(subresource)}, but must be one of ${SUBRESOURCES.join(', ')}`,
  )
}

const wrong = (field: string, description: string) => invalidFields([{ field, description }])
