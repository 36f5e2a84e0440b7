import { expect, it } from 'vitest'
import { CLOUD_SHELL_NAMESPACE, CLOUD_SHELLS } from '../../../manifests/cloud-shell.js'
import { resourcePath } from '../../../manifests/kube.js'
import { cloudShellDefinition } from '../support/cloud-shell-definition.js'
import { describeConsole, pictures } from '../support/console-world.js'

describeConsole('instances in the console', {}, world => {
  const host = () => world.proxy.playground.host.local

  it('installs a control plane, changes its settings, and deletes both', async () => {
    const { page, complaints } = await world.signedIn()
    await page.getByRole('link', { name: 'New instance' }).click()
    await page.getByText('Install a new one').click()
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('fresh')
    await page.getByLabel('Name for people').fill('The new one')
    await page.getByLabel('When the instance is deleted').selectOption('Delete')
    await page.getByRole('button', { name: 'Check' }).click()
    await page.getByText('The host accepts fresh.').waitFor()
    await pictures(page, 'install')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { name: 'fresh' }).waitFor()
    await page.getByRole('img', { name: 'the current state is Ready' }).waitFor()

    await page.getByRole('tab', { name: 'Settings' }).click()
    const failover = page.getByRole('region', { name: 'Failover' })
    const isOn = await failover.getByRole('switch', { name: 'On' }).isChecked()
    await failover.getByRole('switch', { name: 'On' }).click()
    await failover.getByText(isOn ? 'Failover: on → off' : 'Failover: off → on').waitFor()
    expect(await failover.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
    await failover.getByRole('button', { name: 'Check' }).click()
    await failover.getByRole('status').getByText('The host accepts this.').waitFor()
    await pictures(page, 'setting')
    await failover.getByRole('button', { name: 'Save' }).click()
    await failover.getByText('Saved. The instance applies the change now.').waitFor()
    await page.reload()
    await expect.poll(() => failover.getByRole('switch', { name: 'On' }).isChecked()).toBe(!isOn)

    for (const name of ['Descheduler', 'Metrics adapter']) {
      const setting = page.getByRole('region', { name })
      const wasOn = await setting.getByRole('switch', { name: 'On' }).isChecked()
      await setting.getByRole('switch', { name: 'On' }).click()
      await setting.getByText(wasOn ? `${name}: on → off` : `${name}: off → on`).waitFor()
      await setting.getByRole('button', { name: 'Check' }).click()
      await setting.getByRole('status').getByText('The host accepts this.').waitFor()
      await setting.getByRole('button', { name: 'Save' }).click()
      await setting.getByText('Saved. The instance applies the change now.').waitFor()
      await page.reload()
      await expect.poll(() => setting.getByRole('switch', { name: 'On' }).isChecked()).toBe(!wasOn)
    }

    // The two control planes, side by side: a Deployment is on one of them.
    await world.deploy('here-only')
    await page.goto(`${world.api.url}/compare`)
    for (const [side, name] of [
      ['Left', world.instance],
      ['Right', 'fresh'],
    ] as const) {
      await page.getByRole('group', { name: side }).getByRole('combobox', { name: 'Instance' }).click()
      await page.getByRole('option', { name, exact: true }).click()
    }
    await page.getByText('1 only left').waitFor()
    await page.getByRole('button', { name: 'default/here-only' }).click()
    await page.getByRole('region', { name: 'default/here-only' }).getByText('nginx:1.27').waitFor()
    await page.goto(`${world.api.url}/instances/fresh/settings`)

    const end = page.getByRole('region', { name: 'Delete this instance' })
    await end.getByText(/^The control plane goes with it/).waitFor()
    await end.getByRole('button', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Type fresh to confirm').fill('fresh')
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.waitForURL('**/instances')
    await page.getByRole('link', { name: 'fresh' }).waitFor({ state: 'detached' })
    expect(complaints).toEqual([])
  })

  it('starts a cloud shell on a host with CloudTTY, links to it once it is ready, and ends it', async () => {
    await host().request({
      method: 'POST',
      path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
      body: cloudShellDefinition,
    })
    const listed = {
      method: 'GET',
      path: resourcePath(CLOUD_SHELLS, { namespace: CLOUD_SHELL_NAMESPACE }),
    } as const
    const isServed = () =>
      host()
        .request(listed)
        .then(
          () => true,
          () => false,
        )
    await expect.poll(isServed).toBe(true)
    const { page, complaints } = await world.at('settings')
    const shell = page.getByRole('region', { name: 'Cloud shell' })
    await shell.getByRole('button', { name: 'Start' }).click()
    await shell.getByRole('status').getByText('Starting').waitFor()
    const { items } = await host().request<{ items: { metadata: { name: string } }[] }>(listed)
    const name = items[0]?.metadata.name ?? ''
    const ready = (accessUrl: string) =>
      host().request({
        method: 'PATCH',
        path: `${resourcePath(CLOUD_SHELLS, { namespace: CLOUD_SHELL_NAMESPACE, name })}/status`,
        contentType: 'application/merge-patch+json',
        body: { status: { phase: 'Ready', accessUrl } },
      } as never)
    await ready('10.0.0.1:30001')
    const link = shell.getByRole('link', { name: 'Open the terminal' })
    await link.waitFor()
    expect(await link.getAttribute('href')).toBe('http://10.0.0.1:30001')
    expect(await link.getAttribute('rel')).toContain('noopener')
    await pictures(page, 'cloud-shell')
    await shell.getByRole('button', { name: 'End' }).click()
    await shell.getByRole('button', { name: 'Start' }).waitFor()
    expect(complaints).toEqual([])
  })
})
