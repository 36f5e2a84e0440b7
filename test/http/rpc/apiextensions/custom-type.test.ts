import { describe, expect, it } from 'vitest'
import { customType } from '../../../../http/rpc/apiextensions/custom-type.js'
import type { Definition } from '../../../../http/rpc/apiextensions/definition.js'
import { bareStatus, StatusError } from '../../../../manifests/status-error.js'

const call = { caller: {}, signal: new AbortController().signal, answered: () => undefined } as never
const established = [{ type: 'Established', status: 'True' }]
const definition = (more: object = {}, conditions: object[] = established): Definition =>
  ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'boats.example.io' },
    spec: {
      group: 'example.io',
      names: { plural: 'boats', kind: 'Boat' },
      scope: 'Namespaced',
      versions: [
        { name: 'v1', served: true },
        { name: 'v1beta1', served: true },
        { name: 'v1alpha1', served: false },
      ],
      ...more,
    },
    status: { conditions },
  }) as never
const boats = { group: 'example.io', version: 'v1', resource: 'boats' }
const refusal = (code: number, reason: string) =>
  new StatusError({ ...bareStatus(code, reason), reason } as never)

/** What comes of a request where reading the definition gives this, and discovery knows a type. */
function find(wanted: typeof boats, read: Definition | Error, place: object = {}) {
  const reads: unknown[] = []
  const objects = {
    get: async (_: unknown, place: unknown, type: { resource: string }, key: { name: string }) => {
      reads.push([place, type.resource, key.name])
      if (read instanceof Error) throw read
      return read
    },
    typeOfResource: async (_: unknown, __: unknown, type: object) => ({
      ...type,
      kind: 'Found',
      namespaced: true,
    }),
  }
  return { reads, type: customType(objects as never, call, { instance: 'eu-west', ...place }, wanted) }
}

describe('the type of a custom resource request', () => {
  it('comes from its CRD in the instance or in a member', async () => {
    const { type, reads } = find(boats, definition(), { cluster: 'a' })
    expect(await type).toEqual({ ...boats, kind: 'Boat', namespaced: true })
    expect(reads).toEqual([
      [{ instance: 'eu-west', cluster: 'a' }, 'customresourcedefinitions', 'boats.example.io'],
    ])
    expect(await find(boats, definition({ scope: 'Cluster' })).type).toMatchObject({ namespaced: false })
  })

  it.each([
    [
      'no definition',
      boats,
      refusal(404, 'NotFound'),
      /^resource: is "boats", but instance eu-west has no CustomResourceDefinition boats\.example\.io/,
    ],
    [
      'a version that is not there',
      { ...boats, version: 'v2' },
      definition(),
      /^version: is "v2".*serves v1, v1beta1$/,
    ],
    [
      'a version that is no longer served',
      { ...boats, version: 'v1alpha1' },
      definition(),
      /^version: is "v1alpha1"/,
    ],
  ])('is refused with the field that is wrong: %s', async (_, wanted, read, message) => {
    await expect(find(wanted, read).type).rejects.toMatchObject({
      code: 3,
      message: expect.stringMatching(message),
    })
  })

  it('is refused while its definition is not established, with the reason', async () => {
    const conditions = [{ type: 'NamesAccepted', status: 'False', message: '"Boat" is already in use' }]
    await expect(find(boats, definition({}, conditions)).type).rejects.toMatchObject({
      code: 9,
      message: expect.stringContaining('not established yet: "Boat" is already in use'),
    })
  })

  it('comes from discovery for a caller who may not read CRDs', async () => {
    expect(await find(boats, refusal(403, 'Forbidden')).type).toMatchObject({ kind: 'Found' })
  })

  it('is not guessed when the CRD cannot be read for another reason', async () => {
    await expect(find(boats, refusal(500, 'InternalError')).type).rejects.toMatchObject({ code: 500 })
  })

  it.each([
    ...['', 'apps', 'batch', 'policy', 'autoscaling', 'extensions'],
    ...['rbac.authorization.k8s.io', 'networking.k8s.io', 'apiextensions.k8s.io', 'authentication.k8s.io'],
    ...['certificates.k8s.io', 'cluster.karmada.io', 'metrics.k8s.io'],
  ])('never has the group %j, also for a caller who may not read CRDs', async group => {
    for (const read of [definition(), refusal(403, 'Forbidden')]) {
      const { type, reads } = find({ group, version: 'v1', resource: 'secrets' }, read)
      await expect(type).rejects.toMatchObject({ code: 3, message: expect.stringMatching(/^group: /) })
      expect(reads).toEqual([])
    }
  })

  it.each([
    ['group', '../../api'],
    ['group', 'example.io/v1/namespaces'],
    ['group', 'Example.io'],
    ['group', 'example..io'],
    ['group', `${'a.'.repeat(130)}io`],
    ['version', '..'],
    ['version', 'v1/secrets'],
    ['version', ''],
    ['version', 'V1'],
    ['resource', 'boats/status'],
    ['resource', 'boats?watch=true'],
    ['resource', 'boats%2fstatus'],
    ['resource', '.'],
    ['resource', 'Boats'],
  ])('is never part of a path: %s %j is refused before any read', async (field, value) => {
    const { type, reads } = find({ ...boats, [field]: value }, definition())
    await expect(type).rejects.toMatchObject({
      code: 3,
      message: expect.stringMatching(new RegExp(`^${field}: is .*, which is no ${field} of an API`)),
    })
    expect(reads).toEqual([])
  })
})
