import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { OpenIdSignIn } from '../../../actors/issuers/issuer-sign-in.js'
import type { Api } from '../../../http/api-options.js'
import { selfSigned, servingNames } from '../../../http/listener/serving-certificate.js'
import { INSTANCES } from '../../../manifests/instance.js'
import { PATIENCE_MS } from '../../patience.js'
import {
  consoleSignInAt,
  type IssuerUnderTest,
  issuerUnderTest,
} from '../../playground/issuer/running-issuer.js'
import { type Visit, visit } from '../support/browser.js'
import { describeConsole, pictures } from '../support/console-world.js'

describeConsole('a person at the console', {}, world => {
  let issuer: IssuerUnderTest
  let signIn: OpenIdSignIn
  let api: Api

  beforeAll(async () => {
    issuer = await issuerUnderTest()
    const file = join(world.proxy.folder, 'authentication.json')
    signIn = new OpenIdSignIn()
    api = await world.another({
      authentication: consoleSignInAt(issuer, file, signIn),
    })
    issuer.serve({ url: api.url })
  })
  afterAll(async () => {
    await signIn?.close()
    await issuer?.close()
  })

  /** Opens a view as nobody yet. */
  async function opened(path: string, options: Parameters<typeof visit>[2] = {}): Promise<Visit> {
    const visited = await visit(world.browser, 'https://127.0.0.1', options)
    visited.page.setDefaultTimeout(PATIENCE_MS)
    await visited.page.goto(api.url + path)
    return visited
  }

  /** Fills the issuer's page. */
  async function asPerson(page: Page, name: string): Promise<void> {
    await page.getByLabel(name).check()
    await page.getByLabel('Password').fill(issuer.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
  }

  it('signs in at the issuer and returns to the view, with a session that is renewed', async () => {
    const { page, complaints, context } = await opened(`/instances/${world.instance}/clusters`)
    await page.getByRole('link', { name: /^Sign in at 127/ }).waitFor()
    await pictures(page, 'sign-in')
    await page.getByRole('link', { name: /^Sign in at 127/ }).click()
    await asPerson(page, 'ada')
    await page.getByRole('button', { name: 'playground:ada' }).waitFor()
    expect(page.url()).toBe(`${api.url}/instances/${world.instance}/clusters`)
    // A page that is opened when the token has ended, and the session not.
    await context.clearCookies({ name: /^__Host-kairship-session-/ })
    await page.reload()
    await page.getByRole('button', { name: 'playground:ada' }).waitFor()
    expect(issuer.refreshes).toBe(1)
    expect(complaints).toEqual([])
    await context.close()
  })

  it('keeps typed text when the session ends: signing in again happens in a popup', async () => {
    const { page, complaints, context } = await opened('/instances')
    await page.getByRole('link', { name: /^Sign in at 127/ }).click()
    await asPerson(page, 'ada')
    await page.getByRole('link', { name: world.instance }).waitFor()
    await context.clearCookies({ name: /kairship/ })
    await page.getByLabel('Find by name or alias').fill('not sent yet')
    await page.getByRole('dialog', { name: 'Your session is over' }).waitFor()
    // What could not be read is not counted.
    expect(await page.getByText('0 instances').count()).toBe(0)
    await pictures(page, 'session-over')
    const [window] = await Promise.all([
      context.waitForEvent('page'),
      page.getByRole('link', { name: /^Sign in at 127/ }).click(),
    ])
    await window.getByRole('button', { name: 'Go on as ada' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await page.getByLabel('Find by name or alias').inputValue()).toBe('not sent yet')
    expect(window.isClosed()).toBe(true)
    await page.getByLabel('Find by name or alias').fill('')
    await page.getByRole('link', { name: world.instance }).waitFor()
    // A browser itself logs that its socket was refused.
    expect(complaints.filter(text => !text.includes("/console/socket' failed"))).toEqual([])
    await context.close()
  })

  it('must confirm before a link of another user replaces the session', async () => {
    const { page, complaints, context } = await opened('/instances')
    await page.getByRole('link', { name: /^Sign in at 127/ }).click()
    await asPerson(page, 'vera')
    await page.getByRole('button', { name: 'playground:vera' }).waitFor()
    const link = await world.link(world.proxy.playground.tokens.admin, api)
    await page.goto('about:blank')
    await page.goto(link)
    await page.getByText('The link signs this browser in as admin@playground').waitFor()
    await pictures(page, 'other-link')
    await page.getByRole('button', { name: 'Stay playground:vera' }).click()
    await page.getByRole('button', { name: 'playground:vera' }).waitFor()
    await page.goto('about:blank')
    await page.goto(link)
    await page.getByRole('button', { name: 'Go on as admin@playground' }).click()
    await page.getByRole('button', { name: 'admin@playground' }).waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })

  it('sends nothing as another user who signs in in another tab', async () => {
    const { viewer, admin } = world.proxy.playground.tokens
    const { page, context } = await world.at('objects/configmaps/new', admin)
    await page.getByRole('textbox', { name: 'Name' }).fill('of-admin')
    const beside = await context.newPage()
    await beside.goto(await world.link(viewer))
    await beside.getByRole('button', { name: 'Go on as viewer@playground' }).click()
    await page.getByText('this page belongs to admin@playground').first().waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Later' }).click()
    await page.getByRole('button', { name: 'Check and compare' }).click()
    await page.getByText('no credentials').waitFor()
    // The page goes on where its user is back.
    await beside.goto('about:blank')
    await beside.goto(await world.link(admin))
    await beside.getByRole('button', { name: 'Go on as admin@playground' }).click()
    await page.getByText('this page belongs to admin@playground').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Check and compare' }).click()
    await page.getByRole('button', { name: 'Apply' }).waitFor()
    await context.close()
  })

  it('sees its account, its rights with reasons, and that a viewer may not give roles', async () => {
    const { page, complaints, context } = await opened('/access')
    await page.getByRole('link', { name: /^Sign in at 127/ }).click()
    await asPerson(page, 'vera')
    await page
      .getByRole('row', { name: new RegExp(`^${world.instance} Viewer the whole instance`) })
      .waitFor()
    await pictures(page, 'account')
    await page.getByRole('tab', { name: 'Roles' }).click()
    await page
      .getByText(/instancerolebindings/)
      .first()
      .waitFor()
    await page.goto(`${api.url}/instances/${world.instance}/access`)
    await page.getByLabel('Verb').fill('delete')
    await page.getByLabel('Resource').fill('deployments.apps')
    await page.getByLabel('Namespace').fill('default')
    await page.getByRole('button', { name: 'May they?' }).click()
    await page.getByRole('status').filter({ hasText: 'Denied' }).waitFor()
    await page
      .getByText(/^What helps: /)
      .first()
      .waitFor()
    expect(new URL(page.url()).searchParams.get('resource')).toBe('deployments.apps')
    await pictures(page, 'access-check')
    expect(complaints).toEqual([])
    await context.close()
  })

  it('gives a role after a preview, finds it in the audit, and removes it', async () => {
    const { page, complaints, context } = await world.signedIn()
    await page.goto(`${world.api.url}/access/roles`)
    await page.getByRole('button', { name: 'Give a role' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name of the binding').fill('on-call')
    await dialog.getByLabel('Instance').fill(world.instance)
    await dialog.getByLabel('Namespaces').fill('default')
    await dialog.getByLabel('Who').fill('somebody')
    await dialog.getByText('“somebody” is none of').waitFor()
    await dialog.getByLabel('Who').fill('User <img src=x onerror=alert(1)>')
    await dialog.getByLabel('Ends at').fill('2100-01-01T12:00')
    await dialog.getByLabel('Why').fill('incident 7')
    await dialog.getByRole('button', { name: 'Show what changes' }).click()
    await dialog.getByText(/more readable$/).waitFor()
    await pictures(page, 'give-role')
    await dialog.getByRole('button', { name: 'Give it' }).click()
    await dialog.waitFor({ state: 'detached' })
    const row = page.getByRole('row').filter({ hasText: 'on-call' })
    await row.getByText('User <img src=x onerror=alert(1)>').waitFor()
    await pictures(page, 'roles')
    await page.getByRole('tab', { name: 'Audit' }).click()
    await page
      .getByRole('row')
      .filter({ hasText: 'CreateInstanceRoleBinding' })
      .getByText('Succeeded')
      .waitFor()
    await pictures(page, 'audit')
    await page.getByRole('tab', { name: 'Roles' }).click()
    await page.getByRole('button', { name: 'Take away on-call' }).click()
    await dialog.getByRole('button', { name: 'Show what changes' }).click()
    await dialog.getByText(/no longer readable$/).waitFor()
    await dialog.getByRole('button', { name: 'Take away' }).click()
    await row.waitFor({ state: 'detached' })
    expect(complaints).toEqual([])
    await context.close()
  })

  it('reads who may do something, and through which bindings', async () => {
    const { page, complaints, context } = await world.signedIn()
    await page.goto(`${world.api.url}/instances/${world.instance}/access`)
    await page.getByLabel('Verb').fill('get')
    await page.getByLabel('Resource').fill('deployments.apps')
    await page.getByLabel('Namespace').fill('default')
    await page.getByRole('button', { name: 'Who may?' }).click()
    const answer = page.getByRole('table', { name: 'Who may?' })
    await answer
      .getByRole('row', { name: /admin@playground.*Binding/ })
      .first()
      .waitFor()
    expect(new URL(page.url()).searchParams.get('ask')).toBe('who')
    expect(complaints).toEqual([])
    await context.close()
  })

  it('gives a role in a workspace, and takes it away', async () => {
    const { page, complaints, context } = await world.signedIn()
    await page.goto(`${world.api.url}/access/roles`)
    await page.getByText('In workspaces', { exact: true }).click()
    await page.waitForURL('**/access/roles?kind=workspaces')
    await page.getByRole('button', { name: 'Give a role' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name of the binding').fill('shop-readers')
    await dialog.getByLabel('Workspace').fill('shop')
    await dialog.getByLabel('Who').fill('Group readers')
    await dialog.getByRole('button', { name: 'Show what changes' }).click()
    await dialog.getByRole('button', { name: 'Give it' }).click()
    await dialog.waitFor({ state: 'detached' })
    const row = page.getByRole('row').filter({ hasText: 'shop-readers' })
    await row.getByText('Group readers').waitFor()
    await page.getByRole('button', { name: 'Take away shop-readers' }).click()
    await dialog.getByRole('button', { name: 'Show what changes' }).click()
    await dialog.getByRole('button', { name: 'Take away' }).click()
    await row.waitFor({ state: 'detached' })
    expect(complaints).toEqual([])
    await context.close()
  })

  it('binds an instance to a workspace after a preview, and releases it; a viewer may not', async () => {
    const { page, complaints, context } = await world.signedIn()
    await page.goto(`${world.api.url}/access/workspaces`)
    const row = page.getByRole('row').filter({ hasText: world.instance })
    await row.getByRole('button', { name: 'Bind' }).click()
    const dialog = page.getByRole('dialog')
    await dialog
      .getByText(/^Subjects with a role in the workspace get this role on the whole instance/)
      .waitFor()
    await dialog.getByRole('combobox', { name: 'Workspace' }).click()
    await page.getByRole('option', { name: 'shop' }).click()
    await pictures(page, 'bind-workspace')
    await dialog.getByRole('button', { name: 'Bind' }).click()
    await row.getByText('shop', { exact: true }).waitFor()
    await pictures(page, 'workspaces')
    await row.getByRole('button', { name: 'Release' }).click()
    await dialog.getByText(/^Roles through shop end on this instance at once/).waitFor()
    await dialog.getByRole('button', { name: 'Release' }).click()
    await row.getByText('none', { exact: true }).waitFor()
    expect(complaints).toEqual([])
    await context.close()
    const viewer = await world.signedIn(world.proxy.playground.tokens.viewer)
    await viewer.page.goto(`${world.api.url}/access/workspaces`)
    const refused = viewer.page
      .getByRole('button', { name: 'Bind' })
      .and(viewer.page.locator('[aria-disabled=true]'))
    await refused.waitFor()
    expect(await refused.getAttribute('aria-description')).toMatch(/./)
    await viewer.context.close()
  })

  it('locks a user out and lifts the lock', async () => {
    const { page, complaints, context } = await world.signedIn(undefined, {
      colorScheme: 'dark',
      locale: 'zh-CN',
    })
    await page.goto(`${world.api.url}/access/locks`)
    await page.getByText('没有被锁定的对象。').waitFor()
    await page.getByRole('button', { name: '锁定' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('锁定名称').fill('leaver')
    await dialog.getByLabel('用户').fill('viewer@playground')
    await dialog.getByRole('button', { name: '锁定' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('row').filter({ hasText: 'leaver' }).waitFor()
    await pictures(page, 'locks', 'zh')
    await page.getByRole('button', { name: '解除 leaver' }).click()
    await dialog.getByRole('button', { name: '解除' }).click()
    await page.getByText('没有被锁定的对象。').waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })

  it('continues at the same place after its server was restarted', async () => {
    const tls = await selfSigned(servingNames(['127.0.0.1:0']))
    const first = await world.another({ tls })
    const { page, context } = await visit(world.browser, first.url)
    page.setDefaultTimeout(PATIENCE_MS)
    await page.goto(await world.link(world.proxy.playground.tokens.admin, first))
    const status = page.getByRole('status')
    await status.filter({ hasText: /^Live$/ }).waitFor()
    await page.getByLabel('Find by name or alias').fill(world.instance)
    await page.waitForURL(/name=/)
    await status.filter({ hasText: /^Live$/ }).waitFor()
    await first.close()
    await status.filter({ hasText: 'Not live' }).waitFor()
    await page.getByRole('link', { name: world.instance }).waitFor()
    await world.another({ tls, listen: new URL(first.url).host })
    await status.filter({ hasText: /^Live$/ }).waitFor()
    expect(await page.getByLabel('Find by name or alias').inputValue()).toBe(world.instance)
    await page.getByRole('button', { name: 'admin@playground' }).waitFor()
    await context.close()
  })

  it('sees that an instance was deleted while its page is open, whatever its name', async () => {
    const { local } = world.proxy.playground.host
    const path = `/apis/${INSTANCES.group}/${INSTANCES.version}/${INSTANCES.resource}`
    const alias = '"><script>alert(1)</script>{{nonce}}\u202egnp.exe'
    await local.request({
      method: 'POST',
      path,
      body: {
        apiVersion: 'kairship.io/v1alpha1',
        kind: 'Instance',
        metadata: { name: 'passing' },
        spec: { alias, kubeconfigSecretRef: { namespace: 'karmada-instances', name: 'nowhere' } },
      },
    })
    const { page, complaints, context } = await world.signedIn()
    await page.getByRole('link', { name: 'passing' }).click()
    await page.getByText(alias).first().waitFor()
    await local.request({ method: 'DELETE', path: `${path}/passing` })
    await page.getByText('The instance passing is gone.').waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })
})
