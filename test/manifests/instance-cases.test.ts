import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { defaultCrd, validateCrd } from '../../playground/apimachinery/custom/crd-validation.js'
import { definitionFromCrd } from '../../playground/apimachinery/custom/definition-from-crd.js'
import type { JsonObject } from '../../playground/apimachinery/json.js'
import { prune } from '../../playground/apimachinery/schema/prune.js'
import { validate } from '../../playground/apimachinery/schema/validate.js'
import { CRD_NAMES, cases } from './instance-cases.js'

const crd = (name: string): JsonObject =>
  parse(readFileSync(resolve(import.meta.dirname, `../../manifests/crds/${name}.kairship.io.yaml`), 'utf8'))
const wire = (object: object): JsonObject => JSON.parse(JSON.stringify(object))

describe('an API server with our CRDs', () => {
  for (const { what, crd: name, object, old, refused } of cases)
    it(`${refused ? 'refuses' : 'accepts'} ${what}`, () => {
      const { schema } = definitionFromCrd(crd(name), 'v1alpha1')
      const errors = validate(schema, wire(object), old && wire(old)).map(
        ({ field, body }) => `${field}: ${body}`,
      )
      if (refused) expect(errors.join('\n')).toMatch(refused)
      else expect(errors).toEqual([])
      // Whoever breaks one rule must not be scolded for three.
      expect(errors.length).toBeLessThanOrEqual(2)
    })

  for (const name of CRD_NAMES)
    it(`accepts the CRD of ${name} itself`, () => expect(validateCrd(defaultCrd(crd(name)))).toEqual([]))

  it('drops unknown fields, and keeps the whole spec of a Karmada object', () => {
    const { schema } = definitionFromCrd(crd('instances'), 'v1alpha1')
    const spec = { install: { karmadaSpec: { a: { b: 1 } }, unknown: 1 }, aliass: 'x' }
    const { object, unknownFields } = prune(schema, wire({ metadata: { name: 'eu' }, spec }))
    expect(object.spec).toEqual({ install: { karmadaSpec: { a: { b: 1 } } } })
    expect(unknownFields).toEqual(['spec.aliass', 'spec.install.unknown'])
  })
})
