import type { JsonObject } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { INSTANCES } from '../../../manifests/instance.js'
import { resourcePath } from '../../../manifests/kube.js'
import { WORKSPACES } from '../../../manifests/workspace.js'
import { WorkspaceService } from '../../../proto/gen/kairship/workspace_pb.js'
import { hostUser } from '../support/host-user.js'
import { ManagedWorld, TYPES } from '../support/managed-world.js'
import { type WholeStream, whileOpen } from '../support/whole-stream.js'

const world = new ManagedWorld(WorkspaceService)
const host = () => world.world.playground.host.local
const shop = { workspace: 'shop', workspaceId: 2 }
const none = { workspace: '', workspaceId: 0 }
type Bound = { readonly instance: string; readonly namespace?: string }

const bind = async (action: 'BIND' | 'UNBIND', bound: Bound, workspace = 'shop') => {
  const rpc = 'namespace' in bound ? 'bindNamespaceInstances' : 'bindInstances'
  const done = await world.calls.overRest(rpc, { ...bound, action, workspace: { workspace } })
  expect(done.ok, done.text).toBe(true)
}
const post = (type: Parameters<typeof resourcePath>[0], body: object, api = host()) =>
  api.request({ method: 'POST', path: resourcePath(type), body })
const makeNamespace = (name: string) =>
  post(TYPES.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, world.control)
const makeInstance = (name: string) =>
  post(INSTANCES, {
    ...{ apiVersion: 'kairship.io/v1alpha1', kind: 'Instance', metadata: { name } },
    spec: { kubeconfigSecretRef: { namespace: 'nowhere', name } },
  })
const makeWorkspace = (name: string, id: number) =>
  post(WORKSPACES, {
    apiVersion: 'kairship.io/v1alpha1',
    kind: 'Workspace',
    metadata: { name },
    spec: { id },
  })
const CLUSTER_ROLES = { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'clusterroles' } as const

/** Lets a user read the namespaces of the instance. */
async function letRead(name: string): Promise<void> {
  const { group: apiGroup } = CLUSTER_ROLES
  const rules = [{ apiGroups: [''], resources: ['namespaces'], verbs: ['list', 'watch'] }]
  await post(CLUSTER_ROLES, { metadata: { name }, rules }, world.control)
  const subjects = [{ apiGroup, kind: 'User', name }]
  const binding = { metadata: { name }, roleRef: { apiGroup, kind: 'ClusterRole', name }, subjects }
  await post({ ...CLUSTER_ROLES, resource: 'clusterrolebindings' }, binding, world.control)
}

const instances = <T>(request: JsonObject, work: (stream: WholeStream) => Promise<T>, calls = world.calls) =>
  whileOpen(
    ...([calls, 'watchInstances', request] as const),
    ({ instance: row }) => (row ? [(row as JsonObject).instance, (row as JsonObject).workspace] : []),
    work,
  )
const namespaces = <T>(request: JsonObject, work: (stream: WholeStream) => Promise<T>, calls = world.calls) =>
  whileOpen(
    ...([calls, 'watchNamespaceInstances', request] as const),
    ({ type, namespace: row, unreadInstances }) => {
      const { namespace, instance, workspace } = (row ?? {}) as JsonObject
      return row ? [`${namespace} of ${instance}`, workspace] : type === 'BOOKMARK' ? [unreadInstances] : []
    },
    work,
  )

describe('a watch of the workspaces of instances', () => {
  it('sends each instance as the list has it, and as instances come and go, are bound and released', async () => {
    const { instance } = world
    await instances({}, async ({ said }) => {
      const start = await said(3)
      expect(start).toEqual([
        ['RESET', 0],
        ['ADDED', 1, instance, none],
        ['BOOKMARK', 1],
      ])
      await bind('BIND', { instance })
      await said(4)
      expect((await world.calls.read('listInstances', {})).items).toEqual([{ instance, workspace: shop }])
      await makeInstance('later')
      await said(5)
      await bind('BIND', { instance: 'later' }, 'platform')
      await said(6)
      await world.remove(host(), INSTANCES, { name: 'later' })
      await said(7)
      await bind('UNBIND', { instance })
      expect((await said(8)).slice(3)).toEqual([
        ['MODIFIED', 1, instance, shop],
        ['ADDED', 2, 'later', none],
        ['MODIFIED', 2, 'later', { workspace: 'platform', workspaceId: 1 }],
        ['DELETED', 1, 'later', { workspace: 'platform', workspaceId: 1 }],
        ['MODIFIED', 1, instance, none],
      ])
    })
  })

  it('sends the workspace of an instance as Global Management changes and deletes it', async () => {
    const { instance } = world
    await makeWorkspace('passing', 7)
    await bind('BIND', { instance }, 'passing')
    await instances({ instance }, async ({ said }) => {
      await said(3)
      await world.remove(host(), WORKSPACES, { name: 'passing' })
      await said(4)
      await makeWorkspace('passing', 8)
      expect((await said(5)).slice(1)).toEqual([
        ['ADDED', 1, instance, { workspace: 'passing', workspaceId: 7 }],
        ['BOOKMARK', 1],
        ['MODIFIED', 1, instance, { workspace: 'passing', workspaceId: 0 }],
        ['MODIFIED', 1, instance, { workspace: 'passing', workspaceId: 8 }],
      ])
    })
    await bind('UNBIND', { instance }, 'passing')
    await world.remove(host(), WORKSPACES, { name: 'passing' })
  })

  it('goes on after its last token, and starts over with the token of another stream', async () => {
    const { instance } = world
    const tokens = await instances({}, async stream => {
      await stream.said(3)
      return stream.tokens
    })
    await bind('BIND', { instance })
    try {
      for (const resumeToken of tokens)
        await instances({ resumeToken }, async ({ said }) =>
          expect(await said(2)).toEqual([
            ['BOOKMARK', 1],
            ['MODIFIED', 1, instance, shop],
          ]),
        )
      const [resumeToken = ''] = tokens
      const startsOver = async ({ said }: WholeStream) => expect((await said(1))[0]).toEqual(['RESET', 0])
      await instances({ resumeToken, instance }, startsOver)
      await instances({ resumeToken }, startsOver, world.viewer)
      await instances(
        { resumeToken: resumeToken.replace(/\.[0-9a-f]{16}\./, `.${'0'.repeat(16)}.`) },
        startsOver,
      )
    } finally {
      await bind('UNBIND', { instance })
    }
    for (const resumeToken of ['mine', `${tokens[0]?.slice(0, 40)}`])
      expect((await world.calls.overRest('watchInstances', { resumeToken })).json.code).toBe(3)
  })
})

describe('a watch of the workspaces of namespaces', () => {
  it('sends each namespace as it comes and goes, is bound and released, and of the filter only', async () => {
    const { instance } = world
    const name = 'followed of'
    await namespaces({ namespace: 'followed' }, async ({ said }) => {
      expect(await said(2)).toEqual([
        ['RESET', 0],
        ['BOOKMARK', 0, []],
      ])
      await makeNamespace('followed-too')
      await makeNamespace('followed')
      await said(3)
      await bind('BIND', { instance, namespace: 'followed' })
      await said(4)
      const { items } = await world.calls.read('listNamespaceInstances', { namespace: 'followed' })
      expect(items).toEqual([{ instance, namespace: 'followed', workspace: shop }])
      await bind('UNBIND', { instance, namespace: 'followed' })
      await said(5)
      await world.remove(world.control, TYPES.namespaces, { name: 'followed' })
      expect((await said(6)).slice(2)).toEqual([
        ['ADDED', 1, `${name} ${instance}`, none],
        ['MODIFIED', 1, `${name} ${instance}`, shop],
        ['MODIFIED', 1, `${name} ${instance}`, none],
        ['DELETED', 0, `${name} ${instance}`, none],
      ])
    })
    await world.remove(world.control, TYPES.namespaces, { name: 'followed-too' })
  })

  it('names an instance that refuses the caller as unread, and sends its namespaces when it lets them in', async () => {
    const { instance } = world
    const name = 'comes-in-later'
    const rights = { instances: ['get', 'list', 'watch'], 'instances/proxy': ['get'] }
    const calls = world.calls.as(await hostUser(world.world.playground.host, name, rights))
    try {
      await namespaces(
        { instance, namespace: 'default' },
        async ({ said }) => {
          expect(await said(2)).toEqual([
            ['RESET', 0],
            ['BOOKMARK', 0, [instance]],
          ])
          const listed = await calls.read('listNamespaceInstances', { instance })
          expect(listed).toMatchObject({ items: [], unreadInstances: [instance] })
          await letRead(name)
          expect((await said(4)).slice(2)).toEqual([
            ['ADDED', 1, `default of ${instance}`, none],
            ['BOOKMARK', 1, []],
          ])
        },
        calls,
      )
    } finally {
      calls.close()
    }
  })
})

describe('a caller who loses a right', () => {
  it('is sent what it was about as DELETED within a minute, and no more of it', async () => {
    const { instance } = world
    const name = 'loses-rights'
    const rights = { instances: ['get'], 'instances/proxy': ['get'] }
    await letRead(name)
    const calls = world.calls.as(await hostUser(world.world.playground.host, name, rights))
    try {
      await instances(
        {},
        ofInstances =>
          namespaces(
            { instance, namespace: 'default' },
            async ofNamespaces => {
              expect((await ofInstances.said(3))[1]).toEqual(['ADDED', 1, instance, none])
              expect((await ofNamespaces.said(3))[1]).toEqual(['ADDED', 1, `default of ${instance}`, none])
              await world.remove(host(), CLUSTER_ROLES, { name })
              expect((await ofInstances.said(4)).at(3)).toEqual(['DELETED', 0, instance, none])
              expect((await ofNamespaces.said(4)).at(3)).toEqual([
                'DELETED',
                0,
                `default of ${instance}`,
                none,
              ])
              expect((await calls.read('listInstances', {})).items).toEqual([])
              await bind('BIND', { instance })
              await bind('UNBIND', { instance })
              expect(await ofInstances.said(4)).toHaveLength(4)
            },
            calls,
          ),
        calls,
      )
    } finally {
      calls.close()
    }
  })
})
