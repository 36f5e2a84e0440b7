import { describe, expect, it } from 'vitest'
import type { KairshipQuestion } from '../../../../http/rpc/access-review/kairship-links.js'
import { workspaceLinks } from '../../../../http/rpc/access-review/workspace-link.js'
import type { AccessRequest } from '../../../../karmada/rbac/policy-rule.js'
import type { Bindable } from '../../../../manifests/workspace.js'
import { workspaceBinding } from '../../../actors/host/role-bindings/watched-roles.js'
import { fakeRoleBindings } from '../../fakes/role-bindings.js'

const ann = { user: 'ann', groups: ['dev'], extra: {} }
const pods = (namespace: string, verb = 'list', group = ''): AccessRequest => ({
  ...{ verb, group, resource: 'pods', subresource: '', namespace, name: '' },
})
const question = (inside: AccessRequest | undefined): KairshipQuestion => ({
  ...{ instance: 'eu', subject: ann },
  action: { verb: 'get', resource: 'instances/proxy', name: 'eu' },
  ...(inside && { inside }),
})
const linksOf = (inside: AccessRequest | undefined, ...bound: Bindable[]) =>
  workspaceLinks(
    question(inside),
    bound.map(one => workspaceBinding('shop', one)),
    [],
  )

describe('the link of a workspace in which somebody has no role', () => {
  it.each<[string, AccessRequest | undefined, Bindable, string]>([
    ['of the instance', pods('web'), { instance: 'eu' }, 'eu belongs to the workspace shop'],
    ['of all namespaces', pods(''), { instance: 'eu' }, 'eu belongs'],
    ['of a member behind the instance', undefined, { instance: 'eu' }, 'eu belongs'],
    [
      'of the namespace',
      pods('web'),
      { instance: 'eu', namespace: 'web' },
      'the namespace web of eu belongs',
    ],
  ])('names it where what is asked about belongs to it: %s', (_, inside, bound, message) => {
    const [link] = linksOf(inside, bound)
    expect(link).toMatchObject({ step: 'Workspace', state: 'Missing', reason: 'NoWorkspaceRole' })
    expect(link?.message).toContain(message)
    expect(link?.fix).toContain('the role Viewer in the workspace shop')
    expect(link?.fix).toContain('a WorkspaceRoleBinding')
  })

  it.each<[string, AccessRequest | undefined, Bindable]>([
    ['another namespace belongs to it', pods('web'), { instance: 'eu', namespace: 'db' }],
    ['a namespace of many that are asked about', pods(''), { instance: 'eu', namespace: 'web' }],
    ['the namespace is reserved', pods('kube-system'), { instance: 'eu', namespace: 'kube-system' }],
  ])('is not there where a role in the workspace would not help: %s', (_, inside, bound) => {
    expect(linksOf(inside, bound)).toEqual([])
  })

  it('is not there where somebody has a role in the workspace: its binding says how far that goes', () => {
    const roleBindings = fakeRoleBindings()
    const subject = { kind: 'Group', name: 'dev' } as const
    roleBindings.giveMembers('devs', 'Viewer', { instance: 'eu', subject, workspace: 'shop' })
    const belonging = roleBindings.belongingOf('eu')
    expect(belonging.map(({ spec }) => spec.workspace)).toEqual(['shop'])
    const write = question(pods('web', 'create'))
    expect(workspaceLinks(write, belonging, roleBindings.givenTo('eu', ann))).toEqual([])
    expect(workspaceLinks(write, belonging, [])[0]?.fix).toContain('the role Editor')
  })
})
