import { describe, expect, it } from 'vitest'
import type { Call } from '../../../../http/call/call.js'
import { Failure } from '../../../../http/errors/failure.js'
import { placementHandlers } from '../../../../http/rpc/placement/handlers.js'
import { StatusError } from '../../../../manifests/status-error.js'
import { NO_OWN_READS } from './own-reads.js'
import { objects, policies } from './policy-fixtures.js'

/** Where each value of an object stands. */
function* paths(value: object, at: readonly string[] = []): Generator<readonly string[]> {
  for (const [key, one] of Object.entries(value)) {
    yield [...at, key]
    if (typeof one === 'object' && one !== null) yield* paths(one, [...at, key])
  }
}
/** The object with another value at a path. */
function replaced(object: object, [key = '', ...rest]: readonly string[], value: unknown): object {
  const fields = object as Record<string, object>
  const next = rest.length === 0 ? value : replaced(fields[key] ?? {}, rest, value)
  return Array.isArray(object)
    ? object.map((one, at) => (at === Number(key) ? next : one))
    : { ...object, [key]: next }
}
/** Values of every JSON type. */
const WRONG: readonly unknown[] = [
  'text',
  7,
  -1,
  1.5,
  true,
  null,
  [],
  {},
  ['x'],
  [null],
  [{}],
  { x: 1 },
  [7],
  '\u0000',
]

const call = { signal: new AbortController().signal, caller: { user: 'ada' } } as Call
const preview = async (policy: object) =>
  placementHandlers(objects, NO_OWN_READS).previewPolicy(
    { instance: 'eu', data: JSON.stringify(policy) } as never,
    call,
  )

describe('a preview', () => {
  it.each(policies.map(policy => [policy.kind, policy] as const))(
    'of a %s with any value replaced is answered or refused, without an internal error',
    async (_, policy) => {
      const surprises: string[] = []
      for (const path of [...paths(policy)].filter(([first]) => first === 'metadata' || first === 'spec'))
        for (const value of WRONG)
          await preview(replaced(policy, path, value)).catch(error => {
            if (!(error instanceof Failure || error instanceof StatusError))
              surprises.push(`${path.join('.')} = ${JSON.stringify(value)}: ${error}`)
          })
      expect(surprises).toEqual([])
    },
  )

  it.each([
    [['spec', 'resourceSelectors'], 'text', 'data.spec.resourceSelectors'],
    [
      ['spec', 'placement', 'clusterAffinity', 'clusterNames'],
      7,
      'data.spec.placement.clusterAffinity.clusterNames',
    ],
    [['spec'], null, 'data.spec'],
  ])('names the field %j of the wrong type', async (path, value, field) => {
    const [policy = {}] = policies
    await expect(preview(replaced(policy, path, value))).rejects.toMatchObject({
      details: { violations: [{ field }] },
    })
  })

  it('treats a null field as absent', async () => {
    const [policy = {}] = policies
    const { templates } = (await preview(
      replaced(policy, ['spec', 'placement', 'replicaScheduling'], null),
    )) as {
      templates: unknown[]
    }
    expect(templates).toHaveLength(1)
  })

  it.each([
    [['spec', 'placement', 'clusterAffinty'], {}, 'data.spec.placement.clusterAffinty'],
    [['spec', 'resourceSelectors', '0', 'nmae'], 'web', 'data.spec.resourceSelectors[0].nmae'],
    [['spec', 'placment'], {}, 'data.spec.placment'],
  ])('refuses the field %j, which no API server would store', async (path, value, field) => {
    const [policy = {}] = policies
    await expect(preview(replaced(policy, path, value))).rejects.toMatchObject({
      details: { violations: [{ field, description: expect.stringContaining('there is no such field in') }] },
    })
  })

  it.each(policies.map(policy => [policy.kind, policy] as const))(
    'knows every field of a %s',
    async (_, policy) => {
      await expect(preview(policy)).resolves.toBeDefined()
    },
  )

  it.each(['PropagationPolicy', 'OverridePolicy'])('of a %s needs its namespace', async kind => {
    const policy = policies.find(one => one.kind === kind)
    await expect(preview({ ...policy, metadata: { name: 'p' } })).rejects.toMatchObject({
      details: { violations: [{ field: 'data.metadata.namespace', description: 'is required' }] },
    })
  })
})
