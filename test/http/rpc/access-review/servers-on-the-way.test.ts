import { describe, expect, it } from 'vitest'
import { readRbac } from '../../../../http/rpc/access-review/rbac-reader.js'
import type { AccessQuestion } from '../../../../http/rpc/access-review/servers-on-the-way.js'
import type { RbacSubject } from '../../../../karmada/rbac/subject.js'
import { Code } from '../../../../transcoding/code.js'
import { refusal } from '../../../actors/scripted-api.js'
import { ANN, LIST, MEMBER, type Server, steps, world } from './explained-world.js'

describe('the control plane’s link of an explanation', () => {
  it.each<[string, Server, string, string]>([
    ['allows by RBAC', { allows: true, subjects: [ANN] }, 'Found Rbac', 'Allowed'],
    ['allows past RBAC', { allows: true }, 'Found OtherAuthorizer', 'Allowed'],
    ['allows, and shows no RBAC', { allows: true, rbacFails: refusal(503, 'x') }, 'Found Allowed', 'Allowed'],
    ['denies what RBAC includes', { subjects: [ANN] }, 'Missing DeniedByServer', 'Denied'],
    [
      'denies what a binding has less of',
      { subjects: [ANN], rule: { verbs: ['get'] } },
      'Missing RoleTooSmall',
      'Denied',
    ],
    ['denies what no binding has', {}, 'Missing NoBinding', 'Denied'],
    ['allows and denies at once', { allows: true, denies: true }, 'Missing NoBinding', 'Denied'],
    ['does not answer', { fails: refusal(503, 'ServiceUnavailable') }, 'Unknown NotAsked', 'Undecided'],
  ])('is that of a server that %s', async (_, control, link, decision) => {
    const answer = await world({ control }).explain()
    expect([steps(answer).at(-1), answer.decision]).toEqual([`ControlPlane ${link}`, decision])
  })

  it.each<[string, Server, RegExp[]]>([
    [
      'allows past RBAC',
      { allows: true },
      [/^the control plane allows what no binding of its RBAC includes/],
    ],
    ['denies what RBAC includes', { subjects: [ANN] }, [/^the control plane denies what its RBAC includes/]],
    ['allows by RBAC', { allows: true, subjects: [ANN] }, []],
    ['denies what no binding has', {}, []],
  ])(
    'has a note where verdict and RBAC do not fit, and none elsewhere: a server that %s',
    async (_, control, notes) => {
      const answer = await world({ control }).explain()
      expect(answer.notes).toEqual(notes.map(note => expect.stringMatching(note)))
    },
  )

  it('is without RBAC for the group that may do everything, and says so', async () => {
    const subject = { user: 'ann', groups: ['system:masters'], extra: {} }
    expect(steps(await world({ control: { allows: true } }).explain({ subject })).at(-1)).toBe(
      'ControlPlane Found Masters',
    )
  })

  it('is explained by the RBAC of the namespace too where it is about one, and of none where it is about a path', async () => {
    const asked = async (request: AccessQuestion['request']) => {
      const { requests, explain } = world({})
      await explain({ request })
      return requests.filter(({ path }) => path.includes('/namespaces/')).map(({ path }) => path)
    }
    expect(await asked(LIST)).toContainEqual(expect.stringMatching(/\/namespaces\/shop\/rolebindings$/))
    expect(await asked({ verb: 'get', path: '/metrics' })).toEqual([])
  })

  it('says which part of RBAC was not read', async () => {
    const { unread } = await world({
      control: { allows: true, rbacFails: refusal(503, 'x', 'away') },
    }).explain()
    expect(unread).toEqual([expect.stringMatching(/^RBAC of the control plane: /)])
  })

  it('is not made up where the call has ended, or where something is wrong in Kairship', async () => {
    const { explain } = world({ control: { fails: new TypeError('x is not a function') } })
    await expect(explain()).rejects.toThrow()
    const { explain: late, ending } = world({ control: { fails: refusal(503, 'ServiceUnavailable') } })
    ending.abort(new Error('the caller has gone'))
    await expect(late()).rejects.toThrow('the caller has gone')
  })

  it('is explained by all pages of RBAC, and by that of the namespace which is asked about', async () => {
    const asked: string[] = []
    const connection = {
      async request({ path, query }: { path: string; query: { continue?: string } }) {
        asked.push(path.replace('/apis/rbac.authorization.k8s.io/v1/', ''))
        const name = query.continue ?? 'first'
        return { items: [{ metadata: { name } }], metadata: name === 'first' ? { continue: 'second' } : {} }
      },
    } as never
    const { clusterRoles, roles } = await readRbac(connection, { prefix: '' }, '')
    expect([clusterRoles.map(({ metadata }) => metadata.name), roles]).toEqual([['first', 'second'], []])
    expect([...new Set(asked)].sort()).toEqual(['clusterrolebindings', 'clusterroles'])
    await readRbac(connection, { prefix: '' }, 'shop')
    expect(asked).toContain('namespaces/shop/rolebindings')
  })

  it('is not there for what is Kairship’s alone', async () => {
    const { requests, explain } = world({})
    const answer = await explain({ ofKairship: true })
    expect([answer.decision, steps(answer).length, requests]).toEqual(['Allowed', 2, []])
  })
})

describe('the way into a member', () => {
  const open = (...subjects: readonly RbacSubject[]): Server => ({ allows: true, subjects })

  it('asks the control plane for the member’s proxy, and the member as the subject with the groups that reach it', async () => {
    const { requests, explain } = world({ control: open(ANN), member: open(ANN) })
    const answer = await explain({ cluster: 'm1' })
    expect([answer.decision, ...steps(answer).slice(2)]).toEqual([
      'Allowed',
      'ControlPlane Found Rbac',
      'Impersonation Found NamedWithoutGroups',
      'Member Found Rbac',
    ])
    expect(requests.find(({ path }) => path.endsWith('/subjectaccessreviews'))?.body).toMatchObject({
      spec: {
        user: 'ann',
        groups: ['team', 'system:authenticated'],
        resourceAttributes: { verb: 'get', resource: 'clusters', subresource: 'proxy', name: 'm1' },
      },
    })
    const own = requests.find(({ path }) => path.endsWith('/selfsubjectaccessreviews'))
    expect(own?.path.startsWith(MEMBER)).toBe(true)
    expect(own?.impersonate).toMatchObject({ user: 'ann', groups: [] })
    expect(own?.body).toMatchObject({ spec: { resourceAttributes: { verb: 'list', namespace: 'shop' } } })
    const rbac = requests.filter(({ path }) => path.startsWith(`${MEMBER}/apis/rbac`))
    expect(rbac.map(({ impersonate }) => impersonate?.user)).toEqual(Array(4).fill('root'))
    expect(rbac.map(({ path }) => path)).toContainEqual(expect.stringContaining('/namespaces/shop/'))
  })

  it.each<[string, Server, string[], string]>([
    [
      'the control plane denies',
      { subjects: [ANN] },
      ['ControlPlane Missing DeniedByServer', 'Impersonation Found NamedWithoutGroups'],
      "the right to the member's proxy is missing, so no request of ann comes there",
    ],
    [
      'nothing names the user',
      open({ kind: 'Group', name: 'team' }),
      ['ControlPlane Found Rbac', 'Impersonation Missing NotNamed'],
      'the right to be impersonated is missing, so no request of ann comes there',
    ],
    [
      'who is named is not known',
      { allows: true, rbacFails: refusal(503, 'x') },
      ['ControlPlane Found Allowed', 'Impersonation Unknown NotRead'],
      'the right to be impersonated is unknown, so no request of ann comes there',
    ],
  ])('ends where %s, and the member is not asked', async (_, control, links, why) => {
    const { requests, explain } = world({ control, member: open(ANN) })
    const answer = await explain({ cluster: 'm1' })
    expect(steps(answer).slice(2)).toEqual([...links, 'Member Unknown NotAsked'])
    expect(answer.links.at(-1)?.message).toContain(why)
    expect(answer.decision).not.toBe('Allowed')
    expect(requests.filter(({ path }) => path.startsWith(MEMBER))).toEqual([])
  })

  it('is refused for a member that is not there, which is read as the caller', async () => {
    const { requests, explain } = world({ control: { ...open(ANN), memberFails: refusal(404, 'NotFound') } })
    await expect(explain({ cluster: 'm1' })).rejects.toMatchObject({
      code: Code.NOT_FOUND,
      message: 'eu has no member "m1"',
    })
    expect(requests.find(({ path }) => path.endsWith('/clusters/m1'))?.impersonate?.user).toBe('root')
  })

  it('is explained to a caller who may not read the member', async () => {
    const control = { ...open(ANN), memberFails: refusal(403, 'Forbidden') }
    const answer = await world({ control, member: open(ANN) }).explain({ cluster: 'm1' })
    expect(answer.decision).toBe('Allowed')
  })

  it('leads to the verdict of the member', async () => {
    const both = await world({ control: open(ANN), member: { allows: true, denies: true } }).explain({
      cluster: 'm1',
    })
    expect(both.decision).toBe('Denied')
    const answer = await world({ control: open(ANN), member: {} }).explain({ cluster: 'm1' })
    expect([answer.decision, answer.first?.step]).toEqual(['Denied', 'Member'])
    expect(steps(answer).at(-1)).toBe('Member Missing NoBinding')
  })
})
