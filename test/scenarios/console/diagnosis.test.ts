import { expect, it } from 'vitest'
import { INSTANCES, type Instance } from '../../../manifests/instance.js'
import { resourcePath } from '../../../manifests/kube.js'
import { Chaos } from '../../../playground/fleet/chaos/chaos.js'
import { barriers, describeConsole, pictures } from '../support/console-world.js'
import { checkAndApply } from '../support/yaml-editor.js'

describeConsole('a person at the console who looks for a fault', { members: 2 }, world => {
  it('deploys to two members, sees on the same page which step breaks and why, and that it runs again after the repair', async () => {
    const [first = '', second = ''] = world.proxy.playground.members.keys()
    const { page, complaints } = await world.signedIn()
    await page.getByRole('link', { name: world.instance }).click()
    await page.getByRole('tab', { name: 'Workloads' }).click()
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('textbox', { name: 'Name' }).first().fill('shop')
    await page.getByRole('textbox', { name: 'Image' }).fill('nginx:1.27')
    await page.getByRole('combobox', { name: 'Member clusters' }).click()
    for (const name of [first, second]) await page.getByRole('option', { name }).click()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Continue' }).click()
    await checkAndApply(page)
    const wanted = page.getByText('Deployment default/shop runs as wanted in 2 clusters.')
    await wanted.waitFor()
    const lit = page.locator('.trace-link.first')
    expect(await lit.count()).toBe(0)

    const chaos = new Chaos(world.proxy.playground.members)
    await chaos.apply(second, 'cut')
    await page
      .getByRole('alert')
      .getByText(new RegExp(`^Work in cluster ${second}: .*not ready: ClusterNotReachable`))
      .waitFor()
    await page.getByText(/^What helps: .*whether its API server can be reached/).waitFor()
    expect(await lit.allTextContents()).toEqual([expect.stringMatching(new RegExp(`^${second}.*broken · `))])
    await page.getByText(`${second} 0/2`).waitFor()
    await page.getByText(`${first} 2/2`).waitFor()
    // From the workload to the cluster that keeps it, where the reason is.
    await page.getByRole('link', { name: second, exact: true }).first().click()
    await page.getByRole('row', { name: /^Ready no .*ClusterNotReachable/ }).waitFor()
    await page.goBack()
    await lit.waitFor()

    await chaos.apply(second, 'heal')
    await wanted.waitFor()
    expect(await lit.count()).toBe(0)
    expect(complaints).toEqual([])
  })

  it('sees an instance degrade as it happens, with event and cause, and its problem in the fleet', async () => {
    const { local } = world.proxy.playground.host
    const { spec } = await local.request<Instance>({
      method: 'GET',
      path: resourcePath(INSTANCES, { name: world.instance }),
    })
    const { namespace = '', name = '' } = spec.kubeconfigSecretRef ?? {}
    const secrets = `/api/v1/namespaces/${namespace}/secrets`
    const secret = await local.request<{ data: object }>({ method: 'GET', path: `${secrets}/${name}` })
    const { page, context, complaints } = await world.at('')
    const fleet = await context.newPage()
    await fleet.goto(`${world.api.url}/instances`)
    const card = fleet.getByRole('listitem').filter({ hasText: world.instance })
    await card.getByText('Ready', { exact: true }).waitFor()
    const current = (state: string) =>
      page.getByRole('img', { name: `the current state is ${state}` }).waitFor()
    await current('Ready')
    await page.getByText('Nothing is pending').waitFor()

    await local.request({ method: 'DELETE', path: `${secrets}/${name}` })
    await current('Degraded')
    const missing = `Secret ${namespace}/${name} does not exist`
    await page.getByText(`waits for CredentialsResolved: SecretNotFound: ${missing}`).waitFor()
    await page.getByRole('row', { name: /^CredentialsResolved no SecretNotFound/ }).waitFor()
    await page
      .getByRole('row', { name: `ready degraded credentials.observed SecretNotFound: ${missing}` })
      .waitFor()
    await pictures(page, 'instance-degraded')
    await card.getByText(missing).waitFor()
    await fleet.getByText('Table', { exact: true }).click()
    const row = fleet.getByRole('row').filter({ hasText: world.instance })
    await row.getByText('Degraded').waitFor()
    await row.getByText(missing).waitFor()
    await pictures(fleet, 'fleet-table')

    await local.request({
      method: 'POST',
      path: secrets,
      body: { apiVersion: 'v1', kind: 'Secret', metadata: { name }, data: secret.data },
    } as never)
    await current('Ready')
    await page.getByRole('row', { name: /degraded ready / }).waitFor()
    await row.getByText('Ready', { exact: true }).waitFor()
    expect(await barriers(page)).toEqual([])
    expect(complaints).toEqual([])
  })
})
