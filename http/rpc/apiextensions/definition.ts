import type { MessageInitShape } from '@bufbuild/protobuf'
import type { KubeObject } from '../../../manifests/kube.js'
import {
  type CustomResourceDefinitionSchema,
  CustomResourceDefinitionSpecSchema,
  CustomResourceDefinitionStatusSchema,
  CustomResourceDefinitionSpec_ResourceScope as Scope,
} from '../../../proto/gen/kairship/apiextensions_pb.js'
import type { Place } from '../../objects/object-type.js'
import type { Kind } from '../kind/kind-handlers.js'
import { kubeMessage } from '../kind/kube-message.js'
import { objectMeta } from '../kind/object-meta.js'

/** apiextensions.k8s.io/v1 CustomResourceDefinition, as far as types are found by it. */
export interface Definition extends KubeObject {
  readonly spec: {
    readonly group: string
    readonly names: { readonly plural: string; readonly kind: string }
    readonly scope: 'Namespaced' | 'Cluster'
    readonly versions: readonly { readonly name: string; readonly served: boolean }[]
  }
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string
      readonly status: string
      readonly message?: string
    }[]
  }
}

type DefinitionMessage = MessageInitShape<typeof CustomResourceDefinitionSchema>

/** CustomResourceDefinitions. */
export const definitions: Kind<Definition, DefinitionMessage> = {
  type: {
    ...{ group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' },
    ...{ kind: 'CustomResourceDefinition', namespaced: false },
  },
  message: definitionMessage,
}

const SCOPES: Readonly<Record<string, Scope>> = { Namespaced: Scope.NAMESPACED, Cluster: Scope.CLUSTER }

/** A definition as the API shows it, without its schemas. */
export function definitionMessage(definition: Definition, place: Place): DefinitionMessage {
  const { spec, status } = definition
  return {
    metadata: objectMeta(definition, place),
    spec: {
      ...kubeMessage(CustomResourceDefinitionSpecSchema, spec),
      scope: SCOPES[spec?.scope] ?? Scope.RESOURCE_SCOPE_UNSPECIFIED,
    },
    status: kubeMessage(CustomResourceDefinitionStatusSchema, status),
  }
}

/** Whether a condition of a definition is True. */
export const hasCondition = ({ status }: Definition, wanted: string): boolean =>
  (status?.conditions ?? []).some(({ type, status }) => type === wanted && status === 'True')
