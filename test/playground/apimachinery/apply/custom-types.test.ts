import { describe, expect, it } from 'vitest'
import { applyPatch } from '../../../../playground/apimachinery/apply/apply-patch.js'
import { applyUpdate } from '../../../../playground/apimachinery/apply/apply-update.js'
import { type JsonObject, objectAt } from '../../../../playground/apimachinery/json.js'
import { shipsWith } from '../ships.js'
import { entries, t1, t2 } from './books.js'

const ships = shipsWith({
  subresources: { status: {} },
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: {
            size: { type: 'integer' },
            tags: { type: 'array', items: { type: 'string' } },
            crew: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
            box: {
              type: 'object',
              'x-kubernetes-map-type': 'atomic',
              additionalProperties: { type: 'string' },
            },
            free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          },
        },
        status: { type: 'object', properties: { phase: { type: 'string' } } },
      },
    },
  },
})

describe('server-side apply of custom types', () => {
  const ship = (spec: JsonObject): JsonObject => ({
    apiVersion: 'example.com/v1',
    kind: 'Ship',
    metadata: { name: 'a' },
    spec,
  })
  const applyShip = (live: JsonObject | undefined, spec: JsonObject, manager: string): JsonObject =>
    applyPatch({ definition: ships, ...(live ? { live } : {}), config: ship(spec), manager, now: t2 })

  it('owns lists and atomic maps as a whole, sets by value, and free-form objects by field', () => {
    const created = applyShip(
      undefined,
      { size: 1, tags: ['a'], crew: ['x', 'y'], box: { a: 'b' }, free: { p: { q: 1 } } },
      'me',
    )
    expect(entries(created)[0]!.fieldsV1).toEqual({
      'f:spec': {
        'f:size': {},
        'f:tags': {},
        'f:crew': { 'v:"x"': {}, 'v:"y"': {} },
        'f:box': {},
        'f:free': { 'f:p': { '.': {}, 'f:q': {} } },
      },
    })
  })

  it('merges sets of several managers and removes each manager’s values with it', () => {
    const mine = applyShip(undefined, { crew: ['x', 'y'] }, 'me')
    const both = applyShip(mine, { crew: ['z'] }, 'them')
    expect(objectAt(applyShip(both, { crew: ['y'] }, 'me'), 'spec').crew).toEqual(['y', 'z'])
  })

  it('does not own a status that the main resource drops', () => {
    const config = { ...ship({ size: 1 }), status: { phase: 'x' } }
    const created = applyPatch({ definition: ships, config, manager: 'me', now: t2 })
    expect(entries(created)[0]!.fieldsV1).toEqual({ 'f:spec': { 'f:size': {} } })
  })

  it('keeps an emptied object only while a manager applies it', () => {
    const first = applyShip(undefined, { size: 1, free: { a: '1' } }, 'me')
    expect(objectAt(applyShip(first, { size: 1 }, 'me'), 'spec')).toEqual({ size: 1 })
    expect(objectAt(applyShip(first, { size: 1, free: {} }, 'me'), 'spec')).toEqual({ size: 1, free: {} })
    const claimed = applyShip(first, { free: {} }, 'them')
    expect(objectAt(applyShip(claimed, { size: 1 }, 'me'), 'spec')).toEqual({ size: 1, free: {} })
  })

  it('records parts that a creator caused', () => {
    const created = applyUpdate({ definition: ships, object: ship({ size: 1 }), manager: 'c', now: t1 })
    expect(entries(created)[0]!.fieldsV1).toEqual({ 'f:spec': { '.': {}, 'f:size': {} } })
  })
})
