import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import {
  Candidates,
  candidateMessage,
  memberTest,
} from '../../../../http/rpc/cluster/candidates/candidates.js'
import type { Cluster } from '../../../../karmada/objects/cluster.js'
import { INSTANCE_LABEL } from '../../../../manifests/names.js'
import type { PediaCluster } from '../../../../manifests/pedia-cluster.js'

const candidate = (spec: object, metadata: object = {}) =>
  ({ metadata: { name: 'one', ...metadata }, spec }) as unknown as PediaCluster
const member = (name: string, apiEndpoint?: string) =>
  ({ metadata: { name }, spec: { syncMode: 'Push', apiEndpoint } }) as unknown as Cluster
const base64 = (text: string) => Buffer.from(text).toString('base64')
const { signal } = new AbortController()
const never = () => {
  throw new Error('nothing is watched')
}
const kubeconfigOf = (found: PediaCluster) =>
  new Candidates({ request: async () => found as never, watch: never }).kubeconfig('one', signal)

describe('a candidate', () => {
  it.each([
    ['its name', candidate({}), [member('two'), member('one')], true],
    ['its server', candidate({ apiserver: 'https://a' }), [member('two', 'https://a')], true],
    ['neither', candidate({ apiserver: 'https://a' }), [member('two', 'https://b')], false],
    ['no server, as a member without one', candidate({}), [member('two', '')], false],
  ])('is recognized as a member by %s', (_, of, members, isOne) => {
    expect(memberTest(members)(of)).toBe(isOne)
  })

  it.each([
    ['https://member.example:6443', 'https://member.example:6443'],
    ['https://member.example/k8s/a@b', 'https://member.example/k8s/a@b'],
    ['member.example:6443', 'member.example:6443'],
    ['https://me:secret@member.example/k8s', 'https://member.example/k8s'],
    ['https://me:sec@ret@member.example', 'https://member.example'],
    ['me:secret@member.example:6443', 'member.example:6443'],
    ['https://member.example/k8s?token=secret#secret', 'https://member.example/k8s'],
    ['', ''],
  ])('at %s is shown at %s', (apiserver, shown) => {
    expect(candidateMessage(candidate({ apiserver }), '').spec?.apiEndpoint).toBe(shown)
  })

  it('that was stored without a spec is listed and followed as one without a server, and cannot join', async () => {
    const { spec: _, ...bare } = candidate({}, { resourceVersion: '7' })
    const list = { metadata: { resourceVersion: '7' }, items: [bare] }
    const any = { labelSelector: '', fieldSelector: '' }
    const watch = async function* () {
      yield { type: 'MODIFIED', object: bare } as never
    }
    const candidates = new Candidates({ request: async () => list as never, watch })
    const followed = candidates.followed(any, signal)
    const changes = []
    for await (const { object } of followed.watch('7', signal)) changes.push(object as PediaCluster)
    const found = [...(await candidates.all(any, signal)), ...(await followed.read()).objects, ...changes]
    expect(found.map(one => candidateMessage(one, '').spec?.apiEndpoint)).toEqual(['', '', ''])
    await expect(kubeconfigOf(bare as PediaCluster)).rejects.toMatchObject({
      details: { reason: 'NoCredential' },
    })
  })

  it('joins by the kubeconfig or the token that Container Management has', async () => {
    expect(await kubeconfigOf(candidate({ kubeconfig: base64('whole') }))).toBe('whole')
    const spec = { apiserver: 'a.example:6443', tokenData: base64('s3cret'), caData: base64('ca') }
    expect(parse(await kubeconfigOf(candidate(spec)))).toMatchObject({
      clusters: [
        { cluster: { server: 'https://a.example:6443', 'certificate-authority-data': base64('ca') } },
      ],
      users: [{ user: { token: 's3cret' } }],
    })
  })

  it('cannot join without a credential, nor when it is the index of an instance', async () => {
    for (const spec of [{}, { apiserver: 'a' }, { apiserver: 'a', certData: 'only half' }])
      await expect(kubeconfigOf(candidate(spec))).rejects.toMatchObject({
        details: { reason: 'NoCredential' },
      })
    const own = candidate({ kubeconfig: base64('whole') }, { labels: { [INSTANCE_LABEL]: 'north' } })
    await expect(kubeconfigOf(own)).rejects.toMatchObject({ code: 5 })
  })
})
