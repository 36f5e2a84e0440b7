/** A CustomResourceDefinition, and objects of the type that it defines. */
export const BOATS = { group: 'example.io', version: 'v1', resource: 'boats' } as const

/** @param scope of the type; that without a namespace are harbors */
export const definitionOf = (
  plural: string,
  kind: string,
  scope: 'Namespaced' | 'Cluster',
  group = 'example.io',
) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.${group}`, labels: { made: 'by-test' } },
  spec: {
    group,
    scope,
    names: {
      plural,
      singular: kind.toLowerCase(),
      kind,
      listKind: `${kind}List`,
      shortNames: [kind.slice(0, 2).toLowerCase()],
    },
    versions: [
      {
        ...{ name: 'v1', served: true, storage: true },
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  crew: { type: 'integer' },
                  names: { type: 'array', items: { type: 'string' } },
                },
                'x-kubernetes-preserve-unknown-fields': true,
              },
              status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        },
      },
      {
        ...{ name: 'v1beta1', served: false, storage: false },
        schema: { openAPIV3Schema: { type: 'object' } },
      },
    ],
  },
})
