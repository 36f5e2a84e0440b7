import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Status, StatusError } from '../../../manifests/status-error.js'
import type { JsonObject } from '../../../playground/apimachinery/json.js'
import { validateObject } from '../../../playground/apiserver/operations/object-rules.js'
import { clusterDefinition } from '../../../playground/karmada/cluster-definition.js'
import { comparable } from '../../karmada/comparable.js'
import { KarmadaOracle } from '../karmada-oracle.js'
import { numRuns, seed } from './runs.js'

let oracle: KarmadaOracle
beforeAll(() => {
  oracle = new KarmadaOracle()
})
afterAll(() => oracle.close())

const from = <T>(...values: readonly T[]) => fc.constantFrom(...values)
const partly = (fields: Record<string, fc.Arbitrary<unknown>>) => fc.record(fields, { requiredKeys: [] })
const joined = (...parts: readonly fc.Arbitrary<string>[]) => fc.tuple(...parts).map(list => list.join(''))

const long = 'x'.repeat(64)
const labels = from('eu', 'a-b.c_d', '', 'a b', '-a', long, 'ä', '"x"')
const urls = joined(
  from(
    'https://',
    'http://',
    'HTTPS://',
    'socks5://',
    'ftp://',
    '//',
    '///',
    '',
    ':',
    '1x:',
    'http:',
    'x-y:/',
  ),
  from('', '', '', 'me@', 'me:secret@', 'm%20e@', 'm e@', 'a:b:c@d@', '%zz@', 'ü:!@'),
  from(
    'm1',
    '10.0.0.1',
    'm1.example.com',
    '',
    'a b',
    'a%20b',
    'a%25b',
    'a%zz',
    'ä',
    'a:b',
    '[::1]',
    '[fe80::1%25en0]',
    '[fe80::1%25en%200]',
    '[::1',
    'a[::1]',
    'a^b',
    '*',
  ),
  from('', ':6443', ':', ':x', ':1:2'),
  from('', '/', '/a/b', '/a%2fb', '/%', '/a b', '/a:b'),
  from('', '', '?', '?a=b', '?a?b', '?%zz'),
  from('', '', '#', '#a', '#a%20b', '#%', '#a#b'),
)
const references = partly({ namespace: from('karmada-cluster', ''), name: from('m1', '') })
/** Of those that are to have a time each has one: without it, it gets the time of the write. */
const taints = fc.array(
  partly({
    key: from('down', 'example.com/down', '', 'a b', 'a/b/c', '/a', 'a/', `${long}`, 'A.b/c', '-'),
    value: fc.oneof({ weight: 3, arbitrary: from('yes', '') }, { weight: 1, arbitrary: labels }),
    effect: from('NoSchedule', 'NoExecute', 'NoExecute', 'PreferNoSchedule', '', 'Never'),
    timeAdded: from('2026-01-01T00:00:00Z'),
  }).map(one => (one.effect === 'NoExecute' ? { ...one, timeAdded: '2026-01-01T00:00:00Z' } : one)),
  { maxLength: 3 },
)
const amounts = from('0', '1', '2', '4Gi', '8', '-1', '500m')
const resourceModels = fc.oneof(
  fc.array(
    fc.record({
      grade: from(0, 1, 2, 3),
      ranges: fc.array(fc.record({ name: from('cpu', 'memory'), min: amounts, max: amounts }), {
        maxLength: 2,
      }),
    }),
    { maxLength: 3 },
  ),
  // Not written out.
  fc.array(
    fc.option(
      partly({
        grade: from(0, 1, 2),
        ranges: fc.option(
          fc.array(fc.option(partly({ name: from('cpu'), min: amounts, max: amounts })), { maxLength: 2 }),
        ),
      }),
    ),
    { maxLength: 3 },
  ),
  // Nearly right.
  fc
    .record({ order: fc.shuffledSubarray([0, 1, 2], { minLength: 1 }), gap: from('1', '1', '1', '2') })
    .map(({ order, gap }) =>
      order.map(grade => ({
        grade,
        ranges: [{ name: 'cpu', min: ['0', '1', '2'][grade], max: [gap, '2', '4'][grade] }],
      })),
    ),
)
const names = from('m1', 'm1', 'm1', 'a.b', 'M1', '-', '', 'x'.repeat(48), 'x'.repeat(49), 'ä')

const right = { syncMode: from('Push', 'Pull') }
const specs = fc.oneof(
  partly({ syncMode: from('Push', '', 'Shove') }),
  partly({ ...right, apiEndpoint: urls, proxyURL: urls }),
  partly({ ...right, secretRef: references, impersonatorSecretRef: references }),
  partly({
    ...right,
    provider: labels,
    region: labels,
    zone: labels,
    zones: fc.array(labels, { maxLength: 2 }),
  }),
  partly({
    ...right,
    taints,
    zone: from('a'),
    zones: fc.subarray(['b']),
    proxyHeader: from({ a: 'b' }),
    id: labels,
  }),
  partly({ ...right, resourceModels, zone: from('a'), zones: fc.subarray(['b']), secretRef: references }),
)

/** Of our own: the spec that is stored, or the refusal. */
function stored(object: JsonObject): { readonly stored: unknown } | { readonly refused: Partial<Status> } {
  const prepared = clusterDefinition.strategy?.prepareForCreate?.(object) ?? object
  try {
    validateObject(clusterDefinition, prepared)
    return { stored: prepared.spec }
  } catch (error) {
    if (!(error instanceof StatusError)) throw error
    const { message, details } = error.status
    return { refused: { message, ...(details && { details }) } }
  }
}

describe('a new Cluster', () => {
  it('is stored, or refused in the same words, as by Karmada’s aggregated API server', async () => {
    await fc.assert(
      fc.asyncProperty(names, specs, async (name, spec) => {
        const object = { metadata: { name }, spec } as unknown as JsonObject
        const answer = (await oracle.ask('cluster', { object })) as ReturnType<typeof stored>
        const ours = stored(object)
        expect(comparable(ours)).toEqual(comparable(answer))
      }),
      { numRuns, seed },
    )
  })
})
