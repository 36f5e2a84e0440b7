import type { JsonObject } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { INSTANCE_ROLE_BINDINGS } from '../../../manifests/instance-role-binding.js'
import { resourcePath } from '../../../manifests/kube.js'
import { AuditService } from '../../../proto/gen/kairship/audit_pb.js'
import { CoreService } from '../../../proto/gen/kairship/core_pb.js'
import { curl } from '../../http/fakes/listening.js'
import { eventually } from '../support/eventually.js'
import type { Following } from '../support/following.js'
import { hostUser } from '../support/host-user.js'
import { ManagedWorld, TYPES } from '../support/managed-world.js'

const world = new ManagedWorld(AuditService)
const core = world.of(CoreService)
const ENDED = { durationMs: expect.stringMatching(/^\d+$/), endedAt: expect.stringMatching(/^\d{13}$/) }

const deleteSecret = (name: string, as = core.calls) =>
  as.overRest('deleteSecret', { instance: world.instance, namespace: 'default', name })

/** What the first steps of a stream say, when they have come. */
async function said(following: Following, count: number): Promise<unknown[][]> {
  await eventually(`${count} steps`, () => following.steps.length >= count, { story: following.text })
  return following.steps
    .slice(0, count)
    .map(({ type, event }) => [type, ...(event ? [(event as JsonObject).name] : [])])
}

describe('audit events', () => {
  it('say which roles were given, changed and withdrawn, though no request of Kairship wrote them', async () => {
    const { local } = world.world.playground.host
    const spec = { instance: world.instance, role: 'Editor', subjects: [{ kind: 'User', name: 'pia' }] }
    const body = {
      apiVersion: 'kairship.io/v1alpha1',
      kind: 'InstanceRoleBinding',
      metadata: { name: 'pia' },
      spec,
    }
    await local.request({ method: 'POST', path: resourcePath(INSTANCE_ROLE_BINDINGS), body })
    const place = { name: 'pia' }
    const listed = (verb: string) =>
      eventually(`an event of ${verb}`, async () => {
        const { items } = await world.calls.read('listAuditEvents', {
          ...{ instance: world.instance, resource: 'instancerolebindings', name: 'pia', verb },
        })
        return items.length > 0 ? items : undefined
      })
    const [given] = await listed('bind')
    expect(given).toMatchObject({
      ...{ user: 'kairship:controller-manager', operation: 'role given', wire: '', outcome: 'SUCCEEDED' },
      ...{ message: 'Editor for User pia', apiGroup: 'kairship.io', stage: 'ResponseComplete' },
    })
    await local.request({ method: 'DELETE', path: resourcePath(INSTANCE_ROLE_BINDINGS, place) })
    expect(await listed('unbind')).toMatchObject([{ operation: 'role withdrawn', name: 'pia' }])
    // Who reads the instance and not its audit events sees none of it.
    const { items } = await world.viewer.read('listAuditEvents', { resource: 'instancerolebindings' })
    expect(items).toEqual([])
  })

  it('are what was done through the management API and the proxy, by whom, to what, and how it ended', async () => {
    const { api, playground } = world.world
    await deleteSecret('through-the-api')
    const path = resourcePath(TYPES.secrets, { namespace: 'default', name: 'through-the-proxy' })
    const proxy = `/apis/kairship.io/v1alpha1/instances/${world.instance}/proxy`
    await curl(api, proxy + path, { token: playground.tokens.admin }, {}, 'DELETE')
    const { items, pagination, completeSince } = await world.calls.read('listAuditEvents', {
      ...{ instance: world.instance, resource: 'secrets', verb: 'delete', pageSize: 2 },
    })
    const common = {
      ...{ instance: world.instance, cluster: '', apiGroup: '', apiVersion: 'v1', resource: 'secrets' },
      ...{ subresource: '', namespace: 'default', verb: 'delete', outcome: 'FAILED', code: 'NOT_FOUND' },
      ...{
        stage: 'ResponseComplete',
        status: 404,
        remote: '127.0.0.1',
        userAgent: expect.any(String),
        id: expect.any(String),
        message: '',
        actingAs: '',
      },
      ...ENDED,
    }
    expect(items).toEqual([
      { ...common, user: 'admin@playground', wire: 'proxy', operation: path, name: 'through-the-proxy' },
      {
        ...common,
        user: 'admin@playground',
        wire: 'rest',
        operation: 'Core_DeleteSecret',
        name: 'through-the-api',
      },
    ])
    expect(pagination).toMatchObject({ total: 2, pages: 1 })
    expect(Number(completeSince)).toBeLessThan(Number(items[1].endedAt))
  })

  it('are shown to those who did them, and to others by their rights to instances/audit', async () => {
    const rights = { 'instances/proxy': ['get', 'delete'] }
    const { host } = world.world.playground
    const one = await hostUser(host, 'does-things', rights)
    const other = await hostUser(host, 'does-other-things', rights)
    const auditor = await hostUser(host, 'reads-audit', { 'instances/audit': ['get'] })
    for (const [token, name] of [
      [one, 'of-one'],
      [other, 'of-other'],
    ] as const) {
      const calls = core.calls.as(token)
      expect((await deleteSecret(name, calls)).json.code).toBe(7)
      calls.close()
    }
    const seen = async (token: string): Promise<string[]> => {
      const calls = world.calls.as(token)
      const { items } = await calls.read('listAuditEvents', { resource: 'secrets', outcome: 'DENIED' })
      calls.close()
      return items.map(({ user, name }: { user: string; name: string }) => `${user} ${name}`)
    }
    expect(await seen(one)).toEqual(['does-things of-one'])
    expect(await seen(other)).toEqual(['does-other-things of-other'])
    expect(await seen(auditor)).toEqual(['does-other-things of-other', 'does-things of-one'])
  })

  it('show a watch of Secrets while it goes on, over both wires, and its end under the same id', async () => {
    const chosen = { ...{ instance: world.instance, resource: 'secrets', verb: 'watch', pageSize: 0 } }
    const stages = async () => {
      const { items } = await world.calls.read('listAuditEvents', chosen)
      return (items as { id: string; wire: string; stage: string; outcome: string }[]).map(
        ({ id, wire, stage, outcome }) => ({ id, text: `${wire} ${stage} ${outcome}` }),
      )
    }
    const { rest, grpc } = core.calls.follow('watchSecrets', {
      instance: world.instance,
      namespace: 'default',
    })
    const begun = [
      'grpc ResponseStarted AUDIT_OUTCOME_UNSPECIFIED',
      'rest ResponseStarted AUDIT_OUTCOME_UNSPECIFIED',
    ]
    const live = await eventually('both have begun', async () => {
      const found = await stages()
      return found.length === 2 ? found : undefined
    })
    expect(live.map(({ text }) => text).sort()).toEqual(begun)
    rest.close()
    grpc.close()
    await eventually('both have ended', async () => (await stages()).length === 4)
    const ids = (await stages()).map(({ id }) => id).sort()
    expect(ids).toEqual(live.flatMap(({ id }) => [id, id]).sort())
  })

  it('are followed as they happen, and again after the last token', async () => {
    const request = { resource: 'secrets', namespace: 'default', since: String(Date.now() + 1) }
    const { rest, grpc } = world.calls.follow('watchAuditEvents', request)
    try {
      for (const stream of [rest, grpc]) expect(await said(stream, 2)).toEqual([['RESET'], ['BOOKMARK']])
      await deleteSecret('followed')
      for (const stream of [rest, grpc])
        expect((await said(stream, 3)).slice(2)).toEqual([['ADDED', 'followed']])
      await deleteSecret('and-another')
      const resumeToken = rest.steps[2]?.resumeToken as string
      const again = world.calls.follow('watchAuditEvents', { ...request, resumeToken })
      try {
        for (const stream of [again.rest, again.grpc])
          expect(await said(stream, 2)).toEqual([['BOOKMARK'], ['ADDED', 'and-another']])
      } finally {
        again.rest.close()
        again.grpc.close()
      }
    } finally {
      rest.close()
      grpc.close()
    }
  })
})
