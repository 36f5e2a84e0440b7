import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { accessArgument } from '../../../cli/access/access-argument.js'
import { canI } from '../../../cli/access/can-i.js'
import { whoCan } from '../../../cli/access/who-can.js'
import { whoami } from '../../../cli/access/whoami.js'
import { CommandError, ExitCode } from '../../../cli/exit-code.js'
import { previewFile } from '../../../cli/objects/preview.js'
import { type Config, defaults } from '../../../config.js'
import { scriptedClient } from '../scripted-client.js'

/** A Kairship that gives one answer; `calls` has what was asked. */
function answering(answer: object) {
  const calls: unknown[] = []
  const out: string[] = []
  const asked = (...call: unknown[]) => {
    calls.push(call)
    return Promise.resolve(answer)
  }
  const context = {
    client: scriptedClient({ get: asked, post: asked }),
    out: (text: string) => void out.push(text),
    err: () => undefined,
    signal: new AbortController().signal,
    now: () => 0,
    pause: async () => undefined,
  }
  return { calls, context, said: () => out.join('') }
}
const config = (given: Partial<Config> = {}): Config => ({ ...defaults('can-i'), ...given })
const ROOT = '/apis/kairship.io/v1alpha1/instances'

describe('what is asked on a command line', () => {
  const nothing = { group: '', resource: '', namespace: '', name: '', path: '' }
  it.each([
    [['get', 'pods'], { resource: 'pods' }],
    [['get', 'Deployments', 'web'], { group: 'apps', resource: 'deployments', name: 'web' }],
    [['patch', 'deployments.apps/scale'], { group: 'apps', resource: 'deployments/scale' }],
    [['get', 'pods/log'], { resource: 'pods/log' }],
    [['list', 'rigs.example.io'], { group: 'example.io', resource: 'rigs' }],
    [['create', 'instances/kubeconfig'], { group: 'kairship.io', resource: 'instances/kubeconfig' }],
    [['get', '/metrics'], { path: '/metrics' }],
  ])('is read: %s', (words, expected) => {
    expect(accessArgument(words)).toEqual({ ...nothing, verb: words[0], ...expected })
  })

  it('is refused: a path in a namespace', () => {
    expect(() => accessArgument(['get', '/metrics'], 'shop')).toThrow('without --namespace')
  })

  it.each([[['get', 'pods/']], [['get', 'pods/log/x']], [['get', '.apps']], [['get', '/metrics', 'x']]])(
    'is refused: %s',
    words => {
      expect(() => accessArgument(words)).toThrow(CommandError)
    },
  )
})

const MISSING = {
  step: 'BINDING',
  state: 'MISSING',
  reason: 'NoRole',
  message: 'no role binding names eve',
  fix: 'give eve the role Viewer',
}

describe('kairship whoami', () => {
  it('prints the user, the credential with its end, and each role with how it comes', async () => {
    const { calls, context, said } = answering({
      ...{ user: 'ann', groups: ['dev', 'system:authenticated'], totalRoles: 3 },
      credential: { source: 'ISSUER', issuer: 'https://id.example', id: 'jti-1', expiresAt: '1764000000000' },
      roles: [
        {
          ...{ instance: 'eu', role: 'Editor', subject: { kind: 'User', name: 'ann' } },
          ...{ bindingKind: 'InstanceRoleBinding', bindingName: 'ann', namespaces: ['shop', 'web'] },
          expiresAt: '2026-11-24T12:00:00Z',
        },
        {
          ...{ instance: 'us', role: 'Viewer', subject: { kind: 'Group', name: 'dev' } },
          ...{ bindingKind: 'WorkspaceRoleBinding', bindingName: 'devs', workspace: 'sales' },
        },
      ],
      notes: ['rights on the host are not listed'],
    })
    expect(await whoami(context, config())).toBe(ExitCode.ok)
    expect(calls).toEqual([['/apis/kairship.io/v1alpha1/whoami']])
    expect(said()).toBe(`User:       ann
Groups:     dev, system:authenticated
Credential: a token of the issuer https://id.example
ID:         jti-1
Ends:       2025-11-24T16:00:00Z

INSTANCE   ROLE     NAMESPACES   GIVEN TO    BY                                            ENDS
eu         Editor   shop, web    User ann    InstanceRoleBinding ann                       2026-11-24T12:00:00Z
us         Viewer   all          Group dev   WorkspaceRoleBinding devs (workspace sales)   never
1 more are not shown.
Note: rights on the host are not listed
`)
  })

  it('says so where there is no role, and where nothing is known of the credential', async () => {
    const { context, said } = answering({ user: 'ann', credential: {} })
    expect(await whoami(context, config())).toBe(ExitCode.ok)
    expect(said()).toBe(`User:       ann
Groups:     none
Credential: not known
Ends:       not known here

No role on any instance.
`)
  })
})

describe('kairship can-i', () => {
  it('prints the answer, each link and what helps, and fails where it is no', async () => {
    const { calls, context, said } = answering({
      decision: 'DENIED',
      summary: 'eve may not list deployments.',
      links: [MISSING, { step: 'CONTROL_PLANE', state: 'UNKNOWN', reason: 'NotAsked', message: 'away' }],
      first: MISSING,
      notes: ['a webhook decides'],
      unread: ['RBAC of member m1'],
    })
    const flags = { user: 'eve', groups: 'a,b', cluster: 'm1', inNamespace: 'shop' }
    expect(await canI(context, config(flags), ['eu', 'list', 'deployments'])).toBe(ExitCode.failed)
    expect(calls).toEqual([
      [
        `${ROOT}/eu/access?user=eve&groups=a&groups=b&verb=list&group=apps&resource=deployments&namespace=shop&cluster=m1`,
      ],
    ])
    expect(said()).toBe(`no
LINK            STATE     REASON     MESSAGE
Binding         Missing   NoRole     no role binding names eve
Control plane   Unknown   NotAsked   away

eve may not list deployments.
Try: give eve the role Viewer
Note: a webhook decides
Not looked at: RBAC of member m1
`)
  })

  it('succeeds where it is yes, and passes the answer on to programs', async () => {
    const { context, said } = answering({ decision: 'ALLOWED', summary: 'yes' })
    expect(await canI(context, config({ output: 'json' }), ['eu', 'get', 'pods'])).toBe(ExitCode.ok)
    expect(JSON.parse(said())).toEqual({ decision: 'ALLOWED', summary: 'yes' })
  })
})

describe('kairship can-i of what could not be decided', () => {
  it('is no yes', async () => {
    const { context, said } = answering({ decision: 'UNDECIDED', summary: 'the control plane is away.' })
    expect(await canI(context, config(), ['eu', 'get', 'pods'])).toBe(ExitCode.failed)
    expect(said()).toMatch(/^unknown\n/)
  })
})

describe('kairship who-can', () => {
  it('says nothing of more where all are shown', async () => {
    const { context, said } = answering({ subjects: [{ subject: { kind: 'User', name: 'ann' } }], total: 1 })
    await whoCan(context, config(), ['eu', 'get', 'pods'])
    expect(said()).not.toContain('not shown')
  })

  it('lists subjects with the bindings by which', async () => {
    const grant = {
      bindingKind: 'RoleBinding',
      bindingNamespace: 'shop',
      bindingName: 'editors',
      roleName: 'edit',
    }
    const { context, said } = answering({
      subjects: [
        { subject: { kind: 'Group', name: 'team' }, grants: [grant], passesKairship: true },
        { subject: { kind: 'ServiceAccount', namespace: 'shop', name: 'bot' }, grants: [grant] },
      ],
      total: 3,
      notes: ['groups have members'],
    })
    expect(await whoCan(context, config(), ['eu', 'get', 'pods'])).toBe(ExitCode.ok)
    expect(said()).toBe(`KIND             NAME       THROUGH KAIRSHIP   BY
Group            team       by a role          RoleBinding shop/editors (edit)
ServiceAccount   shop/bot   -                  RoleBinding shop/editors (edit)
1 more are not shown.

Note: groups have members
`)
  })
})

const file = (text: string): string => {
  const folder = mkdtempSync(join(tmpdir(), 'kairship-preview-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'binding.yaml'), text)
  return join(folder, 'binding.yaml')
}

describe('kairship preview of an InstanceRoleBinding', () => {
  const BINDING = `kind: InstanceRoleBinding
metadata: {name: pia}
spec:
  instance: eu
  role: Editor
  namespaces: [shop]
  subjects: [{kind: User, name: pia}]
`

  it('with --remove is about the removal of the binding of that name, and of nothing else', async () => {
    const { calls, context } = answering({ summary: 'pia loses much.' })
    const remove = config({ remove: true })
    expect(await previewFile(context, remove, ['eu', file(BINDING)])).toBe(ExitCode.ok)
    expect(calls).toEqual([[`${ROOT}/eu/access:preview`, { name: 'pia' }]])
    const nameless = BINDING.replace('name: pia}\nspec', '}\nspec')
    await expect(previewFile(context, remove, ['eu', file(nameless)])).rejects.toThrow('has no metadata.name')
    const policy = 'kind: PropagationPolicy\nmetadata: {name: web}\n'
    await expect(previewFile(context, remove, ['eu', file(policy)])).rejects.toThrow('no role binding')
    expect(calls).toHaveLength(1)
  })

  it('prints what its subjects gain and lose', async () => {
    const { calls, context, said } = answering({
      summary: 'pia gains much.',
      subjects: [
        {
          subject: { kind: 'User', name: 'pia' },
          kairship: [{ resource: 'instances/proxy', gained: ['get'] }],
          kinds: [
            {
              group: 'apps',
              resource: 'deployments',
              namespace: 'shop',
              gained: ['get', 'list'],
              objects: '3',
            },
            { resource: 'pods', lost: ['delete'], kept: ['get'] },
            { resource: 'events', kept: ['get'] },
          ],
        },
      ],
      withheldNamespaces: ['kube-system'],
      notes: ['groups are not known'],
    })
    expect(await previewFile(context, config(), ['eu', file(BINDING)])).toBe(ExitCode.ok)
    expect(calls).toEqual([
      [
        `${ROOT}/eu/access:preview`,
        {
          name: 'pia',
          grant: { role: 'Editor', namespaces: ['shop'], subjects: [{ kind: 'User', name: 'pia' }] },
        },
      ],
    ])
    expect(said()).toBe(`User pia:
RESOURCE           NAMESPACE   CHANGE       OBJECTS
instances/proxy    Kairship    +get         -
deployments.apps   shop        +get +list   3
pods               all         -delete      -

pia gains much.
Reserved: the role gives less in the namespace kube-system
Note: groups are not known
`)
  })

  it('is for the instance of the command line where the manifest names none', async () => {
    const { calls, context } = answering({ summary: 'nothing.' })
    await previewFile(context, config(), ['us', file(BINDING.replace('  instance: eu\n', ''))])
    expect(calls).toMatchObject([[`${ROOT}/us/access:preview`, { name: 'pia' }]])
  })

  it('needs no instance on the command line', async () => {
    const { calls, context } = answering({ summary: 'nothing.' })
    await previewFile(context, config(), [file(BINDING)])
    expect(calls).toMatchObject([[`${ROOT}/eu/access:preview`, { name: 'pia' }]])
    const nowhere = file(BINDING.replace('  instance: eu\n', ''))
    await expect(previewFile(context, config(), [nowhere])).rejects.toThrow('has no spec.instance')
    const policy = file('kind: PropagationPolicy\nmetadata: {name: web}\n')
    await expect(previewFile(context, config(), [policy])).rejects.toThrow('kairship preview INSTANCE FILE')
    expect(calls).toHaveLength(1)
  })

  it('for another instance is refused before anything is asked', async () => {
    const { calls, context } = answering({})
    await expect(previewFile(context, config(), ['us', file(BINDING)])).rejects.toThrow(
      'for the instance "eu"',
    )
    expect(calls).toEqual([])
  })
})

describe('kairship preview of a WorkspaceRoleBinding', () => {
  const BINDING = `kind: WorkspaceRoleBinding
metadata: {name: pias}
spec:
  workspace: sales
  role: Editor
  subjects: [{kind: User, name: pia}]
`
  const PLACE = '/apis/kairship.io/v1alpha1/workspaces/sales/access:preview'

  it('prints what changes on each instance of the workspace', async () => {
    const { calls, context, said } = answering({
      summary: 'Rights change on 2 of 3 instances.',
      instances: [
        {
          instance: 'eu',
          withheldNamespaces: ['kube-system'],
          subjects: [
            {
              subject: { kind: 'User', name: 'pia' },
              kinds: [{ group: 'apps', resource: 'deployments', gained: ['list'], objects: '3' }],
            },
          ],
        },
        { instance: 'us', namespaces: ['shop', 'web'], unread: ['us cannot be reached'] },
      ],
      totalInstances: 3,
      notes: ['1 instances are left out'],
    })
    expect(await previewFile(context, config(), [file(BINDING)])).toBe(ExitCode.ok)
    expect(calls).toEqual([
      [PLACE, { name: 'pias', grant: { role: 'Editor', subjects: [{ kind: 'User', name: 'pia' }] } }],
    ])
    expect(said()).toBe(`== eu
User pia:
RESOURCE           NAMESPACE   CHANGE   OBJECTS
deployments.apps   all         +list    3
Reserved: the role gives less in the namespace kube-system

== us, namespaces shop, web
Not looked at: us cannot be reached

Rights change on 2 of 3 instances.
Note: 1 instances are left out
`)
  })

  it('with --remove is about the removal of the binding of that name', async () => {
    const { calls, context } = answering({ summary: 'pia loses much.' })
    await previewFile(context, config({ remove: true }), [file(BINDING)])
    expect(calls).toEqual([[PLACE, { name: 'pias' }]])
  })

  it('is refused with an instance beside it, and without a workspace', async () => {
    const { calls, context } = answering({})
    await expect(previewFile(context, config(), ['eu', file(BINDING)])).rejects.toThrow('leave eu out')
    const nowhere = file(BINDING.replace('  workspace: sales\n', ''))
    await expect(previewFile(context, config(), [nowhere])).rejects.toThrow('has no spec.workspace')
    expect(calls).toEqual([])
  })
})
