import { ageColumn, type CustomResource } from '../../objects/custom-resource.js'
import { bytes, int32, list, object, text } from '../../objects/schema.js'

const lua = object({ luaScript: text }, ['luaScript'])

/** config.karmada.io: teaching Karmada to read resource types it does not know. */
export const interpreterResources: readonly CustomResource[] = [
  {
    group: 'config.karmada.io',
    kind: 'ResourceInterpreterCustomization',
    plural: 'resourceinterpretercustomizations',
    shortNames: ['ric'],
    categories: ['karmada-io'],
    scope: 'Cluster',
    description: 'Lua scripts that tell replicas, health and status of one resource type.',
    versions: [
      {
        name: 'v1alpha1',
        spec: object(
          {
            customizations: object({
              componentResource: lua,
              dependencyInterpretation: lua,
              healthInterpretation: lua,
              replicaResource: lua,
              replicaRevision: lua,
              retention: lua,
              statusAggregation: lua,
              statusReflection: lua,
            }),
            target: object({ apiVersion: text, kind: text }, ['apiVersion', 'kind']),
          },
          ['customizations', 'target'],
        ),
        columns: [
          { name: 'TARGET-API-VERSION', type: 'string', jsonPath: '.spec.target.apiVersion' },
          { name: 'TARGET-KIND', type: 'string', jsonPath: '.spec.target.kind' },
          ageColumn,
        ],
      },
    ],
  },
  {
    group: 'config.karmada.io',
    kind: 'ResourceInterpreterWebhookConfiguration',
    plural: 'resourceinterpreterwebhookconfigurations',
    categories: ['karmada-io'],
    scope: 'Cluster',
    description: 'Webhooks that tell replicas, health and status of resource types.',
    versions: [
      {
        name: 'v1alpha1',
        fields: {
          webhooks: list(
            object(
              {
                clientConfig: object({
                  caBundle: bytes,
                  service: object({ name: text, namespace: text, path: text, port: int32 }, [
                    'name',
                    'namespace',
                  ]),
                  url: text,
                }),
                interpreterContextVersions: list(text),
                name: text,
                rules: list(
                  object(
                    {
                      apiGroups: list(text),
                      apiVersions: list(text),
                      kinds: list(text),
                      operations: list(text),
                    },
                    ['apiGroups', 'apiVersions', 'kinds', 'operations'],
                  ),
                ),
                timeoutSeconds: int32,
              },
              ['clientConfig', 'interpreterContextVersions', 'name'],
            ),
          ),
        },
        required: ['webhooks'],
      },
    ],
  },
]
