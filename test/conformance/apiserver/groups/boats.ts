import type { Bench, Json } from '../behaviour.js'

/** Where definitions are. */
export const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
/** Group and version of the boats. */
export const api = 'suite.example.test/v1'

/** The definition the group works with: a schema with everything our own CRDs use. */
export function definition(group: string): Json {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `boats.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'boats', singular: 'boat', kind: 'Boat', shortNames: ['bt'], categories: ['vessels'] },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: {
            status: {},
            scale: { specReplicasPath: '.spec.oars', statusReplicasPath: '.status.oars' },
          },
          additionalPrinterColumns: [
            { name: 'Length', type: 'integer', jsonPath: '.spec.length', description: 'Metres' },
            { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
            { name: 'Secret', type: 'string', jsonPath: '.spec.hull.material', priority: 1 },
            { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
          ],
          selectableFields: [{ jsonPath: '.spec.home' }],
          schema: {
            openAPIV3Schema: {
              type: 'object',
              required: ['spec'],
              properties: {
                spec: {
                  type: 'object',
                  required: ['length'],
                  properties: {
                    length: { type: 'integer', minimum: 1, maximum: 400 },
                    oars: { type: 'integer', default: 2 },
                    home: { type: 'string', pattern: '^[a-z]+$', maxLength: 10 },
                    rig: { type: 'string', enum: ['sloop', 'ketch'] },
                    hull: {
                      type: 'object',
                      default: {},
                      properties: {
                        material: { type: 'string', default: 'wood' },
                        layers: { type: 'integer' },
                      },
                    },
                    crew: {
                      type: 'array',
                      maxItems: 3,
                      'x-kubernetes-list-type': 'map',
                      'x-kubernetes-list-map-keys': ['name'],
                      items: {
                        type: 'object',
                        required: ['name'],
                        properties: { name: { type: 'string' }, rank: { type: 'string', default: 'mate' } },
                      },
                    },
                    flags: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
                    cargo: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                    draft: { 'x-kubernetes-int-or-string': true },
                    notes: { type: 'object', additionalProperties: { type: 'string' } },
                    until: { type: 'string', format: 'date-time' },
                    since: { type: 'string', nullable: true },
                  },
                  'x-kubernetes-validations': [
                    {
                      rule: "!has(self.rig) || self.rig != 'ketch' || self.length >= 10",
                      message: 'a ketch is at least 10 long',
                    },
                    { rule: 'self.length >= oldSelf.length', message: 'boats do not shrink' },
                  ],
                },
                status: {
                  type: 'object',
                  properties: { phase: { type: 'string' }, oars: { type: 'integer' } },
                },
              },
            },
          },
        },
      ],
    },
  }
}

/** Path of the boats in a group's namespace, or of one. */
export const boats = (k: Bench, name?: string): string =>
  `/apis/${api}/namespaces/${k.namespace}/boats${name === undefined ? '' : `/${name}`}`

/** A boat as a client would send it. */
export const boat = (name: string, spec: Json = {}, metadata: Json = {}): Json => ({
  apiVersion: api,
  kind: 'Boat',
  metadata: { name, ...metadata },
  spec: { length: 5, ...spec },
})

/** Sees to it that boats are served; several groups work with them. */
export async function servesBoats(k: Bench): Promise<void> {
  const made = await k.admin.post(crds, definition('suite.example.test'))
  if (made.status !== 201 && made.status !== 409) k.ok(made)
  await k.until(boats(k), 200)
}
