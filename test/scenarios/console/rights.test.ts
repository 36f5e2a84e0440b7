import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { ACCESS_LOCKS } from '../../../manifests/access-lock.js'
import { resourcePath } from '../../../manifests/kube.js'
import { describeConsole } from '../support/console-world.js'
import { hostUser } from '../support/host-user.js'

/** A view, and what a reader finds there who may change nothing. */
interface View {
  /** Under the instance, unless it begins with a slash. */
  readonly at: string
  /** What is there once the view is; absent where a button that is refused says so. */
  readonly shows?: string | RegExp
  /** Whether it says at its start that the form on it cannot be sent. */
  readonly isTold?: boolean
  /** A button that leads to what is refused. */
  readonly press?: string
  /** The buttons that would change something. */
  readonly refused?: readonly string[]
}

/** Buttons that change nothing. Whoever makes a new one either says here that it is harmless, or has it refused. */
const HARMLESS: readonly RegExp[] = [
  ...[/^Copy$/, /^Show all \d+$/, /^Download yours$/, /^Download$/, /^Clear$/, /^Choose a file$/],
  ...[/^May they\?$/, /^Who may\?$/, /^Compute again$/, /^Cancel$/, /^Back to the form$/],
  ...[/^Begin with YAML$/, /^Continue$/, /^Start again$/, /^Ask again$/],
]

const routesFolder = join(import.meta.dirname, '../../../console/shell/routes')

/** The addresses that the console has, as it writes them. */
function routes(): string[] {
  const route = /createRoute\(\{\s*getParentRoute: \(\) => (\w+),\s*path: '([^']*)'/g
  const parents: Readonly<Record<string, string>> = {
    root: '',
    instance: '/instances/$name',
    access: '/access',
  }
  return readdirSync(routesFolder)
    .flatMap(file => [...readFileSync(join(routesFolder, file), 'utf8').matchAll(route)])
    .map(([, parent = '', path = '']) =>
      `${parents[parent]}/${path}`.replace(/\/+/g, '/').replace(/(.)\/$/, '$1'),
    )
}

/** The kinds of objects that have screens of their own. */
const KINDS = {
  services: 'Service',
  ingresses: 'Ingress',
  configmaps: 'ConfigMap',
  secrets: 'Secret',
  namespaces: 'Namespace',
  federatedhpas: 'FederatedHPA',
  customresourcedefinitions: 'CustomResourceDefinition',
}
const CHECK = { isTold: true, refused: ['Check and compare'] }
const POLICIES = ['', 'cluster'].flatMap(scope => [`${scope}propagationpolicies`, `${scope}overridepolicies`])

/** Every address of the console. @param member one of the instance's */
const views = (member: string): Readonly<Record<string, readonly View[]>> => ({
  '/': [{ at: '/', shows: 'Fleet' }],
  '/instances': [{ at: '/instances', refused: ['New instance'] }],
  '/events': [{ at: '/events', shows: 'Events of the fleet' }],
  '/new-instance': [{ at: '/new-instance', isTold: true, refused: ['Check', 'Create'] }],
  '/compare': [{ at: '/compare', shows: /^Compare/ }],
  '/access': [{ at: '/access', shows: 'Your roles' }],
  '/access/roles': ['', '?kind=workspaces'].map(of => ({
    ...{ at: `/access/roles${of}`, shows: 'Ask an administrator of Kairship' },
    refused: ['Give a role'],
  })),
  '/access/workspaces': [{ at: '/access/workspaces', refused: ['Bind'] }],
  '/access/locks': [{ at: '/access/locks', refused: ['Lock out'] }],
  '/access/audit': [{ at: '/access/audit', shows: /^(Live|Not read yet)/ }],
  '/instances/$name': [{ at: '', shows: 'Lifecycle' }],
  '/instances/$name/events': [{ at: 'events', shows: /· Events$/ }],
  '/instances/$name/reads': [{ at: 'reads', shows: 'Requests a minute' }],
  '/instances/$name/settings': [{ at: 'settings', refused: ['Issue and download', 'Start', 'Delete'] }],
  '/instances/$name/access': [{ at: 'access', shows: 'Who may?' }],
  '/instances/$name/clusters': [{ at: 'clusters', refused: ['Join a cluster'] }],
  '/instances/$name/clusters/$cluster': [{ at: `clusters/${member}`, refused: ['Edit', 'Cordon', 'Remove'] }],
  '/instances/$name/join-cluster': [{ at: 'join-cluster', isTold: true, refused: ['Check', 'Join'] }],
  '/instances/$name/workloads': ['deployments', 'statefulsets', 'daemonsets', 'jobs', 'cronjobs'].map(
    kind => ({
      ...{ at: `workloads?kind=${kind}`, refused: ['Create'] },
    }),
  ),
  '/instances/$name/workloads/new': [{ at: 'workloads/new', press: 'Begin with YAML', ...CHECK }],
  '/instances/$name/workloads/$kind/$namespace/$workload': [
    {
      at: 'workloads/deployments/default/web',
      refused: ['Edit', 'Scale', 'Restart', 'Pause', 'Roll back', 'Delete'],
    },
    { at: 'workloads/deployments/default/web?edit=true', ...CHECK },
  ],
  '/instances/$name/workloads/$kind/$namespace/$workload/logs': [
    { at: 'workloads/deployments/default/web/logs', shows: 'Logs of web' },
  ],
  // It connects when it opens: the refusal is what it shows, and trying again is refused again.
  '/instances/$name/terminal': [
    { at: `terminal?cluster=${member}&namespace=default&pod=web`, shows: /viewer@playground/ },
  ],
  '/instances/$name/promote': [{ at: 'promote', isTold: true, shows: 'Promote' }],
  '/instances/$name/objects': [{ at: 'objects', refused: ['Create Service'] }],
  '/instances/$name/objects/$kind': Object.entries(KINDS).map(([path, kind]) => ({
    ...{ at: `objects/${path}`, refused: [`Create ${kind}`] },
  })),
  '/instances/$name/objects/$kind/new': Object.keys(KINDS).map(path => ({
    at: `objects/${path}/new`,
    ...CHECK,
  })),
  '/instances/$name/objects/$kind/$namespace/$object': [
    { at: 'objects/namespaces/-/default', refused: ['Edit', 'Delete'] },
    { at: 'objects/configmaps/default/cargo', refused: ['Edit', 'Delete'] },
    { at: 'objects/configmaps/default/cargo?edit=true', ...CHECK },
  ],
  '/instances/$name/policies': POLICIES.map(kind => ({
    at: `policies?kind=${kind}`,
    refused: ['New policy'],
  })),
  '/instances/$name/policies/$kind/new': POLICIES.map(kind => ({ at: `policies/${kind}/new`, ...CHECK })),
  '/instances/$name/policies/$kind/$namespace/$policy': [
    { at: 'policies/propagationpolicies/default/web', refused: ['Edit', 'Delete'] },
  ],
  '/instances/$name/policies/$kind/$namespace/$policy/edit': [
    { at: 'policies/propagationpolicies/default/web/edit', ...CHECK },
  ],
  '/instances/$name/rehearse': [{ at: 'rehearse', shows: 'Rehearse' }],
})

/** Names of the buttons that can be pressed, or not for now: not those that say why, that choose what is shown, or that edit a form. */
const pressable = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('main button:not([role]), main [role=button]')]
    .filter(button => !button.getAttribute('aria-description') && !button.closest('[aria-hidden=true]'))
    .filter(button => button.tabIndex !== -1 && !button.closest('fieldset'))
    .map(button => button.getAttribute('aria-label') ?? button.textContent)`)

/** Names of the buttons that cannot be pressed and do not say why. */
const unexplained = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('main button:is([disabled], [data-disabled])')]
    .filter(button => !button.getAttribute('aria-description') && !button.matches('[data-loading]'))
    .map(button => button.getAttribute('aria-label') ?? button.textContent)`)

/** Goes to a view as a link does, without loading the page anew. */
const go = (page: Page, path: string) => page.evaluate(`history.pushState({}, '', ${JSON.stringify(path)})`)

describeConsole('a button without its right in the console', { members: 1 }, world => {
  it('is disabled with its reason on every view, for a viewer, and no other button changes anything', async () => {
    const [member = ''] = world.proxy.playground.members.keys()
    await world.deploy('web')
    await world.karmada({
      method: 'POST',
      path: '/api/v1/namespaces/default/configmaps',
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'cargo' }, data: { rope: 'long' } },
    })
    const all = views(member)
    expect(Object.keys(all).sort()).toEqual([...new Set(routes())].sort())
    const { page, complaints } = await world.signedIn(world.proxy.playground.tokens.viewer)
    const main = page.getByRole('main')
    for (const { at, shows, isTold, press, refused = [] } of Object.values(all).flat()) {
      await go(page, at.startsWith('/') ? at : `/instances/${world.instance}/${at}`)
      if (shows !== undefined) await main.getByText(shows).first().waitFor()
      if (isTold)
        await main.getByRole('status', { name: 'You can view this form but not submit it' }).waitFor()
      if (press !== undefined) await main.getByRole('button', { name: press }).click()
      for (const name of refused) {
        const button = main
          .getByRole('button', { name, exact: true })
          .and(page.locator('[aria-disabled=true]'))
          .first()
        await button.waitFor()
        expect(await button.getAttribute('aria-description'), `${at}: ${name}`).toMatch(
          /viewer@playground may not|none of your roles/,
        )
      }
      await expect.poll(() => unexplained(page), { message: at }).toEqual([])
      await expect
        .poll(async () => (await pressable(page)).filter(name => !HARMLESS.some(one => one.test(name))), {
          message: at,
        })
        .toEqual([])
    }
    // A browser itself logs that the terminal's socket was refused; the page says why.
    expect(complaints.filter(text => !/WebSocket connection to .*\/exec\?.* 403/.test(text))).toEqual([])
  })

  it('is disabled for each role and lock by itself, where the user may remove one and not the others', async () => {
    const { host } = world.proxy.playground
    await host.local.request({
      method: 'POST',
      path: resourcePath(ACCESS_LOCKS),
      body: {
        ...{ apiVersion: 'kairship.io/v1alpha1', kind: 'AccessLock', metadata: { name: 'leaver' } },
        spec: { user: 'nobody' },
      },
    })
    const read = ['get', 'list', 'watch']
    const rights = { instances: read, accesslocks: read, instancerolebindings: read }
    const token = await hostUser(host, 'auditor', rights)
    const own = `${world.instance}-viewer`
    await host.local.request({
      method: 'PATCH',
      path: '/apis/rbac.authorization.k8s.io/v1/clusterroles/auditor',
      contentType: 'application/json-patch+json',
      body: [
        {
          ...{ op: 'add', path: '/rules/-' },
          value: {
            ...{ apiGroups: ['kairship.io'], resources: ['instancerolebindings'] },
            ...{ verbs: ['delete'], resourceNames: [own] },
          },
        },
      ],
    } as never)
    const { page, complaints } = await world.signedIn(token, { locale: 'zh-CN' })
    await go(page, '/access/roles')
    const takes = page.getByRole('button', { name: /^收回 / })
    const mine = page.getByRole('button', { name: `收回 ${own}` })
    await mine.waitFor()
    const pressed = takes.and(page.locator(':not([aria-disabled=true])'))
    await expect.poll(() => pressed.count()).toBe(1)
    await mine.click()
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await go(page, '/access/locks')
    const lift = page.getByRole('button', { name: '解除 leaver' })
    await expect
      .poll(() => lift.getAttribute('aria-description'))
      .toContain('auditor 不能在宿主集群上对 accesslocks.kairship.io leaver 执行 delete')
    expect(complaints).toEqual([])
  })
})
