/** CloudTTY's definition of CloudShells, as far as Kairship uses it: fields and types of `pkg/apis/cloudshell/v1alpha1`. */
export const cloudShellDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'cloudshells.cloudshell.cloudtty.io' },
  spec: {
    group: 'cloudshell.cloudtty.io',
    scope: 'Namespaced',
    names: { kind: 'CloudShell', listKind: 'CloudShellList', plural: 'cloudshells', singular: 'cloudshell' },
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              apiVersion: { type: 'string' },
              kind: { type: 'string' },
              metadata: { type: 'object' },
              spec: {
                type: 'object',
                properties: {
                  secretRef: { type: 'object', properties: { name: { type: 'string' } } },
                  image: { type: 'string' },
                  once: { type: 'boolean' },
                  commandAction: { type: 'string' },
                  ttlSecondsAfterStarted: { type: 'integer', format: 'int64' },
                  cleanup: { type: 'boolean' },
                },
              },
              status: {
                type: 'object',
                properties: { phase: { type: 'string' }, accessUrl: { type: 'string' } },
              },
            },
          },
        },
      },
    ],
  },
}
