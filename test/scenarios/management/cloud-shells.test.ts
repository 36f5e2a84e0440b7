import { describe, expect, it } from 'vitest'
import { CLOUD_SHELL_NAMESPACE, CLOUD_SHELLS } from '../../../manifests/cloud-shell.js'
import { CloudShellService } from '../../../proto/gen/kairship/cloudshell_pb.js'
import { cloudShellDefinition } from '../support/cloud-shell-definition.js'
import { eventually } from '../support/eventually.js'
import { hostUser } from '../support/host-user.js'
import { ManagedWorld, TYPES } from '../support/managed-world.js'

const world = new ManagedWorld(CloudShellService)
const host = () => world.world.playground.host.local
const at = (name: string) => ({ namespace: CLOUD_SHELL_NAMESPACE, name })
const named = (name: string) => ({ instance: world.instance, name })
const create = (data: object, instance = world.instance) =>
  world.calls.overRest('createCloudShell', { instance, data } as never)
const start = async (spec: object = {}): Promise<string> => {
  const { ok, json, text } = await create({ spec })
  expect(ok, text).toBe(true)
  return json.metadata.name
}

describe('a host without CloudTTY', () => {
  it('refuses terminals with a stable reason, over REST and gRPC', async () => {
    const request = { instance: world.instance, data: {} }
    for (const outcome of [
      await world.calls.both('createCloudShell', request),
      await world.calls.both('getCloudShell', named('x')),
      await world.calls.both('deleteCloudShell', named('x')),
    ]) {
      expect(outcome.json.code, outcome.text).toBe(9)
      expect(JSON.stringify(outcome.json.details)).toContain('NoCloudShells')
    }
  })
})

describe('a terminal', () => {
  it('is started with a kubeconfig of the instance, shown with its address, and deleted with its Secret', async () => {
    await host().request({
      method: 'POST',
      path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
      body: cloudShellDefinition,
    })
    await eventually(
      'CloudShells are served',
      async () => (await world.calls.overRest('getCloudShell', named('x'))).json.code === 5,
    )
    const name = await start({ commandAction: 'kubectl get clusters', once: true, cleanup: true })
    const stored = await world.find(host(), CLOUD_SHELLS, at(name))
    const { secretRef } = stored.spec
    expect(stored.spec).toEqual({
      secretRef: { name: expect.stringMatching(`^${name}-[0-9a-f]{8}$`) },
      commandAction: 'kubectl get clusters',
      ...{ once: true, cleanup: true, ttlSecondsAfterStarted: 500 },
    })
    const secret = await world.find(host(), TYPES.secrets, at(secretRef.name))
    expect(secret.metadata.ownerReferences).toMatchObject([
      { kind: 'CloudShell', name, uid: stored.metadata.uid },
    ])
    const kubeconfig = Buffer.from(secret.data.config, 'base64').toString()
    expect(kubeconfig).toContain(world.control.server)
    const [, token = ''] = /token: (\S+)/.exec(kubeconfig) ?? []
    expect(token).not.toBe('')
    expect(JSON.stringify(world.log())).not.toContain(token)

    await world.patch(
      host(),
      CLOUD_SHELLS,
      at(name),
      { status: { phase: 'Ready', accessUrl: '10.0.0.1:30001' } },
      'status',
    )
    expect(await world.calls.read('getCloudShell', named(name))).toMatchObject({
      metadata: { name },
      spec: { commandAction: 'kubectl get clusters', once: true, ttl: 500 },
      status: { phase: 'Ready', accessUrl: '10.0.0.1:30001' },
    })
    expect(await world.calls.rest('deleteCloudShell', named(name))).toEqual({})
    expect((await world.calls.both('deleteCloudShell', named(name))).json.code).toBe(5)
    await eventually(
      'its Secret is gone',
      async () => !(await world.find(host(), TYPES.secrets, at(secretRef.name))),
    )
  })

  it('never has the Secret of an earlier one of its name', async () => {
    const name = await start()
    const before = (await world.find(host(), CLOUD_SHELLS, at(name))).spec.secretRef.name
    const held = (finalizers: readonly string[]) =>
      world.patch(host(), TYPES.secrets, at(before), { metadata: { finalizers } })
    await held(['example.com/held'])
    expect(await world.calls.rest('deleteCloudShell', named(name))).toEqual({})
    expect(await world.find(host(), TYPES.secrets, at(before))).toBeDefined()
    const again = await create({ metadata: { name } })
    expect(again.ok, again.text).toBe(true)
    const stored = await world.find(host(), CLOUD_SHELLS, at(name))
    expect(stored.spec.secretRef.name).not.toBe(before)
    const secret = await world.find(host(), TYPES.secrets, at(stored.spec.secretRef.name))
    expect(secret.metadata.ownerReferences).toMatchObject([{ uid: stored.metadata.uid }])
    await held([])
  })

  it('is visible to its owner only, in its instance only', async () => {
    const name = await start()
    await world.patch(host(), CLOUD_SHELLS, at(name), {
      metadata: { annotations: { 'kairship.io/issued-to': 'else' } },
    })
    expect((await world.calls.both('getCloudShell', named(name))).json.code).toBe(5)
    expect((await world.calls.overRest('deleteCloudShell', named(name))).json.code).toBe(5)
    expect(await world.find(host(), CLOUD_SHELLS, at(name))).toBeDefined()
    const other = await start()
    const elsewhere = await world.calls.both('getCloudShell', { instance: 'elsewhere', name: other })
    expect(elsewhere.json.code).toBe(5)
  })

  it('is rolled back when its Secret cannot be stored', async () => {
    const { server } = { server: world.world.playground.host }
    const undo = server.interrupt({
      kind: 'answer',
      matches: ({ method, path }) => method === 'POST' && path.endsWith('/secrets'),
      response: {
        code: 403,
        body: {
          object: {
            ...{ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code: 403 },
            ...{ message: 'told to fail', reason: 'Forbidden' },
          },
        },
      },
    })
    try {
      const { text } = await create({ metadata: { name: 'broken' } })
      expect(text).toContain('told to fail')
    } finally {
      undo()
    }
    expect(await world.find(host(), CLOUD_SHELLS, at('broken'))).toBeUndefined()
  })

  it.each([
    [{ spec: { ttl: 86_401 } }, 3, 'data.spec.ttl'],
    [{ spec: { ttl: -1 } }, 3, 'data.spec.ttl'],
    [{ spec: { commandAction: 'x'.repeat(4_097) } }, 3, 'data.spec.commandAction'],
    [{ metadata: { name: 'No Name' } }, 3, 'metadata.name'],
  ])('is refused for %j', async (data, code, words) => {
    const { json, text } = await world.calls.both('createCloudShell', {
      instance: world.instance,
      data,
    } as never)
    expect([json.code, text]).toEqual([code, expect.stringContaining(words)])
  })

  it('is refused for a caller without the right to an admin kubeconfig, and for a missing instance', async () => {
    const request = { instance: world.instance, data: {} }
    expect((await world.viewer.both('createCloudShell', request)).json.code).toBe(7)
    expect((await world.calls.both('createCloudShell', { instance: 'nowhere', data: {} })).json.code).toBe(5)
  })

  it('is refused for a caller who may only create cloud shells, because it has a kubeconfig with all rights', async () => {
    const token = await hostUser(world.world.playground.host, 'shells-only', {
      'instances/cloudshells': ['get', 'create', 'delete'],
    })
    const caller = world.calls.as(token)
    try {
      const { json, text } = await caller.both('createCloudShell', { instance: world.instance, data: {} })
      expect([json.code, text]).toEqual([
        7,
        expect.stringContaining('cannot create resource "instances/kubeconfig"'),
      ])
    } finally {
      caller.close()
    }
  })
})
