import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { RoleEndings } from '../../../actors/fleet/role-endings.js'
import { ConcurrencyLimiter } from '../../../actors/instance/concurrency-limiter.js'
import type { InstanceDependencies } from '../../../actors/instance/dependencies.js'
import type { AuditEvent } from '../../../manifests/audit-event.js'
import type { Condition } from '../../../manifests/kube.js'
import { silent } from '../../silent.js'
import {
  instanceRoleBinding,
  roleBindingIndex,
  workspaceRoleBinding,
} from '../host/role-bindings/watched-roles.js'
import { refusal, scriptedApi } from '../scripted-api.js'

const ANN = { kind: 'User', name: 'ann' } as const
const DAY = 24 * 3_600_000
afterEach(() => void vi.useRealTimers())

/** The endings of roles over types that a test sets; statuses that are written come back through the watch. */
function ending({ leading = true } = {}) {
  vi.useFakeTimers()
  const { index, clock, bindings, workspaceRoleBindings } = roleBindingIndex()
  const host = scriptedApi()
  host.script = ({ method, path, body }) => {
    const [type, name = ''] = path.split('/').slice(4)
    const watched = type === 'instancerolebindings' ? bindings : workspaceRoleBindings
    if (method === 'DELETE') watched.hide(name)
    const stored = watched.get(name)
    if (method === 'PATCH' && !stored) return refusal(404, 'NotFound')
    if (method === 'PATCH') watched.show({ ...stored!, status: (body as { status: object }).status } as never)
    return {}
  }
  const events: AuditEvent[] = []
  const signal = new AbortController().signal
  const start = () => {
    const dependencies = {
      host: { api: host, roleBindings: index },
      log: silent,
      leadership: () => ({ leading, signal }),
      writing: new ConcurrencyLimiter(4),
      visiting: new ConcurrencyLimiter(4),
      effectChanged: () => undefined,
    } as unknown as InstanceDependencies
    const endings = new RoleEndings({
      dependencies,
      audit: event => events.push(event),
      now: () => clock.wall,
    })
    endings.start()
    endings.look()
    onTestFinished(() => endings.stop())
    return endings
  }
  /** Lets time pass on both clocks. */
  const pass = async (ms: number) => {
    for (let left = ms; left > 0; left -= 60_000) {
      clock.wall += Math.min(left, 60_000)
      await vi.advanceTimersByTimeAsync(Math.min(left, 60_000))
    }
  }
  const lost = () => bindings.contact.next(new Error('away') as never)
  const conditionOf = (name: string): Condition | undefined =>
    bindings.get(name)?.status?.conditions?.find(({ type }) => type === 'Expired')
  const until = (ms: number) => new Date(clock.wall + ms).toISOString()
  return { clock, bindings, workspaceRoleBindings, host, events, start, pass, conditionOf, until, lost }
}
const said = (events: readonly AuditEvent[]) =>
  events.map(({ annotations, objectRef }) => `${objectRef?.name} ${annotations['kairship.io/operation']}`)

it('a role with an end leaves an audit event and a condition when it begins and when it ends, and is removed a day later', async () => {
  const { bindings, events, start, pass, conditionOf, until, host } = ending()
  start()
  bindings.show(
    instanceRoleBinding('emergency', 'eu', 'Admin', {
      subjects: [ANN],
      expiresAt: until(60_000),
      reason: 'INC-1',
    } as never),
  )
  bindings.show(instanceRoleBinding('usual', 'eu', 'Admin', { subjects: [ANN] }))
  const ofEmergency = () => events.filter(({ objectRef }) => objectRef?.name === 'emergency')
  await pass(1_000)
  expect(said(ofEmergency())).toEqual(['emergency role began'])
  expect(ofEmergency()[0]).toMatchObject({
    verb: 'bind',
    user: { username: 'kairship:controller-manager' },
    objectRef: { resource: 'instancerolebindings', name: 'emergency' },
    annotations: {
      ...{ 'kairship.io/instance': 'eu', 'kairship.io/role': 'Admin', 'kairship.io/subjects': 'User ann' },
      'kairship.io/reason': 'INC-1',
    },
  })
  expect(conditionOf('emergency')).toMatchObject({ status: 'False', reason: 'InEffect' })
  await pass(60_000)
  expect(said(ofEmergency())).toEqual(['emergency role began', 'emergency role ended'])
  expect(conditionOf('emergency')).toMatchObject({ status: 'True', reason: 'Ended' })
  const written = host.lines.length
  await pass(3_600_000)
  expect(host.lines.length).toBe(written)
  await pass(DAY)
  expect(host.lines.slice(written)).toEqual([
    'DELETE /apis/kairship.io/v1alpha1/instancerolebindings/emergency',
  ])
  expect([...bindings.values()].map(({ metadata }) => metadata.name)).toEqual(['usual'])
  expect(ofEmergency()).toHaveLength(2)
})

it('roles without an end leave an audit event when they are given and withdrawn, by the leader alone', async () => {
  for (const leading of [true, false]) {
    const { bindings, events, start, pass } = ending({ leading })
    start()
    bindings.show(instanceRoleBinding('usual', 'eu', 'Admin', { subjects: [ANN] }))
    bindings.hide('usual')
    await pass(1_000)
    expect(said(events)).toEqual(leading ? ['usual role given', 'usual role withdrawn'] : [])
  }
})

it('one that began and ended while nobody led is reported as ended, and one of a workspace too', async () => {
  const { bindings, workspaceRoleBindings, events, start, pass, until } = ending()
  bindings.show(instanceRoleBinding('past', 'eu', 'Admin', { expiresAt: until(-1_000) }))
  workspaceRoleBindings.show(workspaceRoleBinding('members', 'shop', 'Viewer', { expiresAt: until(60_000) }))
  start()
  await pass(1_000)
  expect(said(events)).toEqual(['past role ended', 'members role began'])
})

it('a restart repeats nothing, and a crash between the event and the status repeats the event under the same id', async () => {
  const { bindings, events, start, pass, until, host } = ending()
  const { script } = host
  host.script = ({ method }) => (method === 'PATCH' ? refusal(500, 'InternalError') : {})
  start().look()
  bindings.show(instanceRoleBinding('emergency', 'eu', 'Admin', { expiresAt: until(3_600_000) }))
  await pass(1_000)
  host.script = script
  start()
  await pass(1_000)
  start()
  await pass(1_000)
  const [first, second, ...others] = events.map(({ auditID }) => auditID)
  expect([second, others]).toEqual([first, []])
})

it('one that is put off after its end begins again, and one that is deleted before its end has ended', async () => {
  const { bindings, events, start, pass, until } = ending()
  start()
  const show = (ms: number, generation: number) => {
    const { status } = bindings.get('emergency') ?? {}
    const binding = instanceRoleBinding('emergency', 'eu', 'Admin', {
      ...{ expiresAt: until(ms), metadata: { generation } },
    })
    bindings.show({ ...binding, ...(status && { status }) })
  }
  show(10_000, 1)
  await pass(1_000)
  await pass(20_000)
  show(60_000, 2)
  await pass(1_000)
  bindings.hide('emergency')
  await pass(1_000)
  expect(said(events)).toEqual(['began', 'ended', 'began', 'ended'].map(what => `emergency role ${what}`))
})

it('a replica that does not lead writes nothing', async () => {
  const { bindings, events, start, pass, until, host } = ending({ leading: false })
  start()
  bindings.show(instanceRoleBinding('emergency', 'eu', 'Admin', { expiresAt: until(10_000) }))
  await pass(20_000)
  bindings.hide('emergency')
  expect([events, host.lines]).toEqual([[], []])
})

it('one that is put off while it is in effect says its new end, and has begun once', async () => {
  const { bindings, events, start, pass, until, conditionOf } = ending()
  start()
  bindings.show(instanceRoleBinding('emergency', 'eu', 'Admin', { expiresAt: until(3_600_000) }))
  await pass(1_000)
  const end = until(7_200_000)
  const { status } = bindings.get('emergency') ?? {}
  bindings.show({
    ...instanceRoleBinding('emergency', 'eu', 'Admin', { expiresAt: end }),
    ...(status && { status }),
  })
  await pass(1_000)
  expect(conditionOf('emergency')?.message).toBe(`it ends at ${end}`)
  expect(said(events)).toEqual(['emergency role began', 'emergency role changed'])
})

it('one with an end that is given to another leaves an audit event, by the leader alone', async () => {
  for (const leading of [true, false]) {
    const { bindings, events, start, pass, until } = ending({ leading })
    start()
    const expiresAt = until(3_600_000)
    const to = (name: string) =>
      instanceRoleBinding('emergency', 'eu', 'Admin', { expiresAt, subjects: [{ kind: 'User', name }] })
    bindings.show(to('ann'))
    await pass(1_000)
    const { status } = bindings.get('emergency') ?? {}
    bindings.show({ ...to('bob'), ...(status && { status }) })
    await pass(1_000)
    expect(said(events)).toEqual(leading ? ['emergency role began', 'emergency role changed'] : [])
    expect(events[1]?.annotations['kairship.io/subjects']).toBe(leading ? 'User bob' : undefined)
  }
})

it('one that is deleted before anything of it was reported has not ended', async () => {
  const { bindings, events, start, pass, until } = ending()
  start()
  bindings.show(instanceRoleBinding('emergency', 'eu', 'Admin', { expiresAt: until(60_000) }))
  bindings.hide('emergency')
  await pass(1_000)
  expect(events).toEqual([])
})

it('one whose end cannot be read stays, and one that is being deleted is not deleted again', async () => {
  const { bindings, host, start, pass, until } = ending()
  bindings.show(instanceRoleBinding('misspelt', 'eu', 'Admin', { expiresAt: 'tomorrow' }))
  bindings.show(
    instanceRoleBinding('going', 'eu', 'Admin', {
      ...{ expiresAt: until(-2 * DAY), metadata: { deletionTimestamp: until(-DAY) } },
    }),
  )
  start()
  await pass(300_000)
  expect(host.lines.filter(line => line.startsWith('DELETE'))).toEqual([])
})

it('of one that is deleted while another replica leads that one says that it ended', async () => {
  const { bindings, events, start, pass, until } = ending()
  start()
  bindings.show(instanceRoleBinding('emergency', 'eu', 'Admin', { expiresAt: until(60_000) }))
  await pass(1_000)
  const other = ending({ leading: false })
  other.start()
  const reported = bindings.get('emergency')
  expect(said(events)).toEqual(['emergency role began'])
  if (reported) other.bindings.show(reported)
  other.bindings.hide('emergency')
  expect(other.events).toEqual([])
})

it('what could not be written is written a minute later, and nothing is while the host is away', async () => {
  const { bindings, host, events, start, pass, until, conditionOf, lost } = ending()
  const { script } = host
  host.script = ({ method }) => (method === 'PATCH' ? refusal(500, 'InternalError') : {})
  start()
  bindings.show(instanceRoleBinding('emergency', 'eu', 'Admin', { expiresAt: until(3_600_000) }))
  await pass(1_000)
  expect(conditionOf('emergency')).toBeUndefined()
  host.script = script
  await pass(61_000)
  expect(conditionOf('emergency')).toMatchObject({ status: 'False' })
  const [written, said] = [host.lines.length, events.length]
  lost()
  await pass(2 * DAY)
  expect([host.lines.length, events.length]).toEqual([written, said])
})

it('one that somebody changed while it was removed keeps no other from being removed, and is looked at again', async () => {
  const { bindings, host, start, pass, until } = ending()
  for (const name of ['changed', 'old'])
    bindings.show(instanceRoleBinding(name, 'eu', 'Admin', { expiresAt: until(-2 * DAY) }))
  const { script } = host
  let isChanged = true
  host.script = request => {
    if (request.method !== 'DELETE' || !request.path.endsWith('/changed') || !isChanged)
      return script(request)
    isChanged = false
    return refusal(409, 'Conflict')
  }
  start()
  await pass(1_000)
  expect([isChanged, ...bindings.values()]).toEqual([false])
})
