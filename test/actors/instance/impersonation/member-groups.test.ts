import { Observable } from 'rxjs'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { MemberGroups, openGroups } from '../../../../actors/instance/impersonation/member-groups.js'
import { InstanceConnection } from '../../../../actors/instance/instance-connection.js'
import type { RbacObject } from '../../../../manifests/instance-rbac.js'
import type { KubeApi, WatchEvent } from '../../../../ports/kube-api.js'
import { waitFor } from '../../../patience.js'
import { unmetered } from '../../../silent.js'

const V1 = 'rbac.authorization.k8s.io/v1'
const role = (name: string, ...rules: NonNullable<RbacObject['rules']>): RbacObject => ({
  ...{ apiVersion: V1, kind: 'ClusterRole', metadata: { name, uid: name, resourceVersion: '1' }, rules },
})
const binding = (name: string, to: string, ...groups: readonly string[]): RbacObject => ({
  ...{ apiVersion: V1, kind: 'ClusterRoleBinding', metadata: { name, uid: name, resourceVersion: '1' } },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: to },
  subjects: groups.map(group => ({ kind: 'Group', name: group })),
})
const verbs = ['*']
const ROLES = [
  role('proxy', { apiGroups: ['cluster.karmada.io'], resources: ['clusters/proxy'], verbs }),
  role('one', {
    apiGroups: ['cluster.karmada.io'],
    resources: ['clusters/proxy'],
    resourceNames: ['m1'],
    verbs,
  } as never),
  role('everything', { apiGroups: ['*'], resources: ['*'], verbs }),
  role('search', { apiGroups: ['search.karmada.io'], resources: ['proxying/proxy'], verbs }),
  role('viewer', { apiGroups: ['apps'], resources: ['*'], verbs }),
]
const BINDINGS = [
  binding('a', 'proxy', 'ops'),
  binding('b', 'one', 'of-m1'),
  binding('c', 'everything', 'root'),
  binding('d', 'search', 'searchers'),
  binding('e', 'viewer', 'readers'),
  binding('f', 'not-there', 'nobody'),
]

describe('the groups that a member accepts', () => {
  it.each([
    ['m1', ['ops', 'of-m1', 'root', 'searchers']],
    ['m2', ['ops', 'root', 'searchers']],
    [undefined, ['ops', 'root', 'searchers']],
  ])('are those of ClusterRoleBindings whose role opens it: %s', (cluster, groups) => {
    expect([...openGroups(ROLES, BINDINGS, cluster)]).toEqual(groups)
  })

  it('are none of users and service accounts', () => {
    const users = { ...binding('x', 'proxy'), subjects: [{ kind: 'User' as const, name: 'ada' }] }
    expect(openGroups(ROLES, [users], 'm1').size).toBe(0)
  })

  it('are none of a binding to a role of one namespace that has the name of such a ClusterRole', () => {
    const bound = binding('x', 'proxy', 'ops')
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'proxy' } as never
    expect(openGroups(ROLES, [{ ...bound, roleRef }], 'm1').size).toBe(0)
  })
})

describe('following them', () => {
  let groups: MemberGroups
  afterEach(() => {
    groups.stop()
    vi.useRealTimers()
  })

  /** A control plane with these bindings, whose watch a test feeds, or ends so that nothing answers any more. */
  function follow({ answers = true } = {}) {
    const asked: string[] = []
    const ends: (() => void)[] = []
    let feed: (event: WatchEvent) => void = () => undefined
    const api = {
      server: 'https://x',
      async request({ path }: { path: string }) {
        asked.push(path)
        if (!answers) throw new Error('silent')
        const items = path.endsWith('clusterroles') ? ROLES : BINDINGS
        return { kind: 'List', metadata: { resourceVersion: '1' }, items }
      },
      async *watch({ path, opened, signal }: Parameters<KubeApi['watch']>[0]) {
        opened?.()
        while (!signal?.aborted)
          yield await new Promise<WatchEvent>((resolve, reject) => {
            if (path.endsWith('clusterrolebindings')) feed = resolve
            ends.push(() => reject(new Error('cut')))
            signal?.addEventListener('abort', () => reject(signal.reason))
          })
      },
      close: async () => undefined,
    } as unknown as KubeApi
    const connection = new InstanceConnection()
    connection.replace({ api, kubeconfig: '', fingerprint: '' })
    groups = new MemberGroups(connection, unmetered)
    const fallSilent = () => {
      answers = false
      for (const end of ends) end()
    }
    return { asked, connection, fallSilent, feed: (event: WatchEvent) => feed(event) }
  }

  it('reads nothing before a member is asked for', () => {
    expect(follow().asked).toEqual([])
  })

  it('makes the first request wait until the RBAC was read, and the next one not', async () => {
    follow()
    expect(await groups.of('m2')).toEqual(new Set(['ops', 'root', 'searchers']))
    expect(groups.of('m2')).toEqual(new Set(['ops', 'root', 'searchers']))
  })

  it('is the same set until something changes', async () => {
    follow()
    expect(await groups.of('m2')).toBe(groups.of('m2'))
  })

  it('has a group as soon as the watch shows that it was bound', async () => {
    const { feed } = follow()
    await groups.of('m2')
    await waitFor(() => {
      const { metadata, ...added } = binding('new', 'proxy', 'late')
      feed({ type: 'ADDED', object: { ...added, metadata: { ...metadata, resourceVersion: '2' } } })
      expect(groups.of('m2')).toContain('late')
    })
  })

  it('goes on while it is asked for, and ends when nobody has asked for ten minutes', async () => {
    vi.useFakeTimers()
    let [begun, ended] = [0, 0]
    const changes = new Observable<never>(() => {
      begun++
      return () => void ended++
    })
    groups = new MemberGroups({ changes }, unmetered)
    for (let round = 0; round < 3; round++) {
      void groups.of('m2')
      await vi.advanceTimersByTimeAsync(599_000)
      expect([begun, ended]).toEqual([1, 0])
    }
    await vi.advanceTimersByTimeAsync(1_000)
    expect([begun, ended]).toEqual([1, 1])
    void groups.of('m2')
    expect(begun).toBe(2)
  })

  it('says what it knows for ten seconds after the control plane has fallen silent, and no longer', async () => {
    vi.useFakeTimers()
    const { fallSilent } = follow()
    await groups.of('m2')
    fallSilent()
    await vi.advanceTimersByTimeAsync(9_000)
    expect(await groups.of('m2')).toEqual(new Set(['ops', 'root', 'searchers']))
    await vi.advanceTimersByTimeAsync(2_000)
    expect(await groups.of('m2')).toBeUndefined()
  })

  it('knows nothing while there is no connection', async () => {
    const { connection } = follow()
    await groups.of('m2')
    connection.replace(undefined)
    expect(await groups.of('m2')).toBeUndefined()
  })

  it('knows nothing where the RBAC cannot be read, after two seconds at most', async () => {
    follow({ answers: false })
    expect(await groups.of('m2')).toBeUndefined()
    expect(groups.of('m2')).toBeUndefined()
  })
})
