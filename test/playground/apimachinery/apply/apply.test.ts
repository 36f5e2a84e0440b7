import { describe, expect, it } from 'vitest'
import { StatusError } from '../../../../manifests/status-error.js'
import { applyPatch } from '../../../../playground/apimachinery/apply/apply-patch.js'
import { applyUpdate, managerOf } from '../../../../playground/apimachinery/apply/apply-update.js'
import { LAST_APPLIED } from '../../../../playground/apimachinery/apply/last-applied.js'
import { sameButForTimes } from '../../../../playground/apimachinery/apply/managed-fields.js'
import { builtinDefinitions } from '../../../../playground/apimachinery/builtin/builtin-definitions.js'
import { definitionFromCrd } from '../../../../playground/apimachinery/custom/definition-from-crd.js'
import { decode } from '../../../../playground/apimachinery/decode.js'
import { type JsonObject, objectAt } from '../../../../playground/apimachinery/json.js'

const definition = builtinDefinitions.find(({ kind }) => kind === 'Deployment')!
const ships = definitionFromCrd(
  {
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'ships', kind: 'Ship' },
      versions: [
        {
          name: 'v1',
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
        },
      ],
    },
  },
  'v1',
)
const t1 = new Date('2026-01-01T00:00:01.500Z')
const t2 = new Date('2026-01-01T00:00:02Z')

interface Entry {
  readonly manager: string
  readonly operation: string
  readonly time?: string
  readonly fieldsV1: JsonObject
  readonly subresource?: string
}
const entries = (object: JsonObject): Entry[] =>
  (objectAt(object, 'metadata').managedFields ?? []) as unknown as Entry[]
const entryOf = (object: JsonObject, manager: string): Entry | undefined =>
  entries(object).find(entry => entry.manager === manager)

const deployment = (spec: JsonObject = {}): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'default', labels: { app: 'web' } },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'web', image: 'nginx:1' }] },
    },
    ...spec,
  },
})
const create = (object: JsonObject, manager = 'creator') =>
  applyUpdate({ definition, object, manager, now: t1 })
const apply = (
  live: JsonObject | undefined,
  config: JsonObject,
  manager: string,
  force = false,
  now = t2,
): JsonObject => applyPatch({ definition, ...(live ? { live } : {}), config, manager, force, now })
const config = (spec: JsonObject): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'default' },
  spec,
})
const refusal = (act: () => unknown): StatusError => {
  try {
    act()
  } catch (error) {
    if (error instanceof StatusError) return error
    throw error
  }
  throw new Error('nothing was refused')
}

describe('the books of a write', () => {
  it('give a creator what it created, as a real server writes it', () => {
    const { object } = decode(definition, deployment())
    expect(entries(create(object, 'kubectl-create'))).toEqual([
      {
        manager: 'kubectl-create',
        operation: 'Update',
        apiVersion: 'apps/v1',
        time: '2026-01-01T00:00:01Z',
        fieldsType: 'FieldsV1',
        fieldsV1: {
          'f:metadata': { 'f:labels': { '.': {}, 'f:app': {} } },
          'f:spec': {
            'f:progressDeadlineSeconds': {},
            'f:replicas': {},
            'f:revisionHistoryLimit': {},
            'f:selector': {},
            'f:strategy': {
              'f:rollingUpdate': { '.': {}, 'f:maxSurge': {}, 'f:maxUnavailable': {} },
              'f:type': {},
            },
            'f:template': {
              'f:metadata': { 'f:labels': { '.': {}, 'f:app': {} } },
              'f:spec': {
                'f:containers': {
                  'k:{"name":"web"}': {
                    '.': {},
                    'f:image': {},
                    'f:imagePullPolicy': {},
                    'f:name': {},
                    'f:resources': {},
                    'f:terminationMessagePath': {},
                    'f:terminationMessagePolicy': {},
                  },
                },
                'f:dnsPolicy': {},
                'f:restartPolicy': {},
                'f:schedulerName': {},
                'f:securityContext': {},
                'f:terminationGracePeriodSeconds': {},
              },
            },
          },
        },
      },
    ])
  })

  it('move a field from its owner to whoever changes it', () => {
    const live = create(deployment())
    const object = { ...live, spec: { ...objectAt(live, 'spec'), replicas: 3 } }
    const updated = applyUpdate({ definition, live, object, manager: 'scaler', now: t2 })
    expect(entryOf(updated, 'scaler')).toMatchObject({
      time: '2026-01-01T00:00:02Z',
      fieldsV1: { 'f:spec': { 'f:replicas': {} } },
    })
    expect(objectAt(entryOf(updated, 'creator')?.fieldsV1, 'f:spec')).not.toHaveProperty('f:replicas')
    expect(entryOf(updated, 'creator')?.time).toBe('2026-01-01T00:00:01Z')
  })

  it('stay as they are when nothing changes', () => {
    const live = create(deployment())
    expect(applyUpdate({ definition, live, object: live, manager: 'other', now: t2 })).toEqual(live)
  })

  it('forget a field that is removed', () => {
    const live = create(deployment())
    const { labels: _gone, ...metadata } = objectAt(live, 'metadata')
    const object = { ...live, metadata }
    const updated = applyUpdate({ definition, live, object, manager: 'other', now: t2 })
    expect(entryOf(updated, 'creator')?.fieldsV1).not.toHaveProperty('f:metadata')
  })

  it('tell a status write from others, and reset what a door does not let through', () => {
    const live = create(deployment())
    const object = { ...live, status: { replicas: 1 }, spec: { ...objectAt(live, 'spec'), replicas: 9 } }
    const updated = applyUpdate({
      definition,
      live,
      object,
      manager: 'controller',
      subresource: 'status',
      now: t2,
    })
    expect(entryOf(updated, 'controller')).toMatchObject({
      subresource: 'status',
      fieldsV1: { 'f:status': { 'f:replicas': {} } },
    })
    const throughMain = applyUpdate({ definition, live, object, manager: 'user', now: t2 })
    expect(entryOf(throughMain, 'user')?.fieldsV1).toEqual({ 'f:spec': { 'f:replicas': {} } })
  })

  it('are forgotten on request, and then stay forgotten until somebody applies', () => {
    const live = create(deployment())
    for (const managedFields of [[], [{}]]) {
      const object = { ...live, metadata: { ...objectAt(live, 'metadata'), managedFields } }
      const reset = applyUpdate({ definition, live, object, manager: 'x', now: t2 })
      expect(entries(reset)).toEqual([])
      const scaled = { ...reset, spec: { ...objectAt(reset, 'spec'), replicas: 5 } }
      expect(
        entries(applyUpdate({ definition, live: reset, object: scaled, manager: 'x', now: t2 })),
      ).toEqual([])
      const applied = apply(scaled, config({ paused: true }), 'me')
      expect(entries(applied).map(({ manager }) => manager)).toEqual(['me', 'before-first-apply'])
    }
  })

  it('come from the stored object when a client sends none or garbage', () => {
    const live = create(deployment())
    for (const managedFields of [undefined, [{ manager: 'x', fieldsV1: 1 }]]) {
      const metadata = {
        ...objectAt(live, 'metadata'),
        ...(managedFields ? { managedFields } : {}),
      } as JsonObject
      const { managedFields: _gone, ...bare } = metadata
      const object = { ...live, metadata: managedFields ? metadata : bare }
      expect(applyUpdate({ definition, live, object: object as JsonObject, manager: 'x', now: t2 })).toEqual(
        live,
      )
    }
  })

  it('hold at most ten updaters apart', () => {
    let live = create(deployment())
    for (let round = 0; round < 14; round += 1) {
      const annotations = { ...objectAt(live, 'metadata', 'annotations'), [`k${round}`]: 'v' }
      const object = { ...live, metadata: { ...objectAt(live, 'metadata'), annotations } }
      live = applyUpdate({
        definition,
        live,
        object,
        manager: `m${round}`,
        now: new Date(t2.getTime() + round * 1000),
      })
    }
    expect(entries(live)).toHaveLength(10)
    expect(
      objectAt(entryOf(live, 'ancient-changes')?.fieldsV1, 'f:metadata', 'f:annotations'),
    ).toHaveProperty('f:k3')
  })

  it.each([
    ['me', 'curl/8', 'me'],
    [undefined, 'kubectl/v1.32.4 (linux/amd64)', 'kubectl'],
    ['', 'Go-http-client/2.0', 'Go-http-client'],
    [undefined, undefined, ''],
    [undefined, `${'x'.repeat(200)}/1`, 'x'.repeat(128)],
  ])('name the manager of fieldManager=%s, User-Agent %s', (parameter, agent, manager) => {
    expect(managerOf(parameter, agent)).toBe(manager)
  })

  it('tell a write that changes only times from one that changes ownership', () => {
    const live = create(deployment())
    const later = {
      ...live,
      metadata: {
        ...objectAt(live, 'metadata'),
        managedFields: entries(live).map(entry => ({ ...entry, time: 'x' })) as never,
      },
    }
    expect(sameButForTimes(later, live)).toBe(true)
    const other = { ...live, metadata: { ...objectAt(live, 'metadata'), managedFields: [] } }
    expect(sameButForTimes(other, live)).toBe(false)
  })
})

describe('server-side apply', () => {
  it('creates with exactly the applied fields owned', () => {
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

  it('refuses to change what another owns, in the words clients know', () => {
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

  it('takes over when forced', () => {
    const forced = apply(create(deployment()), config({ replicas: 3 }), 'me', true)
    expect(objectAt(forced, 'spec').replicas).toBe(3)
    expect(objectAt(entryOf(forced, 'creator')?.fieldsV1, 'f:spec')).not.toHaveProperty('f:replicas')
  })

  it('shares ownership of a field that is applied with the same value', () => {
    const shared = apply(create(deployment()), config({ replicas: 1 }), 'me')
    expect(objectAt(entryOf(shared, 'me')?.fieldsV1, 'f:spec')).toHaveProperty('f:replicas')
    expect(objectAt(entryOf(shared, 'creator')?.fieldsV1, 'f:spec')).toHaveProperty('f:replicas')
  })

  it('removes what it applied before and no longer mentions', () => {
    const first = apply(undefined, deployment({ paused: true }), 'me')
    const second = apply(first, deployment(), 'me')
    expect(objectAt(second, 'spec')).not.toHaveProperty('paused')
  })

  it('leaves what another owns too, and what nobody applied', () => {
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

  it('takes over from client-side apply of the same tool without a conflict', () => {
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

describe('server-side apply of custom types', () => {
  const ship = (spec: JsonObject): JsonObject => ({
    apiVersion: 'example.com/v1',
    kind: 'Ship',
    metadata: { name: 'a' },
    spec,
  })
  const applyShip = (live: JsonObject | undefined, spec: JsonObject, manager: string): JsonObject =>
    applyPatch({ definition: ships, ...(live ? { live } : {}), config: ship(spec), manager, now: t2 })

  it('owns lists and atomic maps as a whole, sets by value, and free-form objects part by part', () => {
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

  it('joins sets of several managers and takes each away with its own', () => {
    const mine = applyShip(undefined, { crew: ['x', 'y'] }, 'me')
    const both = applyShip(mine, { crew: ['z'] }, 'them')
    expect(objectAt(applyShip(both, { crew: ['y'] }, 'me'), 'spec').crew).toEqual(['y', 'z'])
  })

  it('does not own the status that the main door drops', () => {
    const config = { ...ship({ size: 1 }), status: { phase: 'x' } }
    const created = applyPatch({ definition: ships, config, manager: 'me', now: t2 })
    expect(entries(created)[0]!.fieldsV1).toEqual({ 'f:spec': { 'f:size': {} } })
  })

  it('keeps an emptied object only while somebody wants it there', () => {
    const first = applyShip(undefined, { size: 1, free: { a: '1' } }, 'me')
    expect(objectAt(applyShip(first, { size: 1 }, 'me'), 'spec')).toEqual({ size: 1 })
    expect(objectAt(applyShip(first, { size: 1, free: {} }, 'me'), 'spec')).toEqual({ size: 1, free: {} })
    const claimed = applyShip(first, { free: {} }, 'them')
    expect(objectAt(applyShip(claimed, { size: 1 }, 'me'), 'spec')).toEqual({ size: 1, free: {} })
  })

  it('marks the parts a creator brought into being', () => {
    const created = applyUpdate({ definition: ships, object: ship({ size: 1 }), manager: 'c', now: t1 })
    expect(entries(created)[0]!.fieldsV1).toEqual({ 'f:spec': { '.': {}, 'f:size': {} } })
  })
})
