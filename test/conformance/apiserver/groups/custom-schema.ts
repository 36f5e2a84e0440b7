import { expect } from 'vitest'
import { type Bench, behaviour, failure, type Group, type Json } from '../behaviour.js'
import { api, boat, boats, servesBoats } from './boats.js'

async function refused(k: Bench, spec: Json, field: string, message: string): Promise<void> {
  const name = k.name()
  const { status, body } = await k.admin.post(boats(k), boat(name, spec))
  expect(status).toBe(422)
  expect(body).toMatchObject({
    reason: 'Invalid',
    details: { name, group: 'suite.example.test', kind: 'Boat' },
  })
  expect(body.details.causes).toContainEqual(expect.objectContaining({ field, message }))
  expect(body.message).toContain(`Boat.suite.example.test "${name}" is invalid: `)
}

/** What the schema of a custom resource fills in, takes out and refuses. */
export const customSchema: Group = {
  name: 'custom-schema',
  prepare: servesBoats,
  behaviours: [
    behaviour('defaults fill what is absent, also inside defaulted objects and lists', async k => {
      const body = await k.made(boats(k), boat(k.name(), { crew: [{ name: 'ann' }] }))
      expect(body.spec).toEqual({
        length: 5,
        oars: 2,
        hull: { material: 'wood' },
        crew: [{ name: 'ann', rank: 'mate' }],
      })
    }),
    behaviour('a null is dropped where it is not nullable and defaulted', async k => {
      const body = await k.made(boats(k), boat(k.name(), { oars: null }))
      expect(body.spec.oars).toBe(2)
    }),
    behaviour('a null stays where it is nullable', async k => {
      const body = await k.made(boats(k), boat(k.name(), { since: null }))
      expect(body.spec.since).toBeNull()
    }),
    behaviour('unknown fields are pruned', async k => {
      const body = await k.made(boats(k), boat(k.name(), { nonsense: 1, hull: { nonsense: 1, layers: 2 } }))
      expect(body.spec.nonsense).toBeUndefined()
      expect(body.spec.hull).toEqual({ material: 'wood', layers: 2 })
    }),
    behaviour('unknown fields stay where they are to be preserved', async k => {
      const body = await k.made(boats(k), boat(k.name(), { cargo: { any: { thing: [1, 'two'] } } }))
      expect(body.spec.cargo).toEqual({ any: { thing: [1, 'two'] } })
    }),
    behaviour('a pruned field is warned about', async k => {
      const { headers } = await k.admin.post(boats(k), boat(k.name(), { nonsense: 1 }))
      expect(headers.warning).toBe('299 - "unknown field \\"spec.nonsense\\""')
    }),
    behaviour('a pruned field is refused under fieldValidation=Strict', async k => {
      const { status, body } = await k.admin.post(boats(k), boat(k.name(), { nonsense: 1 }), {
        fieldValidation: 'Strict',
      })
      expect(status).toBe(400)
      expect(body.message).toContain('strict decoding error: unknown field "spec.nonsense"')
    }),
    behaviour('a required field that is absent is Invalid', async k => {
      const name = k.name()
      const { status, body } = await k.admin.post(boats(k), {
        apiVersion: api,
        kind: 'Boat',
        metadata: { name },
        spec: {},
      })
      expect(status).toBe(422)
      const unchecked =
        'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation'
      expect(body).toEqual(
        failure(
          422,
          'Invalid',
          `Boat.suite.example.test "${name}" is invalid: [spec.length: Required value, <nil>: ${unchecked}]`,
          {
            name,
            group: 'suite.example.test',
            kind: 'Boat',
            causes: [
              { reason: 'FieldValueRequired', message: 'Required value', field: 'spec.length' },
              { reason: 'FieldValueInvalid', message: unchecked, field: '<nil>' },
            ],
          },
        ),
      )
    }),
    behaviour('a wrong type is Invalid', k =>
      refused(
        k,
        { length: 'long' },
        'spec.length',
        'Invalid value: "string": spec.length in body must be of type integer: "string"',
      ),
    ),
    behaviour('a number below the minimum is Invalid', k =>
      refused(
        k,
        { length: 0 },
        'spec.length',
        'Invalid value: 0: spec.length in body should be greater than or equal to 1',
      ),
    ),
    behaviour('a number above the maximum is Invalid', k =>
      refused(
        k,
        { length: 401 },
        'spec.length',
        'Invalid value: 401: spec.length in body should be less than or equal to 400',
      ),
    ),
    behaviour('a string that does not match is Invalid', k =>
      refused(
        k,
        { home: 'NOT' },
        'spec.home',
        'Invalid value: "NOT": spec.home in body should match \'^[a-z]+$\'',
      ),
    ),
    behaviour('a string that is too long is Invalid', k =>
      refused(k, { home: 'abcdefghijk' }, 'spec.home', 'Too long: may not be more than 10 bytes'),
    ),
    behaviour('a value outside the enumeration is Invalid with the allowed ones', k =>
      refused(
        k,
        { rig: 'brig' },
        'spec.rig',
        'Unsupported value: "brig": supported values: "sloop", "ketch"',
      ),
    ),
    behaviour('too many items are Invalid', k =>
      refused(
        k,
        { crew: ['a', 'b', 'c', 'd'].map(name => ({ name })) },
        'spec.crew',
        'Too many: 4: must have at most 3 items',
      ),
    ),
    behaviour('two items of one key are Invalid', k =>
      refused(k, { crew: [{ name: 'a' }, { name: 'a' }] }, 'spec.crew[1]', 'Duplicate value: {"name":"a"}'),
    ),
    behaviour('two equal items of a set are Invalid', k =>
      refused(k, { flags: ['a', 'a'] }, 'spec.flags[1]', 'Duplicate value: "a"'),
    ),
    behaviour('a map value of the wrong type is Invalid', k =>
      refused(
        k,
        { notes: { a: 1 } },
        'spec.notes.a',
        'Invalid value: "integer": spec.notes.a in body must be of type string: "integer"',
      ),
    ),
    behaviour('a malformed date-time is Invalid', k =>
      refused(
        k,
        { until: 'tomorrow' },
        'spec.until',
        'Invalid value: "tomorrow": spec.until in body must be of type date-time: "tomorrow"',
      ),
    ),
    behaviour('an int-or-string takes both and nothing else', async k => {
      await k.made(boats(k), boat(k.name(), { draft: 1 }))
      await k.made(boats(k), boat(k.name(), { draft: '50%' }))
      const { status } = await k.admin.post(boats(k), boat(k.name(), { draft: true }))
      expect(status).toBe(422)
    }),
    behaviour('a rule that does not hold is Invalid with its message', k =>
      refused(k, { rig: 'ketch' }, 'spec', 'Invalid value: a ketch is at least 10 long'),
    ),
    behaviour('a rule over the old object binds updates only', async k => {
      const name = k.name()
      await k.made(boats(k), boat(name, { length: 9 }))
      const { status, body } = await k.admin.patch(boats(k, name), 'merge', { spec: { length: 8 } })
      expect(status).toBe(422)
      expect(body.message).toContain('boats do not shrink')
      k.ok(await k.admin.patch(boats(k, name), 'merge', { spec: { length: 10 } }))
    }),
  ],
}
