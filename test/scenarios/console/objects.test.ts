import { expect, it } from 'vitest'
import { barriers, type ConsoleWorld, describeConsole, pictures } from '../support/console-world.js'
import { StandInList } from '../support/stand-in-list.js'
import { asYaml, checkAndApply, replaceInYaml } from '../support/yaml-editor.js'

const request = ({ proxy }: ConsoleWorld, method: string, path: string, body?: unknown) =>
  proxy.playground.karmadas
    .get(proxy.instance)!
    .server.local.request({ method, path, ...(body !== undefined && { body }) } as never)

describeConsole('objects of an instance in the console', { members: 2 }, world => {
  it('creates a workload by a form, sees it in the members, scales it, edits it past a conflict, and deletes it', async () => {
    const [first = ''] = world.proxy.playground.members.keys()
    const { page, complaints } = await world.at('workloads')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('An image is needed').waitFor()
    await page.getByRole('textbox', { name: 'Name' }).first().fill('shop')
    await page.getByRole('textbox', { name: 'Image' }).fill('nginx:1.27')
    await page.getByRole('combobox', { name: 'Member clusters' }).click()
    await page.getByRole('option', { name: first }).click()
    await page.keyboard.press('Escape')
    await pictures(page, 'create')
    await page.getByRole('button', { name: 'Continue' }).click()
    await replaceInYaml(page, /^YAML of Deployment/, 'replicas: 2', 'replicaz: 2')
    await page.getByRole('button', { name: 'Check and compare' }).click()
    await page
      .getByText(/unknown field "spec.replicaz"/)
      .first()
      .waitFor()
    await replaceInYaml(page, /^YAML of Deployment/, 'replicaz: 2', 'replicas: 2')
    await page.getByRole('button', { name: 'Check and compare' }).click()
    await page.getByText('The server accepts it').waitFor()
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByText('Deployment default/shop runs as wanted in 1 cluster').waitFor()
    await page.getByRole('button', { name: 'Scale' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(`Its policy makes of that: ${first} 2`).waitFor()
    await dialog.getByLabel('Replicas').fill('3')
    await page.keyboard.press('Enter')
    await page.getByText(`${first} 3/3`).waitFor()
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await replaceInYaml(page, /^YAML of Deployment default\/shop/, 'nginx:1.27', 'nginx:1.28')
    await pictures(page, 'editor')
    const path = '/apis/apps/v1/namespaces/default/deployments/shop'
    const found = (await request(world, 'GET', path)) as { spec: { replicas: number } }
    await request(world, 'PUT', path, {
      ...found,
      spec: { ...found.spec, replicas: 1 },
    })
    await page.getByRole('button', { name: 'Check and compare' }).click()
    await page.getByText('The object changed while you edited it').waitFor()
    await pictures(page, 'conflict')
    await page.getByRole('button', { name: 'Continue with the text on the right' }).click()
    await page.getByRole('button', { name: 'Check and compare' }).click()
    await page.getByText('Left: the stored object').waitFor()
    await pictures(page, 'review')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByText(`${first} 3/3`).waitFor()
    await page.getByRole('button', { name: 'Roll back' }).click()
    await page.getByRole('radio', { name: /nginx:1.27/ }).click()
    await pictures(page, 'rollback')
    await dialog.getByRole('button', { name: 'Roll back' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Delete' }).click()
    await dialog.getByText(`Karmada then deletes it from ${first}.`).waitFor()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('There are none of this kind.').waitFor()
    expect(complaints).toEqual([])
  })

  it('keeps text that was not applied, and offers it when its screen is opened again', async () => {
    await request(world, 'POST', '/api/v1/namespaces/default/configmaps', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'settings' },
      data: { mode: 'calm' },
    })
    const { page, complaints } = await world.at('objects/configmaps')
    await page.getByRole('link', { name: 'settings' }).click()
    await page.getByText('calm').waitFor()
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await asYaml(page)
    await replaceInYaml(page, /^YAML of ConfigMap/, 'calm', 'storm')
    await page.getByRole('tab', { name: 'Member clusters' }).click()
    await page.getByRole('heading', { name: 'settings' }).waitFor({ state: 'detached' })
    await page.goBack()
    await page.getByRole('button', { name: 'Go on with it' }).click()
    await asYaml(page)
    await page
      .getByRole('textbox', { name: /^YAML of ConfigMap/ })
      .getByText('storm')
      .waitFor()
    // What is taken back is no draft.
    await replaceInYaml(page, /^YAML of ConfigMap/, 'storm', 'calm')
    await page.getByRole('tab', { name: 'Member clusters' }).click()
    await page.getByRole('heading', { name: 'settings' }).waitFor({ state: 'detached' })
    await page.goBack()
    await asYaml(page)
    await page
      .getByRole('textbox', { name: /^YAML of ConfigMap/ })
      .getByText('calm')
      .waitFor()
    expect(complaints).toEqual([])
  })

  it('scrolls a long list: with the keyboard, to the end and back, with its place in the address, and live', async () => {
    const names = Array.from({ length: 230 }, (_, n) => `long-${String(n).padStart(3, '0')}`)
    const put = (name: string, data = {}) =>
      request(world, 'POST', '/api/v1/namespaces/default/configmaps', {
        ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data },
      })
    for (const name of names) await put(name)
    const { page, complaints } = await world.at('objects/configmaps?find=long-')
    const table = page.getByRole('table', { name: 'ConfigMap' })
    await page.getByText('230 objects').waitFor()
    await table.getByRole('link', { name: 'long-000' }).waitFor()
    expect(await table.getAttribute('aria-rowcount')).toBe('231')
    // Far fewer than there are.
    expect(await table.getByRole('link').count()).toBeLessThan(60)
    expect(await barriers(page)).toEqual([])
    await pictures(page, 'long-list')
    await page.getByRole('region', { name: 'ConfigMap' }).focus()
    await page.keyboard.press('End')
    const last = page.getByRole('link', { name: 'long-229' })
    await last.waitFor()
    expect(await table.getByRole('row').filter({ has: last }).getAttribute('aria-rowindex')).toBe('231')
    await page.waitForURL(/[?&]row=2\d\d/)
    // The place is kept by the address, and what has the focus by the page.
    await page.reload()
    await last.waitFor()
    await last.focus()
    await page.keyboard.press('Home')
    await table.getByRole('link', { name: 'long-000' }).waitFor()
    expect(await page.evaluate('document.activeElement.textContent')).toBe('long-229')
    await page.keyboard.press('PageDown')
    await page.waitForURL(/[?&]row=\d\d?(&|$)/)
    await page.keyboard.press('Home')
    await table.getByRole('link', { name: 'long-000' }).waitFor()
    await put('long-0')
    await page.getByText('231 objects').waitFor()
    await table.getByRole('link', { name: 'long-0', exact: true }).waitFor()
    expect(complaints).toEqual([])
  })

  it('follows a list of 100,000 objects by its stream of changes, and reads visible rows again when they change', async () => {
    const list = new StandInList(world.instance, 100_000)
    const last = list.nameOf(99_999)
    const path = '/api/v1/namespaces/default/configmaps'
    await request(world, 'POST', path, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: last } })
    const { page, complaints } = await world.signedIn()
    await page.route(/\/fleet\/objects\?/, route => list.answer(route))
    await page.routeWebSocket(/\/console\/socket$/, socket => {
      const server = socket.connectToServer()
      list.refuseWatch(socket, (_, message) => server.send(message))
    })
    await page.goto(`${world.api.url}/instances/${world.instance}/objects/configmaps`)
    await page.getByText(/^100,000 objects at /).waitFor()
    await page.getByRole('status').getByText('Live', { exact: true }).waitFor()
    const table = page.getByRole('table', { name: 'ConfigMap' })
    await page.getByRole('region', { name: 'ConfigMap' }).focus()
    await page.keyboard.press('End')
    await table.getByRole('link', { name: last }).waitFor()
    expect(await table.getByRole('link').count()).toBeLessThan(60)
    // What it changes has one more.
    list.rows += 1
    await request(world, 'PUT', `${path}/${last}`, {
      ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: last }, data: { a: 'b' } },
    })
    await page.getByText(/^100,001 objects at /).waitFor()
    expect(list.requests).toBeLessThan(20)
    expect(complaints).toEqual([])
  })

  it('loads the values of a Secret on request, and shows each on request', async () => {
    await request(world, 'POST', '/api/v1/namespaces/default/secrets', {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'credentials' },
      stringData: { password: 'open-sesame' },
    })
    const { page, complaints } = await world.at('objects/secrets')
    const reads: string[] = []
    page.on('response', async response => {
      if (
        response.url().includes('/secrets') &&
        (await response.text().catch(() => '')).includes('b3Blbi1zZXNhbWU')
      )
        reads.push(response.url())
    })
    await page.getByRole('link', { name: 'credentials' }).click()
    await page.getByText('The values are not loaded.').waitFor()
    expect(reads).toEqual([])
    await page.getByRole('button', { name: 'Load the values' }).click()
    await page.getByRole('button', { name: 'Show password' }).waitFor()
    expect(await page.content()).not.toContain('open-sesame')
    expect(reads).toHaveLength(1)
    await page.getByRole('button', { name: 'Show password' }).click()
    await page.getByText('open-sesame').waitFor()
    await pictures(page, 'secret')
    expect(complaints).toEqual([])
  })

  it('shows the beginning of a ConfigMap of the largest size, and its list without its data', async () => {
    await request(world, 'POST', '/api/v1/namespaces/default/configmaps', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'large' },
      data: { book: 'A long story. '.repeat(74_000) },
    })
    const { page, complaints } = await world.at('objects/configmaps')
    await page.getByRole('link', { name: 'large' }).click()
    await page.getByText('1,036,000 bytes').waitFor()
    expect((await page.content()).length).toBeLessThan(500_000)
    await page.getByRole('button', { name: 'Show more' }).click()
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await page.getByText('It has more than 1,000,000 characters').waitFor()
    await asYaml(page)
    await page
      .getByRole('textbox', { name: /^YAML of ConfigMap default/ })
      .getByText('book')
      .waitFor()
    expect((await page.content()).length).toBeLessThan(500_000)
    expect(complaints).toEqual([])
  })

  it('defines a kind, creates an object of it, and lists what is deleted with the definition', async () => {
    const { page, complaints } = await world.at('objects/customresourcedefinitions/new', undefined, {
      colorScheme: 'dark',
    })
    await page.getByRole('button', { name: 'Check and compare' }).click()
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByRole('link', { name: 'Objects of kind Boat (v1)' }).click()
    await page.getByRole('button', { name: 'Create Boat' }).click()
    await page.getByRole('button', { name: 'Check and compare' }).click()
    await page.getByText('The server accepts it').waitFor()
    await page.getByRole('button', { name: 'Apply' }).click()
    await page
      .getByText(/Boat default\/first/)
      .first()
      .waitFor()
    await pictures(page, 'custom-resource')
    await page.goto(`${world.api.url}/instances/${world.instance}/objects/boats.v1.example.com/default/first`)
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await replaceInYaml(page, /^YAML of/, 'spec: {}', 'spec: {sails: 3}')
    await checkAndApply(page)
    await expect
      .poll(() =>
        world.karmada({ method: 'GET', path: '/apis/example.com/v1/namespaces/default/boats/first' }),
      )
      .toMatchObject({ spec: { sails: 3 } })
    await page.goto(
      `${world.api.url}/instances/${world.instance}/objects/customresourcedefinitions/-/boats.example.com`,
    )
    await page.getByText('Namespaced', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('All 1 objects of kind Boat go.').waitFor()
    expect(await dialog.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true)
    await dialog.getByRole('textbox').fill('boats.example.com')
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(complaints).toEqual([])
  })

  it('shows no way to members for objects that Karmada does not propagate', async () => {
    await world.deploy('placed')
    const path = '/apis/work.karmada.io/v1alpha2/namespaces/default/resourcebindings/placed-deployment'
    await expect
      .poll(() =>
        world.karmada({ method: 'GET', path }).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true)
    const { page, complaints } = await world.at(
      'objects/resourcebindings.v1alpha2.work.karmada.io/default/placed-deployment',
    )
    await page.getByRole('heading', { name: 'YAML' }).waitFor()
    expect(await page.getByRole('region', { name: 'Propagation to member clusters' }).count()).toBe(0)
    expect(complaints).toEqual([])
  })

  it('shows a viewer what is not allowed, and why, in Chinese as well', async () => {
    await request(world, 'POST', '/api/v1/namespaces/default/services', {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web' },
      spec: { selector: { app: 'web' }, ports: [{ port: 80 }] },
    })
    const { viewer } = world.proxy.playground.tokens
    const { page, complaints } = await world.at('objects/services', viewer)
    await page.getByRole('link', { name: 'web' }).click()
    const remove = page.getByRole('button', { name: 'Delete', exact: true, disabled: true })
    await remove.hover()
    await page
      .getByRole('tooltip')
      .getByText('Not allowed: none of your roles here lets you delete services')
      .waitFor()
    expect(await barriers(page)).toEqual([])
    const chinese = await world.at('objects/services', viewer, { locale: 'zh-CN', colorScheme: 'dark' })
    await chinese.page.getByRole('button', { name: '创建 Service', disabled: true }).waitFor()
    await chinese.page.getByRole('link', { name: 'web' }).waitFor()
    await pictures(chinese.page, 'objects', 'zh')
    expect([...complaints, ...chinese.complaints]).toEqual([])
  })
})
