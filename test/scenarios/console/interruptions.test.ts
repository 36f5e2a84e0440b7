import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { OpenIdSignIn } from '../../../actors/issuers/issuer-sign-in.js'
import { PATIENCE_MS } from '../../patience.js'
import { consoleSignInAt, issuerUnderTest } from '../../playground/issuer/running-issuer.js'
import { visit } from '../support/browser.js'
import { barriers, describeConsole, pictures } from '../support/console-world.js'
import { asYaml, checkAndApply, replaceInYaml, yamlEditor } from '../support/yaml-editor.js'

/** What would run as a script, end a text, or hide one, if a page took it for more than text. */
const HOSTILE = '"><img src=x onerror="window.pwned=1"><script>window.pwned=1</script>{{7*7}}\u202egnp.exe'

describeConsole('a person at the console who is interrupted', { members: 2 }, world => {
  const configMaps = '/api/v1/namespaces/default/configmaps'
  const store = (name: string, data: Record<string, string>, metadata: object = {}) =>
    world.karmada({
      method: 'POST',
      path: configMaps,
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, data },
    })

  /** Pastes a text over all that an editor has: a keyboard would take minutes for megabytes. */
  async function paste(page: Page, label: RegExp, text: string): Promise<void> {
    await yamlEditor(page, label).focus()
    await page.keyboard.press('Control+a')
    await page.evaluate(`{
      const clipboardData = new DataTransfer()
      clipboardData.setData('text/plain', ${JSON.stringify(text)})
      const paste = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true })
      document.activeElement.dispatchEvent(paste)
    }`)
  }

  it('signs in over an edit whose session ended before it was checked, and before it was applied', async () => {
    await store('course', { heading: 'north' })
    const { admin } = world.proxy.playground.tokens
    const { page, context, complaints } = await world.at('objects/configmaps/default/course?edit=true')
    await asYaml(page)
    await replaceInYaml(page, /^YAML of ConfigMap/, 'north', 'north-west')
    const over = page.getByRole('dialog', { name: 'Your session is over' })
    for (const button of ['Check and compare', 'Apply']) {
      await context.clearCookies()
      await page.getByRole('button', { name: button }).click()
      await over.getByLabel('Token').fill(admin)
      if (button === 'Apply') await pictures(page, 'session-over-edit')
      await over.getByRole('button', { name: 'Sign in' }).click()
      await over.waitFor({ state: 'detached' })
      await page.getByText('Your session is over. Sign in again, then check again').waitFor()
      await yamlEditor(page, /^YAML of ConfigMap/)
        .getByText('north-west')
        .waitFor()
      await page.getByRole('button', { name: 'Check and compare' }).click()
      await page.getByText('Left: the stored object').waitFor()
    }
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByRole('button', { name: 'Edit', exact: true }).waitFor()
    await page.getByText('north-west').first().waitFor()
    expect(await world.karmada({ method: 'GET', path: `${configMaps}/course` })).toMatchObject({
      data: { heading: 'north-west' },
    })
    expect(complaints.filter(text => !text.includes("/console/socket' failed"))).toEqual([])
  })

  it('sees that a list is stale while only its stream is cut, reads on, and then sees the new rows', async () => {
    const { page, complaints } = await world.signedIn()
    let isCut = false
    let cut: (() => void) | undefined
    await page.routeWebSocket(/console\/socket/, socket => {
      if (isCut) return void socket.close({ code: 1011, reason: 'cut' })
      const server = socket.connectToServer()
      cut = () => {
        void socket.close({ code: 1011, reason: 'cut' })
        void server.close()
      }
    })
    await page.goto(`${world.api.url}/instances/${world.instance}/objects/configmaps?find=crate`)
    const status = page.getByRole('status')
    await status.filter({ hasText: /^Live$/ }).waitFor()
    isCut = true
    cut?.()
    await status.filter({ hasText: 'Not live' }).waitFor()
    await store('crate', { of: 'lemons' })
    expect(await barriers(page)).toEqual([])
    // The server is there: what is read once is read.
    await page.getByRole('tab', { name: 'Access' }).click()
    await page.getByLabel('Verb').waitFor()
    await page.goBack()
    isCut = false
    await status.filter({ hasText: /^Live$/ }).waitFor()
    await page.getByRole('link', { name: 'crate' }).waitFor()
    expect(complaints.filter(text => !text.includes('console/socket'))).toEqual([])
  })

  it('sees that a ConfigMap of 5 MB is too large, keeps its text, and stores a smaller one', async () => {
    const { page, complaints } = await world.at('objects/configmaps/new')
    const head = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: cargo\n  namespace: default\ndata:\n'
    await asYaml(page)
    await yamlEditor(page, /^YAML of ConfigMap/).waitFor()
    await paste(page, /^YAML of ConfigMap/, `${head}  book: ${'a long story, '.repeat(375_000)}the end\n`)
    await page.getByRole('button', { name: 'Check and compare' }).click()
    await page
      .getByRole('alert')
      .getByText(/too large: limit is \d+/)
      .waitFor()
    await page.getByText('Your text stays here.').waitFor()
    // What is far below is not drawn: a page with all of it would not move.
    expect((await page.content()).length).toBeLessThan(1_000_000)
    expect(await barriers(page)).toEqual([])
    await paste(page, /^YAML of ConfigMap/, `${head}  book: a short story\n`)
    await checkAndApply(page)
    await page.getByRole('heading', { name: 'cargo' }).waitFor()
    expect(complaints).toEqual([])
  })

  it('sees names and values of all kinds as text, and none of them runs as script', async () => {
    const data = { __proto: HOSTILE, constructor: HOSTILE, 'index.html': HOSTILE }
    await store('hostile', JSON.parse(JSON.stringify(data).replace('__proto"', '__proto__"')), {
      labels: { constructor: 'toString' },
      annotations: { 'example.com/note': HOSTILE },
    })
    await world.deploy('hostile', {
      image: HOSTILE.replaceAll(/\s/g, '/'),
      env: [{ name: 'X', value: HOSTILE }],
    })
    const { page, complaints } = await world.at('objects/configmaps/default/hostile')
    const dialogs: string[] = []
    page.on('dialog', dialog => {
      dialogs.push(dialog.message())
      void dialog.dismiss()
    })
    for (const key of ['__proto__', 'constructor', 'index.html'])
      await page.getByText(key, { exact: true }).waitFor()
    expect(await page.locator('pre', { hasText: 'onerror' }).first().textContent()).toBe(HOSTILE)
    await page.getByText('constructor=toString').waitFor()
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    expect(await page.getByRole('textbox', { name: 'Value of __proto__' }).inputValue()).toBe(HOSTILE)
    await asYaml(page)
    await yamlEditor(page, /^YAML of ConfigMap/)
      .getByText('onerror')
      .first()
      .waitFor()
    await replaceInYaml(page, /^YAML of ConfigMap/, 'toString', 'valueOf')
    await checkAndApply(page)
    await page.getByText('constructor=valueOf').waitFor()
    // The whole of it went there and back.
    const stored = await world.karmada<{ data: Record<string, string> }>({
      method: 'GET',
      path: `${configMaps}/hostile`,
    })
    expect(Object.entries(stored.data).sort()).toEqual(
      ['__proto__', 'constructor', 'index.html'].map(key => [key, HOSTILE]),
    )
    await page.goto(`${world.api.url}/instances/${world.instance}/workloads/deployments/default/hostile`)
    await page
      .getByText(/^Deployment default\/hostile/)
      .first()
      .waitFor()
    for (const path of [
      `/instances/${encodeURIComponent(HOSTILE)}`,
      `/instances/${world.instance}/objects/${encodeURIComponent(HOSTILE)}`,
      `/instances/${world.instance}/workloads?kind=__proto__&find=${encodeURIComponent(HOSTILE)}`,
      `/events?object=${encodeURIComponent(HOSTILE)}`,
    ]) {
      await page.goto(world.api.url + path)
      await page.getByRole('main').waitFor()
      expect([path, await barriers(page)]).toEqual([path, []])
    }
    await page.goto(`${world.api.url}/instances/${encodeURIComponent(HOSTILE)}`)
    await page.getByText('‹U+202E›gnp.exe').first().waitFor()
    await page.keyboard.press('/')
    await page.getByRole('textbox', { name: /^Instances, clusters/ }).fill(HOSTILE)
    await page.getByText(/^Nothing in the fleet has/).waitFor()
    expect(await page.evaluate('window.pwned')).toBeUndefined()
    expect([...dialogs, ...complaints]).toEqual([])
  })

  it('finds an event in a list while events are written as fast as possible', async () => {
    const write = (name: string, object: string) =>
      world.karmada({
        method: 'POST',
        path: '/api/v1/namespaces/default/events',
        body: {
          apiVersion: 'v1',
          kind: 'Event',
          metadata: { name },
          type: 'Normal',
          reason: 'Sailed',
          message: 'on its way',
          involvedObject: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: object },
          lastTimestamp: new Date().toISOString().replace(/\.\d+/, ''),
        },
      })
    const { page, complaints } = await world.signedIn()
    await page.goto(`${world.api.url}/events`)
    await page.getByText('Live', { exact: true }).waitFor()
    // It goes on until something was found in it; what would never be found ends it, too.
    let isFound = false
    const flood = (async () => {
      for (let batch = 0; batch < 200 && !isFound; batch += 1)
        await Promise.all(Array.from({ length: 100 }, (_, n) => write(`hay-${batch}-${n}`, `hay-${n}`)))
    })()
    await page.getByText(/The newest 1,000 of \d/).waitFor()
    await page.getByLabel('Object').fill('hay-77')
    await page.getByRole('row').filter({ hasText: 'hay-77' }).first().waitFor()
    isFound = true
    await flood
    await page.getByLabel('Object').fill('')
    await page.getByText(/The newest 1,000 of \d/).waitFor()
    expect(await page.getByRole('row').count()).toBeLessThan(60)
    expect(complaints).toEqual([])
  })

  it('sees why a terminal ends with its token, and opens another with the renewed session', async () => {
    const [first = ''] = world.proxy.playground.members.keys()
    const issuer = await issuerUnderTest({ idTokenSeconds: 25 })
    const signIn = new OpenIdSignIn()
    try {
      const file = join(world.proxy.folder, 'authentication.json')
      const api = await world.another({
        authentication: consoleSignInAt(issuer, file, signIn),
      })
      issuer.serve({ url: api.url })
      const clusterRole = (name: string) => ({
        apiGroup: 'rbac.authorization.k8s.io',
        kind: 'ClusterRole',
        name,
      })
      const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'playground:ada' }]
      const path = '/apis/rbac.authorization.k8s.io/v1/clusterrole'
      const send = (kind: string, body: object) => ({ method: 'POST' as const, path: path + kind, body })
      // Karmada lets those be impersonated in members who may use the proxies to them, and the member decides.
      await world.karmada(
        send('s', {
          metadata: { name: 'ada' },
          rules: [{ apiGroups: ['cluster.karmada.io'], resources: ['clusters/proxy'], verbs: ['*'] }],
        }),
      )
      await world.karmada(
        send('bindings', { metadata: { name: 'ada' }, roleRef: clusterRole('ada'), subjects }),
      )
      await world.proxy.playground.members
        .get(first)!
        .server.local.request(
          send('bindings', { metadata: { name: 'ada' }, roleRef: clusterRole('cluster-admin'), subjects }),
        )
      await world.deploy('shell', { command: ['sh', '-c', 'sleep infinity'] })
      const { page, complaints } = await visit(world.browser, 'https://127.0.0.1')
      page.setDefaultTimeout(PATIENCE_MS)
      await page.goto(`${api.url}/instances/${world.instance}/workloads/deployments/default/shell`)
      await page.getByRole('link', { name: /^Sign in at 127/ }).click()
      await page.getByLabel('ada').check()
      await page.getByLabel('Password').fill(issuer.password)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page
        .getByRole('region', { name: `Pods: ${first}` })
        .getByRole('link', { name: 'Terminal' })
        .click()
      await page.getByRole('status').getByText('Open').waitFor()
      await page.getByRole('alert').getByText('the credential has expired').waitFor()
      expect(await barriers(page)).toEqual([])
      await page.getByRole('button', { name: 'Start again' }).click()
      await page.getByRole('status').getByText('Open').waitFor()
      expect(issuer.refreshes).toBeGreaterThan(0)
      expect(complaints).toEqual([])
    } finally {
      await signIn.close()
      await issuer.close()
    }
  })
})
