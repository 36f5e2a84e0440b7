import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { StatusError } from '../../../../manifests/status-error.js'
import { applyPatch } from '../../../../playground/apimachinery/apply/apply-patch.js'
import {
  decodeFields,
  difference,
  encodeFields,
  intersection,
  isEmpty,
  paths,
  setOf,
  union,
} from '../../../../playground/apimachinery/apply/field-set.js'
import { fieldSetOf } from '../../../../playground/apimachinery/apply/field-set-of.js'
import { ownershipSchema } from '../../../../playground/apimachinery/apply/ownership-schema.js'
import { builtinDefinitions } from '../../../../playground/apimachinery/builtin/builtin-definitions.js'
import { at, type Json, type JsonObject, objectAt } from '../../../../playground/apimachinery/json.js'
import { freeze } from '../../../../playground/apiserver/store/stored-object.js'

const definition = builtinDefinitions.find(({ kind }) => kind === 'Pod')!
const now = new Date('2026-01-01T00:00:00Z')

const labels = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('1', '2'), {
  minKeys: 1,
  maxKeys: 3,
})
const env = fc.uniqueArray(
  fc.record({ name: fc.constantFrom('A', 'B', 'C'), value: fc.constantFrom('x', 'y') }),
  { selector: one => one.name, maxLength: 3 },
)
const container = fc.record(
  {
    name: fc.constantFrom('c1', 'c2'),
    image: fc.constantFrom('i1', 'i2'),
    env,
    command: fc.array(fc.constantFrom('p', 'q'), { maxLength: 2 }),
  },
  { requiredKeys: ['name'] },
)
const config = fc.record({
  apiVersion: fc.constant('v1'),
  kind: fc.constant('Pod'),
  metadata: fc.record({ name: fc.constant('x'), labels }, { requiredKeys: ['name'] }),
  spec: fc.record(
    {
      hostname: fc.constantFrom('h1', 'h2'),
      containers: fc.uniqueArray(container, { selector: one => one.name, maxLength: 2 }),
    },
    { requiredKeys: ['hostname'] },
  ),
}) as fc.Arbitrary<JsonObject>

const apply = (live: JsonObject | undefined, wanted: JsonObject, manager: string, force = true): JsonObject =>
  applyPatch({ definition, ...(live ? { live } : {}), config: wanted, manager, force, now })
const ownedBy = (object: JsonObject, manager: string) => {
  const entry = ((objectAt(object, 'metadata').managedFields ?? []) as readonly JsonObject[]).find(
    one => one.manager === manager,
  )
  return decodeFields(entry?.fieldsV1 ?? {})!
}

describe('server-side apply, for random objects', () => {
  it('is idempotent', () => {
    fc.assert(
      fc.property(config, config, (theirs, mine) => {
        const once = apply(apply(undefined, theirs, 'them'), mine, 'me')
        expect(apply(once, mine, 'me')).toEqual(once)
      }),
    )
  })

  it('sets every applied field, and owns it', () => {
    fc.assert(
      fc.property(config, config, (theirs, mine) => {
        const result = apply(apply(undefined, theirs, 'them'), mine, 'me')
        const wanted = fieldSetOf(ownershipSchema(definition), mine)
        const missing = [...paths(wanted)].filter(path => !exists(result, path))
        expect(missing).toEqual([])
      }),
    )
  })

  it('of nothing removes all fields of one manager and none of another', () => {
    fc.assert(
      fc.property(config, config, (theirs, mine) => {
        const nothing = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' } }
        const alone = apply(undefined, theirs, 'them')
        const both = apply(alone, mine, 'me')
        const left = apply(both, nothing, 'me')
        expect(isEmpty(ownedBy(left, 'me'))).toBe(true)
        const lost = [...paths(ownedBy(both, 'them'))].filter(path => !exists(left, path))
        expect(lost).toEqual([])
      }),
    )
  })

  it('without force conflicts exactly when another manager owns a field with another value', () => {
    fc.assert(
      fc.property(config, config, (theirs, mine) => {
        const live = apply(undefined, theirs, 'them')
        const forced = apply(live, mine, 'me')
        const lost = difference(ownedBy(live, 'them'), ownedBy(forced, 'them'))
        let refused = false
        try {
          apply(live, mine, 'me', false)
        } catch (error) {
          if (!(error instanceof StatusError) || error.code !== 409) throw error
          refused = true
        }
        expect(refused).toBe(!isEmpty(lost))
      }),
    )
  })

  it('gives the same ownership for a stored object and a fresh one', () => {
    const writes = fc.array(fc.tuple(config, fc.constantFrom('me', 'them', 'us')), {
      minLength: 1,
      maxLength: 6,
    })
    fc.assert(
      fc.property(writes, sequence => {
        let [seen, unseen]: (JsonObject | undefined)[] = []
        for (const [wanted, manager] of sequence) {
          seen = freeze(apply(seen, wanted, manager))
          unseen = structuredClone(apply(unseen, wanted, manager))
          expect(seen).toEqual(unseen)
        }
      }),
    )
  })

  it('never changes its inputs', () => {
    fc.assert(
      fc.property(config, config, (theirs, mine) => {
        const live = apply(undefined, theirs, 'them')
        const [liveBefore, mineBefore] = [structuredClone(live), structuredClone(mine)]
        apply(live, mine, 'me')
        expect([live, mine]).toEqual([liveBefore, mineBefore])
      }),
    )
  })
})

/** Whether there is something at a path, as fieldsV1 writes it. */
function exists(value: Json | undefined, [first, ...rest]: readonly string[]): boolean {
  if (first === undefined) return value !== undefined
  if (first.startsWith('f:')) return exists(at(value, first.slice(2)), rest)
  const wanted = JSON.parse(first.slice(2)) as JsonObject
  const items = (value ?? []) as readonly JsonObject[]
  return exists(
    items.find(item => Object.entries(wanted).every(([key, one]) => item[key] === one)),
    rest,
  )
}

describe('field sets', () => {
  const element = fc.constantFrom('f:a', 'f:b', 'k:{"name":"x"}', 'v:1')
  const set = fc.array(fc.array(element, { minLength: 1, maxLength: 3 })).map(all => setOf(...all))

  it('survive a round trip through fieldsV1', () => {
    fc.assert(
      fc.property(set, one => {
        expect(encodeFields(decodeFields(encodeFields(one))!)).toEqual(encodeFields(one))
      }),
    )
  })

  it('obey the laws of sets', () => {
    const list = (one: Parameters<typeof paths>[0]) => [...paths(one)].map(path => path.join('/')).sort()
    fc.assert(
      fc.property(set, set, (a, b) => {
        expect(list(union(a, b))).toEqual([...new Set([...list(a), ...list(b)])].sort())
        expect(list(intersection(a, b))).toEqual(list(a).filter(one => list(b).includes(one)))
        expect(list(difference(a, b))).toEqual(list(a).filter(one => !list(b).includes(one)))
      }),
    )
  })
})
