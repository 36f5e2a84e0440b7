import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { INSTANCES } from '../../../manifests/instance.js'
import { Chaos } from '../../../playground/fleet/chaos/chaos.js'
import { PATIENCE_MS, waitFor } from '../../patience.js'
import { visit } from '../support/browser.js'
import { barriers, built, describeConsole, picture, pictures } from '../support/console-world.js'

describeConsole('the console in a browser', { members: 2 }, world => {
  it('is signed in by a link, which works once and leaves no code in the address', async () => {
    const { api, browser, proxy } = world
    const opened = await world.link(proxy.playground.tokens.admin)
    const first = await visit(browser, api.url)
    await first.page.goto(opened)
    await first.page.getByRole('button', { name: 'admin@playground' }).waitFor()
    expect(first.page.url()).toBe(`${api.url}/instances`)
    const second = await visit(browser, api.url)
    await second.page.goto(opened)
    await second.page.getByText('run `kairship console` for a new one').waitFor()
    expect([...first.complaints, ...second.complaints]).toEqual([])
  })

  it('renders the first instance after at most 260 kB of script, compressed by gzip', async () => {
    const { api, browser, proxy } = world
    const { page } = await visit(browser, api.url)
    // Runs before any script of the page.
    await page.addInitScript(`new MutationObserver((_, seen) => {
      if (!document.querySelector('main a[href^="/instances/"]')) return
      seen.disconnect()
      window.scriptsBefore = performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname)
    }).observe(document, { childList: true, subtree: true })`)
    await page.goto(await world.link(proxy.playground.tokens.admin))
    await page.getByRole('link', { name: world.instance }).waitFor()
    const requested = await page.evaluate<string[]>('window.scriptsBefore')
    const scripts = requested.filter(path => path.endsWith('.js'))
    const bytes = scripts.map(path => gzipSync(readFileSync(join(built, path)), { level: 9 }).length)
    expect(scripts).not.toEqual([])
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(260_000)
  })

  it('is signed in by a link also when the server was away at first: the code is used again', async () => {
    const { api, browser, proxy } = world
    const { page, context } = await visit(browser, api.url)
    let away = 2
    await page.route('**/console/session', (route, request) => {
      if (request.method() !== 'POST' || away === 0) return route.continue()
      away -= 1
      // No answer at all, and one while the host that reviews tokens is away.
      return away === 1
        ? route.abort('connectionrefused')
        : route.fulfill({ status: 503, json: { code: 14, message: 'the host is away for now', details: [] } })
    })
    await page.goto(await world.link(proxy.playground.tokens.admin))
    await page.getByText('Failed to fetch').waitFor()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('the host is away for now').waitFor()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('button', { name: 'admin@playground' }).waitFor()
    await context.close()
  })

  it('hides the token from scripts: it is in no storage and no readable cookie', async () => {
    const { proxy } = world
    const { page, context } = await world.signedIn()
    const readable = await page.evaluate<string>(
      'JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }, location.href])',
    )
    expect(readable).not.toContain(proxy.playground.tokens.admin)
    expect(readable).not.toContain('kairship-session')
    const cookies = await context.cookies()
    expect(cookies).toMatchObject([{ httpOnly: true, secure: true, sameSite: 'Strict', path: '/' }])
  })

  it('keeps its user signed in beside another Kairship on another port of the same host', async () => {
    const { proxy } = world
    const { page, context } = await world.signedIn()
    const other = await world.another()
    const beside = await context.newPage()
    await beside.goto(await world.link(proxy.playground.tokens.viewer, other))
    await beside.getByRole('button', { name: 'viewer@playground' }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'admin@playground' }).waitFor()
    await beside.reload()
    await beside.getByRole('button', { name: 'viewer@playground' }).click()
    await beside.getByRole('menuitem', { name: 'Sign out' }).click()
    await beside.getByRole('heading', { name: 'Sign in to Kairship' }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'admin@playground' }).waitFor()
    await context.close()
  })

  it('signs in with a pasted token, refuses a wrong one, and signs out', async () => {
    const { api, browser, proxy } = world
    const { page, context, complaints } = await visit(browser, api.url)
    await page.goto(`${api.url}/instances`)
    await page.getByLabel('Token').fill('made-up')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('the bearer token is not accepted').waitFor()
    await page.getByLabel('Token').fill(proxy.playground.tokens.viewer)
    await page.getByRole('button', { name: 'Sign in' }).click()
    // What is still being loaded when the network goes would complain.
    await page.getByText('1 instance', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'viewer@playground' }).click()
    await context.setOffline(true)
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByText('You are still signed in').waitFor()
    await context.setOffline(false)
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'viewer@playground' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in to Kairship' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Sign in to Kairship' }).waitFor()
    expect(complaints).toEqual([])
  })

  it('shows an instance that is created and deleted meanwhile, without a reload', async () => {
    const { proxy } = world
    const { page, complaints } = await world.signedIn()
    await page.getByText('1 instance', { exact: true }).waitFor()
    const { local } = proxy.playground.host
    const name = 'passing'
    await local.request({
      method: 'POST',
      path: `/apis/${INSTANCES.group}/${INSTANCES.version}/${INSTANCES.resource}`,
      body: {
        apiVersion: 'kairship.io/v1alpha1',
        kind: 'Instance',
        metadata: { name },
        spec: {
          alias: '<img src=x onerror=alert(1)>',
          kubeconfigSecretRef: { namespace: 'karmada-instances', name: 'nowhere' },
        },
      },
    })
    const card = page.getByRole('listitem').filter({ hasText: name })
    await card.getByText('<img src=x onerror=alert(1)>').waitFor()
    await card.getByText('karmada-instances/nowhere').waitFor()
    await page.getByText('2 instances').waitFor()
    await local.request({
      method: 'DELETE',
      path: `/apis/${INSTANCES.group}/${INSTANCES.version}/${INSTANCES.resource}/${name}`,
    })
    await card.waitFor({ state: 'detached' })
    await page.getByText('1 instance', { exact: true }).waitFor()
    expect(complaints).toEqual([])
  })

  it('lists the instances that need attention and why, in both views and by its address', async () => {
    const { api, proxy } = world
    const { instance, playground } = proxy
    const { page, complaints } = await world.signedIn()
    const create = {
      apiVersion: 'kairship.io/v1alpha1',
      kind: 'Instance',
      metadata: { name: 'unreached' },
      spec: { kubeconfigSecretRef: { namespace: 'karmada-instances', name: 'nowhere' } },
    }
    const path = `/apis/${INSTANCES.group}/${INSTANCES.version}/${INSTANCES.resource}`
    await playground.host.local.request({ method: 'POST', path, body: create })
    await page.getByText('2 instances').waitFor()
    await page.getByText('Needs attention', { exact: true }).click()
    await page.getByText('1 instance', { exact: true }).waitFor()
    const cards = page.getByRole('main').getByRole('listitem')
    expect(await cards.getByRole('heading').allTextContents()).toEqual(['unreached'])
    expect(page.url()).toBe(`${api.url}/instances?attention=true`)
    const chaos = new Chaos(playground.members)
    const [member = ''] = playground.members.keys()
    await chaos.apply(member, 'cut')
    await cards.filter({ hasText: instance }).getByText('1 cluster is not ready.').waitFor()
    await page.getByText('2 instances').waitFor()
    await page.getByText('Table', { exact: true }).click()
    await page
      .getByRole('row', { name: new RegExp(instance) })
      .getByText('1 cluster is not ready.')
      .waitFor()
    const column = page.getByRole('columnheader', { name: 'Instance' })
    const names = () => page.getByRole('rowheader').getByRole('link').allTextContents()
    const sorted = [instance, 'unreached'].sort()
    await column.getByRole('button').click()
    await waitFor(async () => expect(await names()).toEqual(sorted))
    expect(await column.getAttribute('aria-sort')).toBe('ascending')
    await column.getByRole('button').click()
    await waitFor(async () => expect(await names()).toEqual(sorted.toReversed()))
    expect(new URL(page.url()).searchParams.get('sort')).toBe('-name')
    await page.reload()
    await page.getByText('2 instances').waitFor()
    expect(await page.getByRole('radio', { name: 'Needs attention' }).isChecked()).toBe(true)
    await chaos.apply(member, 'heal')
    await page.getByText('1 instance', { exact: true }).waitFor()
    await playground.host.local.request({ method: 'DELETE', path: `${path}/unreached` })
    await page.getByText('No instance needs attention.').waitFor()
    expect(complaints).toEqual([])
  })

  it('explains an instance: state, lifecycle, conditions and transitions', async () => {
    const { api, proxy } = world
    const { page, complaints } = await world.signedIn()
    await page.getByRole('link', { name: proxy.instance }).click()
    await page.getByRole('img', { name: 'the current state is Ready' }).waitFor()
    await page.getByRole('row', { name: /^ControlPlaneHealthy yes/ }).waitFor()
    const all = page.getByRole('button', { name: /^Show all/ })
    if (await all.isVisible()) await all.click()
    await page.getByRole('row', { name: /virtualClusterSynced\.syncing ready/ }).waitFor()
    await page.goto(`${api.url}/instances/${proxy.instance}`)
    await page.getByRole('heading', { name: proxy.instance }).waitFor()
    await page.goto(`${api.url}/instances/none`)
    await page.getByText('There is no instance named none.').waitFor()
    expect(complaints).toEqual([])
  })

  it('shows the trace of a workload to two members, the broken member, and the reason', async () => {
    const { api, proxy } = world
    const { instance, playground } = proxy
    const [first = '', second = ''] = playground.members.keys()
    const { page, complaints } = await world.signedIn()
    await page.goto(`${api.url}/instances/${instance}/workloads`)
    await page.getByText('There are none of this kind.').waitFor()
    const karmada = playground.karmadas.get(instance)!.server.local
    const path = '/apis/apps/v1/namespaces/default/deployments'
    const labels = { app: 'shop' }
    await karmada.request({
      method: 'POST',
      path,
      body: {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'shop' },
        spec: {
          replicas: 2,
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'nginx:1.27' }] } },
        },
      },
    })
    await page.getByRole('link', { name: 'shop' }).click()
    await page
      .getByText(/ClusterPropagationPolicy selects it/)
      .first()
      .waitFor()
    await karmada.request({
      method: 'POST',
      path: '/apis/policy.karmada.io/v1alpha1/namespaces/default/propagationpolicies',
      body: {
        apiVersion: 'policy.karmada.io/v1alpha1',
        kind: 'PropagationPolicy',
        metadata: { name: 'shop' },
        spec: {
          resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment' }],
          placement: { clusterAffinity: { clusterNames: [first, second] } },
        },
      },
    })
    await page.getByText('Deployment default/shop runs as wanted in 2 clusters.').waitFor()
    await page.getByText(`${first} 2/2`).waitFor()
    await pictures(page, 'workload')
    await new Chaos(playground.members).apply(second, 'cut')
    await page.getByRole('tab', { name: 'Member clusters' }).click()
    const row = page.getByRole('row').filter({ hasText: second })
    await row.getByText('Not ready').waitFor()
    // Nodes, CPU and memory: Karmada keeps the last ones that it read.
    await expect.poll(() => row.getByText(/^as of .* ago$/).count()).toBe(3)
    await row
      .getByText(/not-ready/)
      .first()
      .waitFor()
    await pictures(page, 'clusters')
    await page.goto(`${api.url}/instances/${instance}/workloads/deployments/default/shop`)
    await page.getByText(second, { exact: true }).first().waitFor()
    await pictures(page, 'workload-broken')
    // From the broken link to the member, and from the steps before it to their objects.
    await page.getByRole('link', { name: 'shop-deployment' }).first().click()
    await page.getByText('kind: ResourceBinding').waitFor()
    await page.goBack()
    await page.getByRole('listitem').getByRole('link', { name: 'shop', exact: true }).click()
    await page.getByRole('heading', { name: 'shop', exact: true }).waitFor()
    await page.getByText('kind: PropagationPolicy').waitFor()
    await page.goBack()
    await page
      .getByRole('listitem')
      .filter({ has: page.getByRole('heading', { name: 'Works' }) })
      .getByRole('link', { name: second })
      .click()
    await page.getByRole('heading', { name: second, exact: true }).waitFor()
    expect(complaints).toEqual([])
  })

  it('shows that its data is stale while its server is away, and continues when it is back', async () => {
    const { browser, proxy } = world
    const other = await world.another()
    const { page } = await visit(browser, other.url)
    page.setDefaultTimeout(PATIENCE_MS)
    await page.goto(await world.link(proxy.playground.tokens.admin, other))
    await page
      .getByRole('status')
      .filter({ hasText: /^Live$/ })
      .waitFor()
    await other.close()
    await page.getByRole('status').filter({ hasText: 'Not live' }).waitFor()
    await page.getByRole('link', { name: proxy.instance }).waitFor()
  })

  it.each(['light', 'dark'] as const)(
    'keeps nobody out, in English and Chinese, in %s',
    async colorScheme => {
      const { proxy } = world
      for (const [locale, fleet, lifecycle] of [
        ['en-GB', 'Fleet', 'Lifecycle'],
        ['zh-CN', '舰队', '生命周期'],
      ] as const) {
        const { page, complaints } = await world.signedIn(undefined, { locale, colorScheme })
        await page.getByRole('heading', { name: fleet }).waitFor()
        expect(await page.locator('html').getAttribute('lang')).toBe(locale.replace('-GB', ''))
        expect(await barriers(page)).toEqual([])
        await picture(page, `fleet-${locale.slice(0, 2)}-${colorScheme}`)
        await page.getByRole('link', { name: proxy.instance }).click()
        await page.getByRole('heading', { name: lifecycle }).waitFor()
        expect(await barriers(page)).toEqual([])
        await picture(page, `instance-${locale.slice(0, 2)}-${colorScheme}`)
        expect(complaints).toEqual([])
      }
    },
  )

  it('works with the keyboard alone', async () => {
    const { proxy } = world
    const { page } = await world.signedIn()
    await page.keyboard.press('Tab')
    expect(await page.evaluate<string>('document.activeElement?.textContent')).toBe('Skip to content')
    for (let presses = 0; presses < 30; presses += 1) {
      if ((await page.evaluate<string>('document.activeElement?.textContent')) === proxy.instance) break
      await page.keyboard.press('Tab')
    }
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Lifecycle' }).waitFor()
    // The link is gone: the reader is told where they are, and goes on from there.
    expect(await page.title()).toBe(`${proxy.instance} · Kairship`)
    const focused = () => page.evaluate<string>('document.activeElement?.id')
    expect(await focused()).toBe('content')
    await page.keyboard.press('?')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await waitFor(async () => expect(await focused()).toBe('content'))
  })

  it('fits a narrow window without scrolling sideways', async () => {
    const { proxy } = world
    const { page } = await world.signedIn(undefined, { viewport: { width: 360, height: 700 } })
    const overflow = () => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
    expect(await overflow()).toBeLessThanOrEqual(0)
    await page.getByRole('link', { name: proxy.instance }).click()
    await page.getByRole('heading', { name: 'Lifecycle' }).waitFor()
    expect(await overflow()).toBeLessThanOrEqual(0)
    await page.getByRole('combobox', { name: 'Part of the instance' }).click()
    expect(await barriers(page)).toEqual([])
    await page.getByRole('option', { name: 'Policies' }).click()
    await page.waitForURL(/policies$/)
    expect(await overflow()).toBeLessThanOrEqual(0)
    for (const [path, text] of [
      ['workloads', 'CronJob'],
      ['policies', 'New policy'],
      ['objects/configmaps', 'Autoscaling'],
    ]) {
      await page.goto(`${world.api.url}/instances/${proxy.instance}/${path}`)
      await page
        .getByText(text ?? '')
        .first()
        .waitFor()
      expect([path, (await overflow()) <= 0]).toEqual([path, true])
    }
  })

  it('keeps typed text when its window becomes narrow, and wide again', async () => {
    const { page } = await world.at('workloads/new')
    const image = page.getByLabel('Image')
    await image.fill('registry.example/shop:1')
    const parts = page.getByRole('combobox', { name: 'Part of the instance' })
    await page.setViewportSize({ width: 400, height: 700 })
    await parts.waitFor()
    expect(await image.inputValue()).toBe('registry.example/shop:1')
    expect(await barriers(page)).toEqual([])
    await page.setViewportSize({ width: 1_280, height: 720 })
    await parts.waitFor({ state: 'detached' })
    expect(await image.inputValue()).toBe('registry.example/shop:1')
  })

  it('follows all lists over one connection, and over none while its tab is hidden', async () => {
    const { page, complaints } = await world.signedIn()
    const open = new Set<unknown>()
    let most = 0
    page.on('websocket', socket => {
      open.add(socket)
      most = Math.max(most, open.size)
      socket.on('close', () => open.delete(socket))
    })
    await page.clock.install()
    await page.goto(`${world.api.url}/instances/${world.instance}/clusters`)
    const live = page.getByRole('status').filter({ hasText: 'Live' })
    await live.waitFor()
    await page.getByRole('tab', { name: 'Workloads' }).click()
    await page.waitForURL(/workloads$/)
    await live.waitFor()
    await expect.poll(() => open.size).toBe(1)
    expect(most).toBe(1)
    const turn = (state: string) =>
      page.evaluate(
        `Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
         document.dispatchEvent(new Event('visibilitychange'))`,
      )
    await turn('hidden')
    await page.clock.fastForward(20_000)
    await expect.poll(() => open.size).toBe(0)
    await turn('visible')
    await expect.poll(() => open.size).toBe(1)
    await live.waitFor()
    expect([most, complaints]).toEqual([1, []])
  })
})
