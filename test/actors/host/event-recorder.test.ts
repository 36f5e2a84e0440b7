import { expect, it } from 'vitest'
import { EventRecorder } from '../../../actors/host/event-recorder.js'
import type { Happening, KubeEvent } from '../../../manifests/event.js'
import type { Meter } from '../../../ports/meter.js'
import { instance } from '../../machines/instance/facts.js'
import { unmetered } from '../../silent.js'
import { refusal, scriptedApi } from '../scripted-api.js'

const EVENTS = '/api/v1/namespaces/default/events'
const degraded: Happening = { type: 'Warning', reason: 'Degraded', message: 'the control plane is away' }
const signal = new AbortController().signal

function recording(script: (request: { method: string; path: string }) => unknown = () => ({})) {
  const api = scriptedApi()
  api.script = script
  const outcomes: string[] = []
  const meter: Meter = { ...unmetered, count: (_name, labels) => void outcomes.push(String(labels?.outcome)) }
  let now = 0
  const recorder = new EventRecorder(api, meter, () => now)
  return {
    api,
    outcomes,
    pass: (ms: number) => (now += ms),
    record: (happening: Happening, of = instance()) => recorder.record(of, happening, signal),
    bodies: () => api.requests.map(({ body }) => body as KubeEvent),
  }
}

it('writes an Event for the Instance', async () => {
  const { api, record, bodies } = recording()
  await record(degraded)
  expect(api.lines).toEqual([`POST ${EVENTS}`])
  expect(bodies()[0]).toMatchObject({
    ...degraded,
    metadata: { name: expect.stringMatching(/^alpha\.[0-9a-f]+$/), namespace: 'default' },
    involvedObject: { apiVersion: 'kairship.io/v1alpha1', kind: 'Instance', name: 'alpha', uid: 'uid-alpha' },
    count: 1,
  })
})

it('counts repetitions within ten minutes in one Event, and starts another after that', async () => {
  const { api, record, bodies, pass } = recording()
  await record(degraded)
  await record(degraded)
  expect(api.lines[1]).toBe(`PATCH ${EVENTS}/${bodies()[0]?.metadata.name}`)
  expect(bodies()[1]).toMatchObject({ count: 2 })
  await record({ ...degraded, message: 'something else' })
  pass(600_001)
  await record(degraded)
  expect(api.lines.slice(2)).toEqual([`POST ${EVENTS}`, `POST ${EVENTS}`])
})

it('counts separately for each Instance', async () => {
  const { api, record, bodies } = recording()
  const other = instance({ name: 'beta', uid: 'uid-beta' })
  await record(degraded)
  await record(degraded)
  await record(degraded)
  await record(degraded, other)
  expect(bodies().map(({ count }) => count)).toEqual([1, 2, 3, 1])
  expect(api.lines[3]).toBe(`POST ${EVENTS}`)
})

it('waits at most two seconds for an answer', async () => {
  const { api, record } = recording()
  await record(degraded)
  await record(degraded)
  expect(api.requests.map(({ timeoutMs }) => timeoutMs)).toEqual([2_000, 2_000])
})

it('drops its oldest record when many Instances have one', async () => {
  const { api, record } = recording()
  await record(degraded)
  for (let i = 0; i < 4_096; i++) await record(degraded, instance({ name: `i${i}`, uid: `uid-${i}` }))
  await record(degraded)
  expect(api.lines.filter(line => line.startsWith('PATCH'))).toEqual([])
})

it('writes a new Event when the earlier one was deleted', async () => {
  const { api, record, outcomes } = recording(({ method }) =>
    method === 'PATCH' ? refusal(404, 'NotFound') : {},
  )
  await record(degraded)
  await record(degraded)
  expect(api.lines.map(line => line.split(' ')[0])).toEqual(['POST', 'PATCH', 'POST'])
  expect(outcomes).toEqual(['written', 'written'])
})

it('drops Events of one Instance beyond 25 and one in five minutes, and none of others', async () => {
  const { record, outcomes, pass } = recording()
  const other = instance({ name: 'beta', uid: 'uid-beta' })
  for (let i = 0; i < 30; i++) await record({ ...degraded, message: `cause ${i}` })
  expect(outcomes.filter(outcome => outcome === 'dropped')).toHaveLength(5)
  await record(degraded, other)
  pass(300_000)
  await record(degraded)
  await record(degraded)
  expect(outcomes.slice(30)).toEqual(['written', 'written', 'dropped'])
  pass(30 * 300_000)
  for (let i = 0; i < 30; i++) await record({ ...degraded, message: `later cause ${i}` })
  expect(outcomes.slice(33).filter(outcome => outcome === 'dropped')).toHaveLength(5)
})

it.each([
  ['a server that refuses', refusal(403, 'Forbidden')],
  ['a server that cannot be reached', new Error('connect ECONNREFUSED')],
])('never fails because of %s', async (_what, answer) => {
  const { record, outcomes } = recording(() => answer)
  await record(degraded)
  expect(outcomes).toEqual(['failed'])
})

it('truncates a message that an API server would refuse', async () => {
  const { record, bodies } = recording()
  await record({ ...degraded, message: 'x'.repeat(2_000) })
  expect(bodies()[0]?.message).toHaveLength(1024)
})
