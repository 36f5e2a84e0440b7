import { expect, it } from 'vitest'
import { describeConsole, pictures } from '../support/console-world.js'
import { asYaml, checkAndApply, yamlEditor } from '../support/yaml-editor.js'

const bytes = (...of: number[]) => Buffer.from(of)
const file = (name: string, buffer: Buffer) => ({ name, mimeType: 'application/octet-stream', buffer })

describeConsole('objects of an instance by form', { members: 2 }, world => {
  const members = () => [...world.proxy.playground.members.keys()]
  const stored = (path: string) => world.karmada<Record<string, unknown>>({ method: 'GET', path })

  it('keeps the keyboard focus near from a form to its YAML, its check, and the result', async () => {
    const { page, complaints } = await world.at('workloads/new')
    const focused = (what: 'role' | 'aria-label') =>
      page.evaluate<string | null>(`document.activeElement?.getAttribute('${what}')`)
    await page.getByRole('textbox', { name: 'Name' }).first().fill('by-keyboard')
    await page.getByRole('textbox', { name: 'Image' }).fill('nginx:1.27')
    await page.getByRole('button', { name: 'Continue' }).focus()
    await page.keyboard.press('Enter')
    await yamlEditor(page, /^YAML of/).waitFor()
    expect([await focused('role'), await focused('aria-label')]).toEqual(['group', 'Create a workload'])
    await page.getByRole('button', { name: 'Check and compare' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('The server accepts it').waitFor()
    expect([await focused('role'), await focused('aria-label')]).toEqual(['group', 'Deployment'])
    for (let presses = 0; presses < 20; presses += 1) {
      if ((await page.evaluate<string>('document.activeElement?.textContent')) === 'Apply') break
      await page.keyboard.press('Tab')
    }
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'by-keyboard', exact: true }).waitFor()
    expect(complaints).toEqual([])
  })

  it('creates a Service for one member, and changes it: fields that the form does not know stay', async () => {
    const [first = '', second = ''] = members()
    const { page, complaints } = await world.at('objects/services')
    await page.getByRole('button', { name: 'Create Service' }).click()
    const name = page.getByRole('textbox', { name: 'Name', exact: true }).first()
    await name.fill('')
    await page.getByText('A name is required.').waitFor()
    await name.fill('Shop')
    await page.getByText('Lower case letters, digits and hyphens, with').waitFor()
    await name.fill('shop')
    await page.getByRole('button', { name: 'Add a port' }).click()
    await page
      .getByRole('group', { name: 'Port 1', exact: true })
      .getByText('Several ports need names.')
      .waitFor()
    await page.getByRole('group', { name: 'Port 1' }).getByRole('textbox', { name: 'Name' }).fill('http')
    await page.getByRole('combobox', { name: 'Member clusters' }).click()
    await page.getByRole('option', { name: first }).click()
    await page.keyboard.press('Escape')
    await pictures(page, 'service-form')
    await asYaml(page)
    // The policy is in the same text, and has followed the name.
    await yamlEditor(page, /^YAML of Service/)
      .getByText('shop-service')
      .waitFor()
    await page.getByRole('tab', { name: 'Form' }).click()
    await page
      .getByRole('group', { name: 'Port 2' })
      .getByRole('textbox', { name: 'Port', exact: true })
      .fill('8443')
    await checkAndApply(page)
    await page.getByRole('heading', { name: 'shop', exact: true }).waitFor()
    await page
      .getByText(new RegExp(`^${first}`))
      .first()
      .waitFor()
    expect(await page.getByText(new RegExp(`^${second}`)).count()).toBe(0)
    const path = '/api/v1/namespaces/default/services/shop'
    expect(await stored(path)).toMatchObject({
      spec: {
        ports: [
          { name: 'http', port: 80, targetPort: 8080 },
          { name: 'port-8080', port: 8443 },
        ],
        selector: { 'app.kubernetes.io/name': 'web' },
      },
    })
    const inMember = (name: string) =>
      world.proxy.playground.members
        .get(name)!
        .server.local.request({ method: 'GET', path })
        .catch(error => error.code)
    await expect
      .poll(() => inMember(first))
      .toMatchObject({ spec: { ports: [{ port: 80 }, { port: 8443 }] } })
    expect(await inMember(second)).toBe(404)
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await page.getByRole('button', { name: 'Remove port 2' }).click()
    await page.getByRole('combobox', { name: 'Type' }).click()
    await page.getByRole('option', { name: 'ExternalName' }).click()
    await page.getByRole('button', { name: 'Check and compare' }).click()
    // What the server refuses is said at its field, until the text is another.
    const refused = page.getByRole('tabpanel', { name: 'Form' }).getByText(/Required value/)
    await refused.waitFor()
    await page.getByRole('combobox', { name: 'Type' }).click()
    await page.getByRole('option', { name: 'NodePort' }).click()
    await refused.waitFor({ state: 'detached' })
    await page.getByRole('textbox', { name: 'Port of nodes' }).fill('30080')
    await checkAndApply(page)
    await page.getByText('NodePort', { exact: true }).waitFor()
    expect(await stored(path)).toMatchObject({
      spec: {
        ports: [{ name: 'http', port: 80, nodePort: 30080 }],
        internalTrafficPolicy: 'Cluster',
        sessionAffinity: 'None',
      },
    })
    expect(complaints).toEqual([])
  })

  it('writes a ConfigMap with several lines and a binary file, which stays unchanged in the next edit', async () => {
    const { page, complaints } = await world.at('objects/configmaps/new')
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('course')
    await page
      .getByRole('group', { name: 'Entry key' })
      .getByRole('textbox', { name: 'Key', exact: true })
      .fill('run.sh')
    await page.getByRole('textbox', { name: 'Value of run.sh' }).fill('#!/bin/sh\necho "north: yes"\n')
    await page.getByRole('button', { name: 'Add an entry' }).click()
    await page
      .getByRole('group', { name: 'Entry key' })
      .getByRole('textbox', { name: 'Key', exact: true })
      .fill('run.sh')
    await page.getByText('Another entry has this key.').waitFor()
    await page
      .getByRole('group', { name: 'Entry key' })
      .getByRole('textbox', { name: 'Key', exact: true })
      .fill('mode')
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Add files' }).click(),
    ])
    await chooser.setFiles([file('chart 1.bin', bytes(0, 255, 254)), file('notes.txt', Buffer.from('calm'))])
    await page.getByText('It is no text and stays as it is').waitFor()
    expect(await page.getByRole('textbox', { name: 'Value of notes.txt' }).inputValue()).toBe('calm')
    await pictures(page, 'configmap-form')
    await checkAndApply(page)
    const path = '/api/v1/namespaces/default/configmaps/course'
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await page.getByRole('textbox', { name: 'Value of mode' }).fill('2026-01-01')
    await page.getByRole('button', { name: 'Remove notes.txt' }).click()
    await checkAndApply(page)
    await page.getByText('2026-01-01').waitFor()
    expect(await stored(path)).toMatchObject({
      data: { 'run.sh': '#!/bin/sh\necho "north: yes"\n', mode: '2026-01-01' },
      binaryData: { 'chart-1.bin': 'AP/+' },
    })
    expect(complaints).toEqual([])
  })

  it('hides the values of a Secret until each is shown, and changes one of them', async () => {
    const path = '/api/v1/namespaces/default/secrets'
    await world.karmada({
      method: 'POST',
      path,
      body: {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'credentials' },
        data: { user: 'YWRh', password: Buffer.from('hunter2').toString('base64'), seal: '/v7+' },
      },
    })
    const { page, complaints } = await world.at('objects/secrets/default/credentials')
    await page.getByRole('button', { name: 'Edit, which reads its values' }).click()
    await page.getByRole('button', { name: 'Show password' }).waitFor()
    for (const hidden of ['hunter2', 'aHVudGVyMg'])
      expect(await page.locator('body').innerHTML()).not.toContain(hidden)
    await page.getByRole('button', { name: 'Show password' }).click()
    const value = page.getByRole('textbox', { name: 'Value of password' })
    expect(await value.inputValue()).toBe('hunter2')
    await pictures(page, 'secret-form')
    await value.fill('hunter3')
    await page.getByRole('button', { name: 'Hide password' }).click()
    await value.waitFor({ state: 'detached' })
    await checkAndApply(page)
    await page.getByRole('button', { name: 'Edit, which reads its values' }).waitFor()
    expect(await stored(`${path}/credentials`)).toMatchObject({
      type: 'Opaque',
      data: { user: 'YWRh', password: Buffer.from('hunter3').toString('base64'), seal: '/v7+' },
    })
    expect(complaints).toEqual([])
  })

  it('creates a Secret of a type with its required keys', async () => {
    const { page, complaints } = await world.at('objects/secrets/new')
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('login')
    await page.getByRole('combobox', { name: 'Type' }).click()
    await page.getByRole('option', { name: 'kubernetes.io/basic-auth' }).click()
    await page.getByText('It needs username, password.').waitFor()
    await page.getByRole('textbox', { name: 'Value of username' }).fill('ada')
    await page.getByRole('textbox', { name: 'Value of password' }).fill('n')
    await page.getByRole('button', { name: 'Remove key', exact: true }).click()
    await page.getByRole('checkbox', { name: 'With a policy' }).uncheck()
    await page.getByText('Without one it stays in the control plane').waitFor()
    await checkAndApply(page)
    await page.getByRole('heading', { name: 'login', exact: true }).waitFor()
    expect(await stored('/api/v1/namespaces/default/secrets/login')).toMatchObject({
      type: 'kubernetes.io/basic-auth',
      data: { username: 'YWRh', password: 'bg==' },
    })
    expect(complaints).toEqual([])
  })

  it('creates an Ingress by rules and paths, in Chinese and in the dark', async () => {
    const { page, complaints } = await world.at('objects/ingresses/new', undefined, {
      locale: 'zh-CN',
      colorScheme: 'dark',
    })
    await page.getByRole('textbox', { name: '名称', exact: true }).fill('door')
    await page.getByRole('textbox', { name: '主机' }).first().fill('door.example.com')
    await page.getByRole('button', { name: '添加路径' }).click()
    const second = page.getByRole('group', { name: '规则 1 的路径 2' })
    await second.getByRole('textbox', { name: '路径' }).fill('api')
    await second.getByText('路径以 / 开头。').waitFor()
    await second.getByRole('textbox', { name: '路径' }).fill('/api')
    await second.getByRole('textbox', { name: '其端口' }).fill('http')
    await page.getByRole('button', { name: '添加证书' }).click()
    await page.getByRole('group', { name: '证书 1' }).getByLabel('Secret').fill('door-tls')
    await pictures(page, 'ingress-form', 'zh')
    await page.getByRole('button', { name: '检查并比较' }).click()
    await page.getByRole('button', { name: '应用' }).click()
    await page.getByRole('heading', { name: 'door', exact: true }).waitFor()
    expect(await stored('/apis/networking.k8s.io/v1/namespaces/default/ingresses/door')).toMatchObject({
      spec: {
        rules: [
          {
            host: 'door.example.com',
            http: {
              paths: [
                { path: '/', backend: { service: { name: 'web', port: { number: 80 } } } },
                { path: '/api', backend: { service: { name: 'web', port: { name: 'http' } } } },
              ],
            },
          },
        ],
        tls: [{ hosts: ['door.example.com'], secretName: 'door-tls' }],
      },
    })
    expect(complaints).toEqual([])
  })

  it('creates a FederatedHPA by its bounds and metrics, and shows mistakes', async () => {
    const { page, complaints } = await world.at('objects/federatedhpas/new')
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('web')
    await page.getByRole('textbox', { name: 'Most replicas' }).fill('2')
    await page.getByRole('textbox', { name: 'Fewest replicas' }).fill('3')
    await page.getByText('Fewer than the fewest.').waitFor()
    await page.getByRole('textbox', { name: 'Most replicas' }).fill('6')
    await page.getByRole('button', { name: 'Add a metric' }).click()
    const memory = page.getByRole('group', { name: 'Metric 2' })
    await memory.getByRole('combobox', { name: 'Measured by' }).click()
    await page.getByRole('option', { name: 'amount for each pod' }).click()
    await memory.getByRole('textbox', { name: 'Amount' }).fill('200Mi')
    await pictures(page, 'autoscaler-form')
    await checkAndApply(page)
    await page.getByRole('heading', { name: 'web', exact: true }).waitFor()
    expect(
      await stored('/apis/autoscaling.karmada.io/v1alpha1/namespaces/default/federatedhpas/web'),
    ).toMatchObject({
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
        minReplicas: 3,
        maxReplicas: 6,
        metrics: [
          { resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } } },
          { resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '200Mi' } } },
        ],
      },
    })
    expect(complaints).toEqual([])
  })
})
