import { INSTANCE_ROLE_BINDINGS } from '../../manifests/instance-role-binding.js'
import { resourcePath } from '../../manifests/kube.js'
import { Calls } from '../contract/secrecy/calls.js'
import { PLANTED, plant } from '../contract/secrecy/planted.js'
import { type PlaygroundProxy, startPlaygroundProxy } from '../http/proxy/playground-proxy.js'
import { eventually } from '../scenarios/support/eventually.js'
import { COLUMNS, type Column } from './columns.js'

/** A namespace that no role covers. What is in it is called so, too. */
export const HIDDEN = 'hidden-place'
/** What only the other instance has. */
export const ELSEWHERE = 'unseen-place'

/** A playground of two instances, and a caller for each column of the table. */
export interface MatrixWorld {
  readonly world: PlaygroundProxy
  /** The instance that roles are on, and its member. */
  readonly own: string
  readonly member: string
  readonly other: string
  readonly calls: Calls
  tokenOf(column: Column): string
  close(): Promise<void>
}

export async function startMatrixWorld(): Promise<MatrixWorld> {
  const world = await startPlaygroundProxy({ instances: 2 })
  const { playground, api } = world
  const [own = '', other = ''] = [...playground.karmadas.keys()]
  const member = [...playground.members.keys()].find(name => playground.members.get(name)) ?? ''
  const control = (instance: string) => playground.karmadas.get(instance)!.server.local
  await plant(control(own), member)
  for (const instance of [own, other]) {
    const post = (path: string, body: object) => control(instance).request({ method: 'POST', path, body })
    for (const name of instance === own ? [HIDDEN] : [HIDDEN, ELSEWHERE]) {
      await post('/api/v1/namespaces', { metadata: { name } })
      for (const resource of ['configmaps', 'secrets', 'events'])
        await post(`/api/v1/namespaces/${name}/${resource}`, {
          metadata: { name },
          ...(resource === 'events' && { involvedObject: { namespace: name, name } }),
        })
    }
  }
  const tokens = new Map<Column, string>()
  for (const column of COLUMNS) {
    const name = column.title.toLowerCase().replaceAll(/\W+/g, '-')
    if (column.platform) tokens.set(column, playground.tokens.admin)
    else tokens.set(column, await playground.host.issueToken({ name, groups: ['people'] }, 3_600))
    if (!column.role) continue
    const { name: role, covers } = column.role
    await playground.host.local.request({
      ...{ method: 'POST', path: resourcePath(INSTANCE_ROLE_BINDINGS) },
      body: {
        ...{ apiVersion: 'kairship.io/v1alpha1', kind: 'InstanceRoleBinding', metadata: { name } },
        spec: {
          ...{ instance: own, role, subjects: [{ kind: 'User', name }] },
          ...(covers === 'namespaces' && { namespaces: [PLANTED] }),
        },
      },
    })
  }
  await eventually('the roles are in effect', async () => {
    const { items } = await playground.host.local.request<{
      items: { status?: { conditions?: { status: string }[] } }[]
    }>({
      method: 'GET',
      path: resourcePath(INSTANCE_ROLE_BINDINGS),
    })
    return items.every(({ status }) => status?.conditions?.some(one => one.status === 'True'))
  })
  const calls = new Calls({ ...api, certificateAuthority: api.certificateAuthority ?? '' })
  return {
    ...{ world, own, other, member, calls },
    tokenOf: column => tokens.get(column)!,
    async close() {
      calls.close()
      await world.close()
    },
  }
}
