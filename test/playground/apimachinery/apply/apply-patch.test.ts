import { describe, expect, it } from 'vitest'
import { StatusError } from '../../../../manifests/status-error.js'
import { LAST_APPLIED } from '../../../../playground/apimachinery/apply/last-applied.js'
import { type JsonObject, objectAt } from '../../../../playground/apimachinery/json.js'
import { apply, config, create, deployment, entries, entryOf, t1, t2 } from './books.js'

const refusal = (act: () => unknown): StatusError => {
  try {
    act()
  } catch (error) {
    if (error instanceof StatusError) return error
    throw error
  }
  throw new Error('nothing was refused')
}

describe('server-side apply', () => {
  it('creates an object whose applied fields are exactly the owned ones', () => {
    const created = apply(undefined, deployment(), 'me')
    expect(entries(created)).toEqual([
      {
        manager: 'me',
        operation: 'Apply',
        apiVersion: 'apps/v1',
        time: '2026-01-01T00:00:02Z',
        fieldsType: 'FieldsV1',
        fieldsV1: {
          'f:metadata': { 'f:labels': { 'f:app': {} } },
          'f:spec': {
            'f:replicas': {},
            'f:selector': {},
            'f:template': {
              'f:metadata': { 'f:labels': { 'f:app': {} } },
              'f:spec': { 'f:containers': { 'k:{"name":"web"}': { '.': {}, 'f:image': {}, 'f:name': {} } } },
            },
          },
        },
      },
    ])
  })

  it('refuses to change a field of another manager, with Kubernetes’ message', () => {
    const live = create(deployment())
    const { status } = refusal(() => apply(live, config({ replicas: 3 }), 'me'))
    expect(status).toMatchObject({
      code: 409,
      reason: 'Conflict',
      message: 'Apply failed with 1 conflict: conflict with "creator" using apps/v1: .spec.replicas',
      details: {
        causes: [
          {
            reason: 'FieldManagerConflict',
            message: 'conflict with "creator" using apps/v1',
            field: '.spec.replicas',
          },
        ],
      },
    })
  })

  it('lists all conflicts by manager', () => {
    const applied = apply(undefined, config({ replicas: 1, paused: true }), 'them')
    const spec = {
      replicas: 2,
      paused: false,
      template: { spec: { containers: [{ name: 'web', image: 'x' }] } },
    }
    const { status } = refusal(() => apply(applied, config(spec), 'me'))
    expect(status.message).toBe(
      'Apply failed with 2 conflicts: conflicts with "them":\n- .spec.paused\n- .spec.replicas',
    )
    const live = create(deployment())
    expect(refusal(() => apply(live, config(spec), 'me')).status.message).toBe(
      'Apply failed with 2 conflicts: conflicts with "creator" using apps/v1:\n- .spec.replicas\n- .spec.template.spec.containers[name="web"].image',
    )
  })

  it('takes ownership with force', () => {
    const forced = apply(create(deployment()), config({ replicas: 3 }), 'me', true)
    expect(objectAt(forced, 'spec').replicas).toBe(3)
    expect(objectAt(entryOf(forced, 'creator')?.fieldsV1, 'f:spec')).not.toHaveProperty('f:replicas')
  })

  it('shares ownership of a field that is applied with the same value', () => {
    const shared = apply(create(deployment()), config({ replicas: 1 }), 'me')
    expect(objectAt(entryOf(shared, 'me')?.fieldsV1, 'f:spec')).toHaveProperty('f:replicas')
    expect(objectAt(entryOf(shared, 'creator')?.fieldsV1, 'f:spec')).toHaveProperty('f:replicas')
  })

  it('removes fields that were applied before and are missing now', () => {
    const first = apply(undefined, deployment({ paused: true }), 'me')
    const second = apply(first, deployment(), 'me')
    expect(objectAt(second, 'spec')).not.toHaveProperty('paused')
  })

  it('keeps fields that another manager or no manager owns', () => {
    const first = apply(undefined, deployment({ paused: true }), 'me')
    const both = apply(first, config({ paused: true }), 'them')
    const second = apply(both, deployment(), 'me')
    expect(objectAt(second, 'spec').paused).toBe(true)
    const defaulted = { ...first, spec: { ...objectAt(first, 'spec'), revisionHistoryLimit: 10 } }
    expect(objectAt(apply(defaulted, deployment(), 'me'), 'spec').revisionHistoryLimit).toBe(10)
  })

  it('adds and removes items of lists by their keys', () => {
    const env = (...names: string[]) => ({
      template: { spec: { containers: [{ name: 'web', env: names.map(name => ({ name, value: name })) }] } },
    })
    const mine = apply(create(deployment()), config(env('A', 'B')), 'me')
    const both = apply(mine, config(env('C')), 'them')
    const less = apply(both, config(env('B')), 'me')
    const [container] = objectAt(less, 'spec', 'template', 'spec').containers as unknown as JsonObject[]
    expect((container!.env as unknown as { name: string }[]).map(({ name }) => name)).toEqual(['B', 'C'])
    expect(container!.image).toBe('nginx:1')
  })

  it('keeps its time when it changes nothing', () => {
    const first = apply(undefined, deployment(), 'me', false, t1)
    expect(apply(first, deployment(), 'me', false, t2)).toEqual(first)
  })

  it('takes over fields of client-side apply by the same tool without a conflict', () => {
    const last = config({ replicas: 1 })
    const annotated = {
      ...deployment(),
      metadata: {
        ...objectAt(deployment(), 'metadata'),
        annotations: { [LAST_APPLIED]: JSON.stringify(last) },
      },
    }
    const live = create(annotated, 'kubectl-client-side-apply')
    expect(refusal(() => apply(live, config({ replicas: 2 }), 'other')).code).toBe(409)
    const taken = apply(live, config({ replicas: 2 }), 'kubectl')
    expect(objectAt(taken, 'spec').replicas).toBe(2)
    expect(objectAt(taken, 'metadata', 'annotations')[LAST_APPLIED]).toBe(
      `${JSON.stringify(config({ replicas: 2 }))}\n`,
    )
  })

  it.each<[JsonObject, number, string]>([
    [
      { ...config({}), apiVersion: 'apps/v1beta1' },
      400,
      'Incorrect version specified in apply patch. Specified patch version: apps/v1beta1, expected: apps/v1',
    ],
    [{ ...config({}), metadata: { managedFields: [] } }, 400, 'metadata.managedFields must be nil'],
    [
      config({ replicass: 1 }),
      500,
      'failed to create typed patch object (default/web; apps/v1, Kind=Deployment): .spec.replicass: field not declared in schema',
    ],
    [
      config({ template: { spec: { containers: [{ image: 'x' }] } } }),
      500,
      `failed to create typed patch object (default/web; apps/v1, Kind=Deployment): .spec.template.spec.containers: element 0: associative list with keys has an element that omits key field "name" (and doesn't have default value)`,
    ],
    [
      config({ template: { spec: { containers: [{ name: 'a' }, { name: 'a' }] } } }),
      500,
      'failed to create typed patch object (default/web; apps/v1, Kind=Deployment): .spec.template.spec.containers: duplicate entries for key [name="a"]',
    ],
  ])('refuses a configuration that cannot be applied: %#', (bad, code, message) => {
    const { status } = refusal(() => apply(undefined, bad, 'me'))
    expect([status.code, status.message]).toEqual([code, message])
  })
})
