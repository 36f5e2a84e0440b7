import type { ApiextensionsService } from '../../../proto/gen/kairship/apiextensions_pb.js'
import type { Objects } from '../../objects/objects.js'
import type { ServiceHandlers } from '../../operation/operation.js'
import { kindHandlers } from '../kind/kind-handlers.js'
import { customResourceHandlers } from './custom-resource-handlers.js'
import { definitions } from './definition.js'
import { definitionLists } from './definition-lists.js'

/** CustomResourceDefinitions of instances and members, and the objects of the types that they define. */
export function apiextensionsHandlers(objects: Objects): ServiceHandlers<typeof ApiextensionsService> {
  const of = kindHandlers(objects, definitions)
  const lists = definitionLists(objects, of)
  const resources = customResourceHandlers(objects)
  return {
    listCustomResourceDefinitions: lists.listCustomResourceDefinitions,
    listCustomResourceDefinitionGroups: lists.listCustomResourceDefinitionGroups,
    watchCustomResourceDefinitions: lists.watchCustomResourceDefinitions,
    getCustomResourceDefinition: of.get,
    getCustomResourceDefinitionJSON: of.json,
    createCustomResourceDefinition: of.create,
    updateCustomResourceDefinition: of.update,
    patchCustomResourceDefinition: of.patch,
    deleteCustomResourceDefinition: of.remove,

    listCustomResources: resources.list,
    getCustomResource: resources.get,
    getCustomResourceJSON: resources.json,
    createCustomResource: resources.create,
    updateCustomResource: resources.update,
    patchCustomResource: resources.patch,
    deleteCustomResource: resources.remove,

    listClusterCustomResources: resources.list,
    getClusterCustomResource: resources.get,
    getClusterCustomResourceJSON: resources.json,
    createClusterCustomResource: resources.create,
    updateClusterCustomResource: resources.update,
    patchClusterCustomResource: resources.patch,
    deleteClusterCustomResource: resources.remove,

    watchCustomResources: resources.watch,
  }
}
