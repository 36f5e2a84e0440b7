import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BindingList } from '../../actors/global-management/binding-list.js'
import { DeliveredBindings } from '../../actors/global-management/delivered-bindings.js'
import { FullSync } from '../../actors/global-management/full-sync.js'
import { DELIVERIES_PATH } from '../../http/webhook/deliveries-route.js'
import type { DeliveredBinding } from '../../manifests/delivered-binding.js'
import { resourcePath } from '../../manifests/kube.js'
import { BindingSender } from '../../playground/global-management/binding-sender.js'
import { InstanceService } from '../../proto/gen/kairship/instance_pb.js'
import { curl } from '../http/fakes/listening.js'
import { silent, unmetered } from '../silent.js'
import { eventually } from './support/eventually.js'
import { ManagedWorld, TYPES } from './support/managed-world.js'

const world = new ManagedWorld(InstanceService)
const key = randomBytes(32)
let sender: BindingSender
let list: BindingList
let sync: FullSync

beforeAll(async () => {
  const { playground, another } = world.world
  const host = playground.host.local
  const webhook = () => ({ deliveries: new DeliveredBindings(host), secrets: async () => [key] })
  const replicas = [
    await another('127.0.0.1:0', { webhook: webhook() }),
    await another('127.0.0.1:0', { webhook: webhook() }),
  ]
  sender = new BindingSender({
    replicas: replicas.map(({ url, certificateAuthority: ca = '' }) => ({ url: url + DELIVERIES_PATH, ca })),
    key,
  })
  const files = { roleBindingsCaFile: undefined, roleBindingsCredentialsFile: undefined }
  list = new BindingList(await sender.listen(), files)
  const { signal } = new AbortController()
  sync = new FullSync({
    ...{ list, bindings: new DeliveredBindings(host), everyMs: 3_600_000, log: silent, meter: unmetered },
    leadership: () => ({ leading: true, signal }),
  })
})
afterAll(async () => {
  await list?.close()
  await sender?.close()
})

const binding = (name: string, user: string, more: object = {}): DeliveredBinding =>
  ({
    ...{ name, role: 'Editor', subjects: [{ kind: 'User', name: user }] },
    ...('workspace' in more ? {} : { instance: world.instance }),
    ...more,
  }) as DeliveredBinding
/** Whether a person may read and write in a namespace, through the proxy. */
async function may(token: string, namespace = 'default') {
  const at = `/apis/kairship.io/v1alpha1/instances/${world.instance}/proxy`
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'by-' } }
  const path = at + resourcePath(TYPES.configMaps, { namespace })
  return (await curl(world.world.api, path, { token }, {}, 'POST', body)).status === 201
}
const person = (name: string) => world.world.playground.host.issueToken({ name, groups: [] }, 3_600)

describe('a role that Global Management delivers', () => {
  it('is in effect through two replicas, and over when its deletion came, however late the rest comes', async () => {
    const token = await person('dora')
    const editors = binding('dora', 'dora')
    sender.give(editors)
    expect((await sender.flush({ duplicate: true })).map(({ status }) => status)).toEqual([200, 200])
    await eventually('dora writes', () => may(token))
    sender.give({ ...editors, reason: 'again' })
    sender.take(editors)
    const answers = await sender.flush({ reorder: true, duplicate: true })
    expect(answers.map(({ text }) => JSON.parse(text).result)).toEqual([
      'stored',
      'unchanged',
      'outdated',
      'outdated',
    ])
    await eventually('dora is refused', async () => !(await may(token)))
  })

  it('that was lost is repaired by the full sync, and so is its lost deletion', async () => {
    const token = await person('lea')
    sender.give(binding('lea', 'lea'))
    sender.give(binding('other', 'other'))
    await sender.flush({ drop: () => true })
    const { signal } = new AbortController()
    expect(await sync.compare(signal)).toMatchObject({ stored: 2, ended: 0 })
    await eventually('lea writes', () => may(token))
    sender.take(binding('lea', 'lea'))
    await sender.flush({ drop: () => true })
    expect(await sync.compare(signal)).toMatchObject({ stored: 0, ended: 1 })
    await eventually('lea is refused', async () => !(await may(token)))
  })

  it('of a workspace reaches its namespaces, and ends with the membership of the namespace', async () => {
    const host = world.world.playground.host.local
    const token = await person('wim')
    const bound = { workspace: 'shop', instance: world.instance, namespace: 'default' }
    const name = `namespace-default.${world.instance}`
    const body = {
      apiVersion: 'kairship.io/v1alpha1',
      kind: 'WorkspaceBinding',
      metadata: { name },
      spec: bound,
    }
    const path = '/apis/kairship.io/v1alpha1/workspacebindings'
    await host.request({ method: 'POST', path, body })
    sender.give(binding('wim', 'wim', { workspace: 'shop' }))
    await sender.flush()
    await eventually('wim writes', () => may(token))
    expect(await may(token, 'kube-system')).toBe(false)
    await host.request({ method: 'DELETE', path: `${path}/${name}` })
    await eventually('wim is refused', async () => !(await may(token)))
  })

  it('is over when its end comes, without any delivery', async () => {
    const token = await person('eva')
    const emergency = binding('eva', 'eva', { reason: 'INC-1' })
    sender.give(emergency)
    await sender.flush()
    await eventually('eva writes', () => may(token))
    sender.give({ ...emergency, expiresAt: new Date(Date.now() + 2_000).toISOString() })
    const [answer] = await sender.flush()
    expect(answer?.text).toContain('stored')
    await eventually('eva is refused', async () => !(await may(token)))
  })
})
