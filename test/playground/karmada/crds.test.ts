import { describe, expect, it } from 'vitest'
import { definitionFromCrd } from '../../../playground/apimachinery/custom/definition-from-crd.js'
import type { JsonObject } from '../../../playground/apimachinery/json.js'
import { applyDefaults } from '../../../playground/apimachinery/schema/defaults.js'
import { validate } from '../../../playground/apimachinery/schema/validate.js'
import { containerManagementDefinitions } from '../../../playground/container-management/crds.js'
import { karmadaCustomResourceDefinitions } from '../../../playground/karmada/crds/index.js'
import { karmadaDefinition } from '../../../playground/operator/karmada-resource.js'

const all = [...karmadaCustomResourceDefinitions, ...containerManagementDefinitions, karmadaDefinition]
const definitionOf = (name: string, version: string) =>
  definitionFromCrd(all.find(({ metadata }) => metadata.name === name) as unknown as JsonObject, version)

describe('the CRDs of the dependencies', () => {
  it.each(all.flatMap(crd => crd.spec.versions.map(({ name }) => [crd.metadata.name, String(name)])))(
    '%s %s can be served',
    (name, version) => expect(definitionOf(name, version).plural).toBe(name.split('.')[0]),
  )

  it('include nineteen types of Karmada, without clusters', () => {
    const names = karmadaCustomResourceDefinitions.map(({ metadata }) => metadata.name)
    expect(names).toHaveLength(19)
    expect(new Set(names).size).toBe(19)
    expect(names.some(name => name.startsWith('clusters.'))).toBe(false)
  })

  it('have exactly one stored version each', () => {
    for (const { metadata, spec } of all)
      expect(
        spec.versions.filter(({ storage }) => storage),
        metadata.name,
      ).toHaveLength(1)
  })

  it('default a PropagationPolicy as a dry run against the real ones does', () => {
    const { schema } = definitionOf('propagationpolicies.policy.karmada.io', 'v1alpha1')
    const policy = {
      apiVersion: 'policy.karmada.io/v1alpha1',
      kind: 'PropagationPolicy',
      metadata: { name: 'nginx', namespace: 'default' },
      spec: { resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment' }] },
    }
    expect(applyDefaults(schema, policy).spec).toMatchObject({
      priority: 0,
      preemption: 'Never',
      conflictResolution: 'Abort',
      schedulerName: 'default-scheduler',
    })
  })

  it.each([
    ['without selectors', { resourceSelectors: [] }, 'spec.resourceSelectors'],
    [
      'with an unknown conflict resolution',
      { resourceSelectors: [{ apiVersion: 'v1', kind: 'Secret' }], conflictResolution: 'Perhaps' },
      'spec.conflictResolution',
    ],
  ])('refuse a PropagationPolicy %s', (_what, spec, field) => {
    const { schema } = definitionOf('propagationpolicies.policy.karmada.io', 'v1alpha1')
    const errors = validate(schema, { metadata: { name: 'x' }, spec })
    expect(errors.map(error => error.field)).toEqual([field])
  })
})
