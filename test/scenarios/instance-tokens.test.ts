import { describe, expect, it } from 'vitest'
import { InstanceService } from '../../proto/gen/kairship/instance_pb.js'
import { curl } from '../http/fakes/listening.js'
import { ManagedWorld } from './support/managed-world.js'

const world = new ManagedWorld(InstanceService)
const issue = (calls = world.calls) =>
  calls.both('createInstanceToken', { instance: world.instance } as never)
const proxied = (token: string, instance: string, path = '/version') =>
  curl(world.world.api, `/apis/kairship.io/v1alpha1/instances/${instance}/proxy${path}`, { token })

describe('a token for one instance', () => {
  it('is accepted on all doors for what is about the instance', async () => {
    const { token, kubeConfigString, tokenId } = await world.calls.rest('createInstanceToken', {
      instance: world.instance,
    })
    expect(kubeConfigString).toContain(token)
    expect(tokenId).toMatch(/^[0-9a-f]{32}$/)
    expect((await proxied(token, world.instance)).status).toBe(200)
    const holder = world.calls.as(token)
    expect((await holder.read('getInstance', { name: world.instance })).metadata.name).toBe(world.instance)
    holder.close()
  })

  it('gives no more than its user has', async () => {
    const { token } = await world.viewer.rest('createInstanceToken', { instance: world.instance })
    expect((await proxied(token, world.instance, '/api/v1/secrets')).status).toBe(403)
  })

  it('is refused for everything else, on both wires', async () => {
    const { token } = await world.calls.rest('createInstanceToken', { instance: world.instance })
    const holder = world.calls.as(token)
    const elsewhere = await proxied(token, 'another')
    expect([elsewhere.status, elsewhere.text]).toEqual([403, expect.stringContaining('is for the instance')])
    const { json } = await holder.both('getInstance', { name: 'another' })
    expect(json).toMatchObject({ code: 7, message: expect.stringContaining('alone') })
    expect((await holder.read('listInstances', {})).items).toHaveLength(1)
    holder.close()
  })

  it('makes no other token', async () => {
    const { token } = await world.calls.rest('createInstanceToken', { instance: world.instance })
    const holder = world.calls.as(token)
    expect((await issue(holder)).json).toMatchObject({
      code: 7,
      message: expect.stringContaining('cannot be used'),
    })
    holder.close()
  })

  it('is in no log line, and its issue is in the audit log', async () => {
    const { token } = await world.calls.rest('createInstanceToken', { instance: world.instance })
    const lines = JSON.stringify(world.log())
    expect(lines).not.toContain(token)
    expect(lines).toContain('CreateInstanceToken')
  })
})
