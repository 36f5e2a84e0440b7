import type { JsonObject } from '@bufbuild/protobuf'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { permissionOf } from '../../http/operation/permission.js'
import type { InstanceRole } from '../../manifests/instance-role-binding.js'
import { bindingsOf, type HttpMethod } from '../../transcoding/binding.js'
import { testApi } from '../http/fakes/api.js'
import { fakeFleet, viewOf } from '../http/fakes/fleet.js'
import { restRequest } from '../scenarios/support/rest-request.js'
import { requestFor } from './requests.js'
import { nameOf, operations } from './table.js'

type TestApi = ReturnType<typeof testApi>

/** Calls an operation over REST, and reads the answer; of a stream what comes before its first BOOKMARK ends. */
async function ask({ app }: TestApi, method: HttpMethod, request: JsonObject, token: string) {
  const [binding] = bindingsOf(method)
  const { verb, path, body } = restRequest(method, binding!, request)
  const headers = {
    authorization: `Bearer ${token}`,
    ...(body !== undefined && { 'content-type': 'application/json' }),
  }
  const init = { method: verb, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }
  const response = await app.request(path, init, {})
  let text = ''
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
    text += read.value
    if (text.includes('"BOOKMARK"')) break
  }
  await reader?.cancel()
  return { status: response.status, text }
}

/** By which others have a role on north, through a workspace that it belongs to. */
const CREW = { instance: 'north', workspace: 'shop', subject: { kind: 'Group', name: 'crew' } } as const
const at = (instance: string) => ({ instance, member: 'member', namespace: 'shop' })
const named = operations.filter(method => permissionOf(method)?.nameField)

describe('an instance on which the caller has no role', () => {
  it.each(named.map(method => [nameOf(method), method] as const))(
    'is refused with the same words and the same work as one that does not exist: %s',
    async (_, method) => {
      const outcomes: object[] = []
      for (const instance of ['north', 'nowhere']) {
        const api = testApi()
        api.fleet.roleBindings.give('south', 'Admin', {
          instance: 'south',
          subject: { kind: 'User', name: 'nobody' },
        })
        api.fleet.roleBindings.giveMembers('of-crew', 'Viewer', CREW)
        const { status, text } = await ask(api, method, requestFor(method, at(instance), false), 'nobody')
        api.api.endStreams()
        const plain = (value: string) => value.replaceAll(instance, 'it')
        outcomes.push({
          status,
          text: plain(text).replace(/"requestId":"[^"]*"/, ''),
          work: api.host.requests.map(({ method, path, body }) =>
            plain(JSON.stringify([method, path, body])),
          ),
        })
      }
      expect(outcomes[0]).toMatchObject({ status: 403 })
      expect(outcomes[0]).toEqual(outcomes[1])
    },
  )
})

it('a review of actions says the same of an instance without a role as of none, with the same work', async () => {
  const review = operations.find(method => nameOf(method) === 'AccessReview.ReviewAccess')!
  const resources = ['instances', 'instances/proxy', 'instances/kubeconfig', 'instances/access']
  const asked = async (instance: string) => {
    const api = testApi()
    // There is much to know of it: it is in a workspace, and others have roles on it.
    api.fleet.roleBindings.give('of-ann', 'Admin', {
      instance: 'north',
      subject: { kind: 'User', name: 'ann' },
    })
    api.fleet.roleBindings.giveMembers('of-crew', 'Viewer', CREW)
    const actions = resources.map(resource => ({ verb: 'get', resource, name: instance }))
    const { status, text } = await ask(api, review, { actions }, 'nobody')
    const plain = (value: string) => value.replaceAll(instance, 'it')
    const work = api.host.requests.map(({ method, path, body }) =>
      plain(JSON.stringify([method, path, body])),
    )
    return { status, text: plain(text), work: work.sort() }
  }
  const there = await asked('north')
  expect(there).toMatchObject({ status: 200, text: expect.stringContaining('no role binding of it names') })
  expect(there).toEqual(await asked('nowhere'))
})

const NAMES = ['amber', 'basil', 'cedar', 'delta', 'ebony'] as const
const RANKS: readonly InstanceRole[] = ['Viewer', 'Editor', 'Admin']

/** How the caller may have come by a role on an instance. */
const given = fc.record({
  instance: fc.constantFrom(...NAMES),
  role: fc.constantFrom(...RANKS),
  to: fc.constantFrom('the caller', 'its group', 'somebody else', 'its workspace'),
  namespaces: fc.constantFrom(undefined, ['shop']),
})

const lists = operations.filter(
  ({ name, methodKind }) =>
    [
      'ListInstances',
      'ListNamespaceInstances',
      'ListFleetObjects',
      'ListAuditEvents',
      'ListWorkspaces',
    ].includes(name) ||
    (name === 'WatchInstances' && methodKind !== 'unary'),
)

describe('what any caller is answered', () => {
  it('names no instance that it may not see, and counts none', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.constantFrom(...NAMES)),
        fc.array(given, { maxLength: 6 }),
        async (there, all) => {
          const api = testApi(fakeFleet(...there.map(name => viewOf(name))))
          const visible = new Set<string>()
          for (const [index, { instance, role, to, namespaces }] of all.entries()) {
            const kind = to === 'its group' ? 'Group' : 'User'
            const name =
              { 'its group': 'system:authenticated', 'somebody else': 'ann' }[to as string] ?? 'nobody'
            const of = { instance, subject: { kind, name } as const, ...(namespaces && { namespaces }) }
            if (to === 'its workspace')
              api.fleet.roleBindings.giveMembers(`given-${index}`, role, { ...of, workspace: `ws-${index}` })
            else api.fleet.roleBindings.give(`given-${index}`, role, of)
            if (to !== 'somebody else') visible.add(instance)
          }
          const seen = there.filter(name => visible.has(name))
          const unseen = NAMES.filter(name => !seen.includes(name as never))
          for (const method of lists) {
            const { status, text } = await ask(api, method, { ...TYPE[method.name] }, 'nobody')
            expect(
              unseen.filter(name => text.includes(name)),
              `${nameOf(method)} ${text}`,
            ).toEqual([])
            if (nameOf(method) !== 'Instance.ListInstances') continue
            expect(status).toBe(200)
            const { items, pagination } = JSON.parse(text)
            const shown = items.map((one: { metadata: { name: string } }) => one.metadata.name)
            expect(shown).toEqual([...seen].sort())
            expect(pagination.total).toBe(seen.length)
          }
          const page = await ask(api, INSTANCES, { pageSize: 1 }, 'nobody')
          const { pagination } = JSON.parse(page.text)
          const token = Buffer.from(pagination.nextPageToken ?? '', 'base64url').toString('latin1')
          expect(unseen.filter(name => token.includes(name))).toEqual([])
          expect(pagination.pages).toBe(seen.length)
          api.api.endStreams()
        },
      ),
      { numRuns: 60 },
    )
  })
})

const INSTANCES = operations.find(method => nameOf(method) === 'Instance.ListInstances')!
const TYPE: Readonly<Record<string, JsonObject>> = {
  ListFleetObjects: { group: '', version: 'v1', resource: 'configmaps' },
}
