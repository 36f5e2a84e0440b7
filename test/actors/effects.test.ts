import { describe, expect, it } from 'vitest'
import { addFinalizer, removeFinalizer } from '../../actors/finalizer.js'
import { publishRegistration } from '../../actors/instance-registry.js'
import { writeStatus } from '../../actors/status-sync.js'
import { FINALIZER } from '../../machines/facts.js'
import { instance } from '../machines/facts.js'
import { waitFor } from '../patience.js'
import { EffectsUnderTest, failing } from './effects-under-test.js'
import { refusal } from './scripted-api.js'

const INSTANCES = '/apis/kairship.io/v1alpha1/instances'
const effects = new EffectsUnderTest()

describe('any effect', () => {
  it('asks for nothing when this replica does not lead, whatever it was told', async () => {
    effects.leading = false
    expect(await failing(effects.run(publishRegistration))).toBe('NotLeading: this replica does not lead')
    expect(effects.host.requests).toEqual([])
    expect(effects.events.map(({ phase }) => phase)).toEqual(['began', 'failed'])
  })

  it('that is aborted says so and ends its request', async () => {
    let signal: AbortSignal | undefined
    effects.host.script = request => {
      signal = request.signal
      return new Promise((_, reject) =>
        request.signal?.addEventListener('abort', () => reject(request.signal?.reason)),
      )
    }
    const actor = effects.actor(publishRegistration)
    actor.start()
    await waitFor(() => expect(signal).toBeDefined())
    actor.stop()
    await waitFor(() => expect(effects.events.map(({ phase }) => phase)).toEqual(['began', 'aborted']))
    expect(signal?.aborted).toBe(true)
  })
})

describe('the finalizer', () => {
  const bare = instance({ finalizers: [], resourceVersion: '7' })

  it('is added over the version that was seen, and over no other', async () => {
    effects.host.script = () => ({})
    expect(await effects.run(addFinalizer, { of: bare })).toBe('held')
    expect(effects.host.requests[0]).toMatchObject({
      method: 'PATCH',
      path: `${INSTANCES}/alpha`,
      body: [
        { op: 'test', path: '/metadata/uid', value: 'uid-alpha' },
        { op: 'test', path: '/metadata/resourceVersion', value: '7' },
        { op: 'add', value: expect.anything() },
      ],
    })
    effects.host.script = () => refusal(422, 'Invalid', 'the server rejected our request')
    expect(await failing(effects.run(addFinalizer, { of: bare }))).toMatch(
      /^Conflict: instance alpha changed/,
    )
  })

  it('that is there is not added again', async () => {
    expect(await effects.run(addFinalizer)).toBe('held')
    expect(effects.host.requests).toEqual([])
  })

  it('is removed where it is, and nobody else’s with it', async () => {
    const live = instance({ finalizers: ['others.io/a', FINALIZER] })
    effects.host.script = ({ method }) => (method === 'GET' ? live : {})
    await effects.run(removeFinalizer)
    expect(effects.host.requests.at(-1)?.body).toEqual([
      { op: 'test', path: '/metadata/finalizers/1', value: FINALIZER },
      { op: 'remove', path: '/metadata/finalizers/1' },
    ])
  })

  it.each([
    ['the CR is gone', undefined],
    ['another CR bears the name', instance({ uid: 'another' })],
    ['somebody removed it', instance({ finalizers: [] })],
  ])('is not removed when %s', async (_why, live) => {
    effects.host.script = () => live
    expect(await effects.run(removeFinalizer)).toBe('gone')
    expect(effects.host.lines).toEqual([`GET ${INSTANCES}/alpha`])
  })
})

describe('the status', () => {
  const wanted = (phase: string) => JSON.stringify({ phase, conditions: [] })
  const seenCr = instance({ resourceVersion: '9', status: { phase: 'Registering', conditions: [] } })

  it('is written as the difference, over the version that was seen', async () => {
    effects.host.script = () => instance({ status: { phase: 'Ready', conditions: [] } })
    await effects.run(writeStatus, { of: seenCr, wanted: wanted('Ready') })
    expect(effects.host.requests[0]).toMatchObject({
      path: `${INSTANCES}/alpha/status`,
      body: { metadata: { resourceVersion: '9' }, status: { phase: 'Ready' } },
    })
  })

  it('that stands there already is not written', async () => {
    await effects.run(writeStatus, { of: seenCr, wanted: wanted('Registering') })
    expect(effects.host.requests).toEqual([])
  })

  it.each([
    [
      'another writer',
      refusal(409, 'Conflict', 'the object has been modified'),
      'Conflict: the object has been modified',
    ],
    ['a CR that went meanwhile', refusal(404, 'NotFound'), 'succeeded'],
    ['a server in trouble', refusal(503, 'ServiceUnavailable', 'later'), 'Unavailable: later'],
  ])('meets %s', async (_what, answer, outcome) => {
    effects.host.script = () => answer
    expect(await failing(effects.run(writeStatus, { of: seenCr, wanted: wanted('Ready') }))).toBe(outcome)
  })
})
