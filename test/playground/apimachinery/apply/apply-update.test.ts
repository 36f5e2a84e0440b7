import { describe, expect, it } from 'vitest'
import { applyUpdate, managerOf } from '../../../../playground/apimachinery/apply/apply-update.js'
import { sameButForTimes } from '../../../../playground/apimachinery/apply/managed-fields.js'
import { decode } from '../../../../playground/apimachinery/decode.js'
import { type JsonObject, objectAt } from '../../../../playground/apimachinery/json.js'
import { apply, config, create, definition, deployment, entries, entryOf, t2 } from './books.js'

describe('managedFields of an update', () => {
  it('give a creator the ownership of what it created, as a real server does', () => {
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

  it('move a field to the manager that changes it', () => {
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

  it('do not change with an unchanged object', () => {
    const live = create(deployment())
    expect(applyUpdate({ definition, live, object: live, manager: 'other', now: t2 })).toEqual(live)
  })

  it('drop a removed field', () => {
    const live = create(deployment())
    const { labels: _gone, ...metadata } = objectAt(live, 'metadata')
    const object = { ...live, metadata }
    const updated = applyUpdate({ definition, live, object, manager: 'other', now: t2 })
    expect(entryOf(updated, 'creator')?.fieldsV1).not.toHaveProperty('f:metadata')
  })

  it('distinguish status writes, and reset fields that the endpoint ignores', () => {
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

  it('are cleared on request, and stay cleared until the next apply', () => {
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

  it('come from the stored object when a client sends none or invalid ones', () => {
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

  it('keep at most ten updaters apart', () => {
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
  ])('have the manager of fieldManager=%s, User-Agent %s', (parameter, agent, manager) => {
    expect(managerOf(parameter, agent)).toBe(manager)
  })

  it('distinguish a change of times only from a change of ownership', () => {
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
