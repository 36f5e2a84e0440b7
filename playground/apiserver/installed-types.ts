import { type JsonObject, listAt, objectAt, stringAt } from '../apimachinery/json.js'
import { CLEANUP_FINALIZER } from './operations/delete.js'
import { freeze } from './store/stored-object.js'

/**
 * CustomResourceDefinitions a cluster has from its first moment, as they look once they are served. Written once and
 * frozen: the clusters of a process share all of them but the metadata, and what is derived from them.
 */
export function installedTypes(definitions: readonly JsonObject[], time: string): readonly JsonObject[] {
  return definitions.map(definition => {
    const { name, ...metadata } = objectAt(definition, 'metadata')
    const condition = (type: string, reason: string, message: string) => ({
      type,
      status: 'True',
      lastTransitionTime: time,
      reason,
      message,
    })
    const stored = listAt(definition, 'spec', 'versions').filter(
      version => objectAt({ version }, 'version').storage === true,
    )
    return freeze({
      ...definition,
      metadata: { name: name as string, generation: 1, finalizers: [CLEANUP_FINALIZER], ...metadata },
      spec: { conversion: { strategy: 'None' }, ...objectAt(definition, 'spec') },
      status: {
        conditions: [
          condition('NamesAccepted', 'NoConflicts', 'no conflicts found'),
          condition('Established', 'InitialNamesAccepted', 'the initial names have been accepted'),
        ],
        acceptedNames: objectAt(definition, 'spec').names ?? {},
        storedVersions: stored.map(version => stringAt(version, 'name')),
      },
    })
  })
}
