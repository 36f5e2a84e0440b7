import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { startMember } from '../../../playground/member/member.js'
import { letIn } from '../../http/proxy/playground-proxy.js'
import { silent } from '../../silent.js'
import { barriers, describeConsole, pictures } from '../support/console-world.js'
import { administratorOf, startUnmanagedKarmada, storeKubeconfig } from '../support/unmanaged-karmada.js'

describeConsole('operating a fleet in the console', { members: 2 }, world => {
  beforeAll(async () => {
    await letIn(world.proxy)
    await world.deploy('shop')
  })

  it('joins a cluster after a dry run, changes and cordons it, and removes it after listing what is removed', async () => {
    const fresh = await startMember({ name: 'fresh', log: silent })
    try {
      const { page, complaints } = await world.at('clusters')
      await page.getByRole('link', { name: 'Join a cluster' }).click()
      await page.getByLabel('Name of the cluster').fill('fresh')
      await page.getByLabel('Kubeconfig').fill('apiVersion: v1')
      await page.getByLabel('Labels').fill('tier')
      await page.getByText('line 1: “tier” is not key=value').waitFor()
      expect(await page.getByRole('button', { name: 'Check' }).isDisabled()).toBe(true)
      await page.getByLabel('Labels').fill('tier=edge')
      await page.getByRole('button', { name: 'Check' }).click()
      await page.getByRole('alert').getByText('kubeconfig').waitFor()
      const kubeconfig = await fresh.server.kubeconfig({ name: 'root', groups: ['system:masters'] })
      const file = (content: string | Buffer) => ({
        ...{ name: 'fresh.kubeconfig', mimeType: 'application/yaml', buffer: Buffer.from(content) },
      })
      await page.locator('input[type=file]').setInputFiles(file(Buffer.alloc((1 << 20) + 1)))
      await page.getByText('The file is larger than 1 MiB').waitFor()
      await page.locator('input[type=file]').setInputFiles(file(kubeconfig))
      await expect.poll(() => page.getByLabel('Kubeconfig').inputValue()).toBe(kubeconfig)
      await page.getByRole('button', { name: 'Check' }).click()
      await page.getByText('The cluster answers, has not joined yet').waitFor()
      await pictures(page, 'join')
      await page.getByRole('button', { name: 'Join', exact: true }).click()
      await page.getByRole('heading', { name: 'fresh' }).waitFor()
      await page.getByText('tier=edge').waitFor()
      expect(await barriers(page)).toEqual([])

      await page.getByRole('button', { name: 'Edit' }).click()
      await page.getByLabel('Region').fill('eu-north')
      await page.getByLabel('Labels').fill('tier=core')
      const changes = page.getByRole('region', { name: 'What changes' })
      await changes.getByText('Region: – → eu-north').waitFor()
      await changes.getByText('removes tier=edge').waitFor()
      expect(await barriers(page)).toEqual([])
      const save = page.getByRole('button', { name: 'Save' })
      expect(await save.isDisabled()).toBe(true)
      await page.getByRole('button', { name: 'Check' }).click()
      const accepted = page.getByRole('status').getByText('The instance accepts this.')
      await accepted.waitFor()
      await pictures(page, 'edit-cluster')
      // What was checked is not what would be sent now.
      await page.getByLabel('Taints').fill('maintenance=:NoSchedule')
      expect(await save.isDisabled()).toBe(true)
      await page.getByRole('button', { name: 'Check' }).click()
      await changes.getByText('adds maintenance:NoSchedule').waitFor()
      const stored = () =>
        world.karmada({ method: 'GET', path: '/apis/cluster.karmada.io/v1alpha1/clusters/fresh' })
      expect(await stored()).toMatchObject({ metadata: { labels: { tier: 'edge' } } })
      await save.click()
      await changes.waitFor({ state: 'detached' })
      await page.getByText('tier=core').waitFor()
      await page.getByRole('button', { name: 'Cordon', exact: true }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText('adds cluster.karmada.io/unschedulable:NoSchedule').waitFor()
      expect(JSON.stringify(await stored())).not.toContain('unschedulable')
      await pictures(page, 'cordon')
      await dialog.getByRole('button', { name: 'Cordon', exact: true }).click()
      await page.getByText('Cordoned: nothing new is scheduled here.').waitFor()
      await page.getByRole('button', { name: 'Uncordon' }).click()
      await dialog.getByText('removes cluster.karmada.io/unschedulable:NoSchedule').waitFor()
      await dialog.getByRole('button', { name: 'Uncordon' }).click()
      await dialog.waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Cordon', exact: true }).waitFor()
      await pictures(page, 'cluster')

      await page.getByRole('button', { name: 'Remove' }).click()
      await dialog.getByText('Nothing is placed on this cluster.').waitFor()
      await accepted.waitFor()
      await dialog.getByLabel('Type fresh to confirm').fill('fresh')
      await dialog.getByRole('button', { name: 'Remove' }).click()
      await page.waitForURL('**/clusters')
      await page.getByRole('link', { name: 'fresh' }).waitFor({ state: 'detached' })
      expect(complaints).toEqual([])
    } finally {
      await fresh.close()
    }
  })

  it('shows a viewer why they may not join and change clusters', async () => {
    const [first = ''] = world.proxy.playground.members.keys()
    const { page } = await world.at(`clusters/${first}`, world.proxy.playground.tokens.viewer)
    for (const name of ['Edit', 'Remove']) {
      const button = page.getByRole('button', { name })
      await expect.poll(() => button.getAttribute('aria-disabled')).toBe('true')
      await expect.poll(() => button.getAttribute('aria-description')).toContain('viewer@playground')
    }
    const placed = page.getByRole('region', { name: 'Placed here' })
    await placed.getByText('Deployment default/shop').waitFor()
    await placed.getByRole('link', { name: 'default/shop' }).click()
    await page.getByRole('heading', { name: 'shop', exact: true }).waitFor()
    // Each part of the page that names the cluster has a link to it, and they come one after another.
    await page.getByRole('link', { name: first, exact: true }).first().click()
    await page.getByRole('heading', { name: first, exact: true }).waitFor()
  })

  it('adopts an instance after a dry run, and deletes it after listing what is removed and what stays', async () => {
    const { playground } = world.proxy
    const karmada = await startUnmanagedKarmada('second')
    onTestFinished(() => karmada.close())
    const [plain] = playground.members.values()
    const { page, complaints } = await world.signedIn()
    await page.getByRole('link', { name: 'New instance' }).click()
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Not A Name')
    await page.getByLabel('Secret with its kubeconfig').fill('second')
    await page.getByRole('button', { name: 'Check' }).click()
    await page.getByRole('alert').getByText('Not A Name').waitFor()
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('second')
    await page.getByRole('button', { name: 'Check' }).click()
    const refusal = page.getByRole('alert')
    await refusal.getByText('Secret karmada-instances/second does not exist on the host').waitFor()
    expect(await page.getByRole('button', { name: 'Create' }).isDisabled()).toBe(true)
    for (const [server, problem] of [
      [plain?.server, 'is no Karmada control plane'],
      [playground.karmadas.get(world.instance)?.server, `as that of instance ${world.instance}`],
    ] as const) {
      if (server)
        await storeKubeconfig(playground.host, 'second', { kubeconfig: await administratorOf(server) })
      await page.getByRole('button', { name: 'Check' }).click()
      await refusal.getByText(problem).waitFor()
    }
    await page.getByRole('button', { name: '简体中文' }).click()
    await page.getByRole('button', { name: '检查' }).click()
    await refusal.getByText('较早的 Instance 已使用同一端点').waitFor()
    await page.getByRole('button', { name: 'English' }).click()
    await storeKubeconfig(playground.host, 'second', { kubeconfig: await administratorOf(karmada.server) })
    await page.getByRole('button', { name: 'Check' }).click()
    await page.getByText('The host accepts second.').waitFor()
    await page
      .getByText(`A Karmada control plane that no instance manages answers at ${karmada.server.url}`)
      .waitFor()
    await pictures(page, 'new-instance')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { name: 'second' }).waitFor()
    await page.getByText(karmada.server.url).first().waitFor()
    await page.getByRole('tab', { name: 'Settings' }).click()
    const end = page.getByRole('region', { name: 'Delete this instance' })
    await end.getByText('The control plane itself stays as it is').waitFor()
    await end.getByRole('button', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog')
    expect(await dialog.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true)
    await dialog.getByLabel('Type second to confirm').fill('second')
    expect(await barriers(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.waitForURL('**/instances')
    await page.getByRole('link', { name: 'second' }).waitFor({ state: 'detached' })
    expect(complaints).toEqual([])
  })

  it('shows the settings of an instance, and issues kubeconfigs for it', async () => {
    const { page, complaints } = await world.at('settings')
    const failover = page.getByRole('region', { name: 'Failover' })
    await failover.getByText('Kairship did not install this control plane').waitFor()
    expect(await failover.getByRole('switch').count()).toBe(0)
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download yours' }).click()
    expect((await download).suggestedFilename()).toBe(`${world.instance}.kubeconfig`)
    await page.getByRole('button', { name: 'Issue and download' }).click()
    await page.getByText('It is valid until').waitFor()
    const shell = page.getByRole('region', { name: 'Cloud shell' })
    await shell.getByText('The host has no CloudTTY').waitFor()
    expect(await shell.getByRole('button').count()).toBe(0)
    await pictures(page, 'settings')
    expect(complaints).toEqual([])
  })

  it('plots where the reads of an instance were answered, and shows why', async () => {
    const { page, complaints } = await world.at('workloads')
    await page.getByText('Live', { exact: true }).waitFor()
    await page.getByRole('tab', { name: 'Reads and writes' }).click()
    await page.getByRole('img', { name: /^Requests a minute\. Latest: Reads from the index \d/ }).waitFor()
    await page
      .getByRole('row', { name: /^(the index|Karmada) / })
      .first()
      .waitFor()
    await page.getByRole('img', { name: /^Capacity of its clusters.* CPU \d/ }).waitFor()
    await pictures(page, 'reads')
    expect(complaints).toEqual([])
  })

  it('finds instances, clusters and workloads of the fleet with the keyboard alone', async () => {
    const { page, complaints } = await world.signedIn()
    await page.keyboard.press('/')
    const field = page.getByRole('textbox', { name: 'Instances, clusters, workloads, policies' })
    await field.waitFor()
    await page.keyboard.type('shop')
    await page.getByRole('option', { name: /shop/ }).first().waitFor()
    await pictures(page, 'search')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/workloads/deployments/default/shop')
    await page.keyboard.press('Control+k')
    await page.keyboard.type('no such thing')
    await page.getByText('Nothing in the fleet has “no such thing” in its name.').waitFor()
    await page.keyboard.press('Escape')
    await field.waitFor({ state: 'detached' })
    await page.keyboard.press('?')
    await page.getByRole('row', { name: 'g e Go to the events of the fleet' }).waitFor()
    expect(await barriers(page)).toEqual([])
    await page.keyboard.press('Escape')
    await page.keyboard.press('g')
    await page.keyboard.press('e')
    await page.getByRole('heading', { name: 'Events of the fleet' }).waitFor()
    expect(complaints).toEqual([])
  })

  it('opens the instance, the cluster, the Job and the policy that a search finds', async () => {
    const member = [...world.proxy.playground.members.keys()].sort()[0] ?? ''
    const create = (path: string, body: object) => world.karmada({ method: 'POST', path, body })
    await create('/apis/policy.karmada.io/v1alpha1/clusterpropagationpolicies', {
      apiVersion: 'policy.karmada.io/v1alpha1',
      kind: 'ClusterPropagationPolicy',
      metadata: { name: 'found-policy' },
      spec: { resourceSelectors: [{ apiVersion: 'v1', kind: 'Namespace', name: 'none' }], placement: {} },
    })
    await create('/apis/batch/v1/namespaces/default/jobs', {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'found-job' },
      spec: {
        template: { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'busybox:1.37' }] } },
      },
    })
    const { page, complaints } = await world.signedIn()
    const field = page.getByRole('textbox', { name: 'Instances, clusters, workloads, policies' })
    const at = `**/instances/${world.instance}`
    for (const [kind, name, url] of [
      ['Instances', world.instance, at],
      ['Member clusters', member, `${at}/clusters/${member}`],
      ['Jobs', 'found-job', `${at}/workloads/jobs/default/found-job`],
      [
        'ClusterPropagationPolicies',
        'found-policy',
        `${at}/policies/clusterpropagationpolicies/-/found-policy`,
      ],
    ] as const) {
      await page.keyboard.press('Control+k')
      await field.fill(name)
      const group = page.locator('.mantine-Combobox-group').filter({ hasText: kind })
      await group.getByRole('option', { name }).first().click()
      await page.waitForURL(url)
      await page.getByRole('heading', { name }).first().waitFor()
      await field.waitFor({ state: 'detached' })
    }
    expect(complaints).toEqual([])
  })

  it('shows the events of an instance and of the fleet as they happen', async () => {
    const { local } = world.proxy.playground.karmadas.get(world.instance)!.server
    const write = (name: string, message: string) =>
      local.request({
        method: 'POST',
        path: '/api/v1/namespaces/default/events',
        body: {
          apiVersion: 'v1',
          kind: 'Event',
          metadata: { name },
          type: 'Warning',
          reason: 'Sunk',
          message,
          involvedObject: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'ship' },
          firstTimestamp: new Date().toISOString().replace(/\.\d+/, ''),
          lastTimestamp: new Date().toISOString().replace(/\.\d+/, ''),
          count: 1,
        },
      })
    const { page, context, complaints } = await world.at('events?warnings=true')
    await page.getByText('Live', { exact: true }).waitFor()
    const fleet = await context.newPage()
    await fleet.goto(`${world.api.url}/events`)
    await fleet.getByText('Live', { exact: true }).waitFor()
    await write('first', '<img src=x onerror=alert(1)>')
    for (const each of [page, fleet]) {
      const row = each.getByRole('row').filter({ hasText: 'ConfigMap default/ship' })
      await row.getByText('<img src=x onerror=alert(1)>').waitFor()
      expect(await barriers(each)).toEqual([])
    }
    for (let batch = 0; batch < 12; batch += 1)
      await Promise.all(Array.from({ length: 100 }, (_, n) => write(`flood-${batch}-${n}`, 'flood')))
    await fleet.getByText(/The newest 1,000 of 1,[2-9]\d\d events/).waitFor()
    // Those in sight, however many there are.
    expect(await fleet.getByRole('row').count()).toBeLessThan(60)
    await page.getByText(/1,[2-9]\d\d objects/).waitFor()
    await fleet.getByLabel('Object').fill('nothing like it')
    await fleet.getByText('There are no events.').waitFor()
    await pictures(page, 'events')
    expect(complaints).toEqual([])
  })

  it('fits a narrow window without scrolling sideways, in Chinese, without accessibility violations', async () => {
    const [first = ''] = world.proxy.playground.members.keys()
    const { page, complaints } = await world.signedIn(undefined, {
      locale: 'zh-CN',
      viewport: { width: 360, height: 700 },
    })
    const at = `/instances/${world.instance}`
    for (const [path, text] of [
      ['/events', '舰队事件'],
      ['/new-instance', '新建实例'],
      [`${at}/events`, '仅警告'],
      [`${at}/clusters/${first}`, '停止调度'],
      [`${at}/join-cluster`, '加入集群'],
      [`${at}/settings`, '故障转移'],
      [`${at}/reads`, '读与写'],
      [`${at}/workloads/deployments/default/shop/logs`, '自动换行'],
    ] as const) {
      await page.goto(`${world.api.url}${path}`)
      await page.getByText(text).first().waitFor()
      expect([path, await barriers(page)]).toEqual([path, []])
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
      expect([path, overflow <= 0]).toEqual([path, true])
    }
    expect(complaints).toEqual([])
  })
})
