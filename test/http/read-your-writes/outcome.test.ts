import { describe, expect, it } from 'vitest'
import { outcomeOf, outcomeOfStatus } from '../../../http/read-your-writes/outcome.js'

const object = (more: object = {}, name = 'x') => ({
  kind: 'ConfigMap',
  metadata: { name, namespace: 'a', uid: 'u', resourceVersion: '77', ...more },
})
const status = (details?: object) => ({ kind: 'Status', status: 'Success', ...(details && { details }) })
const ending = { deletionTimestamp: '2026-11-21T18:00:00Z' }

describe('the outcome of a write', () => {
  it.each([
    ['create', undefined, object(), 'present 77'],
    ['create', undefined, object({}, 'generated-abc'), 'generated-abc present 77'],
    ['update', 'x', object(), 'present 77'],
    ['patch', 'x', object({ ...ending, finalizers: ['f'] }), 'present 77'],
    ['patch', 'x', object(ending), 'unknown'],
    // A Scale and an object's status carry the object's own version.
    ['update', 'x', { kind: 'Scale', metadata: { name: 'x', resourceVersion: '78' } }, 'present 78'],
    ['create', 'x', { kind: 'TokenRequest', metadata: { name: 'x' } }, 'unknown'],
    ['create', 'x', status(), 'unknown'],
    ['delete', 'x', status({ uid: 'u' }), 'gone u'],
    ['delete', 'x', status(), 'gone'],
    ['delete', 'x', object(), 'gone u after 77'],
    ['delete', 'x', object(ending), 'gone u after 77'],
    ['delete', 'x', object({ ...ending, finalizers: ['f'] }), 'present 77'],
    ['delete', 'x', object({ ...ending, deletionGracePeriodSeconds: 30 }), 'present 77'],
    ['delete', 'x', object({ ...ending, deletionGracePeriodSeconds: 0 }), 'gone u after 77'],
    ['deletecollection', undefined, { kind: 'ConfigMapList', metadata: { resourceVersion: '9' } }, 'unread'],
    // What could not be read: too large, another encoding, cut off.
    ['create', undefined, undefined, 'unread'],
    ['update', 'x', undefined, 'unknown'],
    ['update', 'x', 'text', 'unknown'],
    ['update', 'x', null, 'unknown'],
    ['update', 'x', { metadata: { name: 'x', resourceVersion: 5 } }, 'unknown'],
  ])('%s %s answered with %j is %s', (verb, name, answer, words) => {
    const request = { verb, namespace: 'a', ...(name !== undefined && { name }) }
    const outcome = outcomeOf(request, answer)
    const said =
      outcome.kind === 'wrote'
        ? [
            outcome.name === 'x' ? '' : outcome.name,
            outcome.expected.kind,
            'uid' in outcome.expected ? outcome.expected.uid : '',
            'after' in outcome.expected ? `after ${outcome.expected.after}` : '',
            'resourceVersion' in outcome.expected ? outcome.expected.resourceVersion : '',
          ]
        : [outcome.kind]
    expect(said.filter(Boolean).join(' ')).toBe(words)
  })

  it.each([
    [200, undefined],
    [201, undefined],
    [202, undefined],
    [307, 'lost'],
    [400, 'refused'],
    [403, 'refused'],
    [404, 'refused'],
    [408, 'lost'],
    [409, 'refused'],
    [422, 'refused'],
    [429, 'refused'],
    [500, 'lost'],
    [503, 'lost'],
    [504, 'lost'],
  ])('by its status %i alone is %s', (code, kind) => expect(outcomeOfStatus(code)?.kind).toBe(kind))
})
