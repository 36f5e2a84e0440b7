import { expect, it } from 'vitest'
import { barriers, describeConsole, picture, pictures } from '../support/console-world.js'
import { checkAndApply } from '../support/yaml-editor.js'

const labels = { app: 'shop' }
const DEPLOYMENT = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'shop' },
  spec: {
    replicas: 4,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'nginx:1.27' }] } },
  },
}

describeConsole('policies in a browser', { members: 2 }, world => {
  const karmada = () => world.proxy.playground.karmadas.get(world.instance)!.server.local
  const members = () => [...world.proxy.playground.members.keys()]

  it('are created by form or YAML, which edit one text, with a preview of their effects before they are stored', async () => {
    const [first = '', second = ''] = members()
    await karmada().request({
      method: 'POST',
      path: '/apis/apps/v1/namespaces/default/deployments',
      body: DEPLOYMENT,
    })
    const { page, complaints } = await world.at('policies')
    await page.getByText('There are none of this kind.').waitFor()
    await page.getByRole('button', { name: 'New policy' }).click()
    await page.getByRole('textbox', { name: 'Name', exact: true }).first().fill('shop')
    await page.getByRole('group', { name: 'Selector 1' }).getByLabel('Name').fill('shop')
    const preview = page.getByRole('region', { name: 'Preview' })
    await preview.getByText('It selects 1 object.').waitFor()
    await preview.getByText('Would be taken').waitFor()
    await preview.getByRole('row', { name: new RegExp(`${second} none → 4`) }).waitFor()

    // One cluster is chosen in the form; the preview says why the other is left out.
    await page.getByRole('combobox', { name: 'Member clusters' }).click()
    await page.getByRole('option', { name: first }).click()
    await preview.getByRole('row', { name: new RegExp(`${second} – .*cluster affinity`) }).waitFor()
    await page.keyboard.press('Escape')

    // What is typed as YAML is in the form, and what the form does not know survives it.
    await page.getByRole('tab', { name: 'YAML' }).click()
    const text = page.getByRole('textbox', { name: /^YAML of/ })
    await text.waitFor()
    expect(await text.textContent()).toContain(`- ${first}`)
    await text.click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type('# kept by the form')
    await page.getByRole('tab', { name: 'Form' }).click()
    await page.getByLabel('Priority', { exact: true }).fill('7')
    await page.getByRole('tab', { name: 'YAML' }).click()
    await page.getByText('# kept by the form').waitFor()
    await page.getByText('priority: 7').waitFor()
    await page.getByRole('tab', { name: 'Form' }).click()
    await preview.getByText(/^Computed/).waitFor()
    await pictures(page, 'policy')

    await page.getByRole('button', { name: 'Check and compare' }).click()
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByRole('link', { name: 'shop', exact: true }).click()
    await page.getByText('Is its own').waitFor()
    await page.getByRole('row', { name: new RegExp(`${first} 4`) }).waitFor()
    expect(await barriers(page)).toEqual([])
    expect(complaints).toEqual([])
  })

  it('are refused field by field where Karmada would not store them, and their text stays', async () => {
    const { page, complaints } = await world.at('policies/propagationpolicies/new')
    await page.getByRole('tab', { name: 'YAML' }).click()
    await page.getByRole('textbox', { name: /^YAML of/ }).click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type('  clusterAffinity: []')
    await page.getByText('spec.clusterAffinity').waitFor()
    await page.getByRole('tab', { name: 'Form' }).click()
    await page.getByRole('tab', { name: 'YAML' }).click()
    await page.getByText('clusterAffinity: []').waitFor()
    // The preview's refusal is an answer of 400, which browsers note.
    expect(complaints.filter(text => !text.includes('400'))).toEqual([])
  })

  it('are edited only as YAML where they have aliases, also without an anchor', async () => {
    const { page, complaints } = await world.at('policies/propagationpolicies/new')
    await page.getByRole('tab', { name: 'YAML' }).click()
    await page.getByRole('textbox', { name: /^YAML of/ }).click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type('  clusterAffinity: *nowhere')
    await page.getByRole('tab', { name: 'Form' }).click()
    await page.getByText('There is no form for this text').waitFor()
    await page.getByRole('tab', { name: 'YAML' }).click()
    await page.getByText('clusterAffinity: *nowhere').waitFor()
    expect(complaints.filter(text => !text.includes('400'))).toEqual([])
  })

  it('are rehearsed with a taint: templates that find no cluster come first', async () => {
    const [first = ''] = members()
    const { page, complaints } = await world.at('rehearse')
    await page.getByText('Choose the clusters to taint.').waitFor()
    await page.getByRole('combobox', { name: 'Clusters to taint' }).click()
    await page.getByRole('option', { name: first }).click()
    await page.getByText('1 template runs nowhere').waitFor()
    await page.getByRole('row', { name: new RegExp(`${first} 4 → none .*untolerated taint`) }).waitFor()
    // The address says it all.
    await page.reload()
    await page.getByText('Runs nowhere', { exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await pictures(page, 'rehearse')
    const { spec } = await karmada().request<{ spec: { taints?: readonly object[] } }>({
      method: 'GET',
      path: `/apis/cluster.karmada.io/v1alpha1/clusters/${first}`,
    })
    expect(JSON.stringify(spec.taints ?? [])).not.toContain('rehearsal')
    expect(complaints).toEqual([])
  })

  it('keep a member’s own object after it was promoted, which the server checks by a dry run', async () => {
    const [, second = ''] = members()
    const own = { ...DEPLOYMENT, metadata: { name: 'own' } }
    const path = '/apis/apps/v1/namespaces/default/deployments'
    const { local } = world.proxy.playground.members.get(second)!.server
    await local.request({ method: 'POST', path, body: own })
    const { page, complaints } = await world.at(`promote?cluster=${second}`)
    await page.getByRole('button', { name: 'Promote own' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(`a PropagationPolicy that keeps them on ${second}`).waitFor()
    await dialog.getByRole('button', { name: 'Check' }).click()
    await dialog.getByText('The server accepts it.').waitFor()
    await pictures(page, 'promote')
    await dialog.getByRole('button', { name: 'Promote' }).click()
    await page.getByText('Deployment default/own is a template now.').waitFor()
    await page.goto(`${world.api.url}/instances/${world.instance}/workloads/deployments/default/own`)
    await page.getByText(`${second} 4/4`).waitFor()
    expect(complaints).toEqual([])
  })

  it('place objects on one member and not on the other, as a comparison of the two shows', async () => {
    const [first = '', second = ''] = members()
    const { page, complaints } = await world.signedIn()
    await page.goto(
      `${world.api.url}/compare?left=${world.instance}/${first}&right=${world.instance}/${second}&namespace=default`,
    )
    await page.getByText('1 only left').waitFor()
    await page.getByRole('button', { name: 'default/shop' }).click()
    await page.getByRole('region', { name: 'default/shop' }).getByText('nginx:1.27').waitFor()
    await pictures(page, 'compare')
    expect(complaints).toEqual([])
  })

  it('change images in one member, as the preview of each manifest says before, and a comparison of both after', async () => {
    const [first = '', second = ''] = members()
    await world.deploy('registry')
    const { page, complaints } = await world.at('policies?kind=overridepolicies')
    await page.getByRole('button', { name: 'New policy' }).click()
    await page.getByRole('textbox', { name: 'Name', exact: true }).first().fill('mirror')
    await page.getByRole('group', { name: 'Selector 1' }).getByLabel('Name').fill('registry')
    const rule = page.getByRole('group', { name: 'Rule 1' })
    await rule.getByRole('combobox', { name: 'Member clusters' }).click()
    await page.getByRole('option', { name: second }).click()
    await page.keyboard.press('Escape')
    await rule.getByRole('textbox', { name: 'Value' }).fill('1.28')
    await page.getByRole('button', { name: 'Add a rule' }).click()
    await page.getByRole('button', { name: 'Remove rule 2' }).click()
    const preview = page.getByRole('region', { name: 'Preview' })
    await preview.getByText(`${second}: 1 change`).waitFor()
    await preview.getByText('image: "nginx:1.27" → "nginx:1.28"').waitFor()
    expect(await preview.getByText(`${first}: 1 change`).count()).toBe(0)
    await preview.getByRole('button', { name: `Show the manifest in ${second}` }).click()
    // Of all lines of the manifest, the image's alone is another.
    await preview.locator('.cm-changedLine').filter({ hasText: 'nginx:1.28' }).waitFor()
    expect(await preview.locator('.cm-changedLine').count()).toBe(2)
    await pictures(page, 'override')
    await checkAndApply(page)
    await expect
      .poll(async () => {
        const { local } = world.proxy.playground.members.get(second)!.server
        return JSON.stringify(
          await local.request({
            method: 'GET',
            path: '/apis/apps/v1/namespaces/default/deployments/registry',
          }),
        )
      })
      .toContain('nginx:1.28')
    await page.goto(
      `${world.api.url}/compare?left=${world.instance}/${first}&right=${world.instance}/${second}&namespace=default`,
    )
    await page.getByText('1 differ').waitFor()
    await page.getByRole('button', { name: 'default/registry' }).click()
    const difference = page.getByRole('region', { name: 'default/registry' })
    await difference.getByText('nginx:1.28').waitFor()
    // Only that: not what each member's server says of its own.
    await expect.poll(() => difference.locator('.cm-changedLine').count()).toBe(2)
    expect(complaints).toEqual([])
  })

  it('place objects of all namespaces where they are of the whole cluster, and are edited once they are stored', async () => {
    const [first = ''] = members()
    const { page, complaints } = await world.at('policies?kind=clusterpropagationpolicies')
    await page.getByRole('button', { name: 'New policy' }).click()
    await page.getByRole('textbox', { name: 'Name', exact: true }).first().fill('everywhere')
    await page.getByRole('group', { name: 'Selector 1' }).getByLabel('Name').fill('nothing-yet')
    await page
      .getByRole('region', { name: 'Preview' })
      .getByText(/^It selects no/)
      .waitFor()
    await checkAndApply(page)
    await page.getByRole('link', { name: 'everywhere', exact: true }).click()
    await page.waitForURL('**/policies/clusterpropagationpolicies/-/everywhere')
    const stored = () =>
      world.karmada<{ spec: { priority?: number; placement: object } }>({
        method: 'GET',
        path: '/apis/policy.karmada.io/v1alpha1/clusterpropagationpolicies/everywhere',
      })
    await stored()
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await page.getByRole('combobox', { name: 'Member clusters' }).click()
    await page.getByRole('option', { name: first }).click()
    await page.keyboard.press('Escape')
    await page.getByLabel('Priority', { exact: true }).fill('5')
    await checkAndApply(page)
    await expect
      .poll(async () => (await stored()).spec)
      .toMatchObject({ priority: 5, placement: { clusterAffinity: { clusterNames: [first] } } })
    expect(complaints).toEqual([])
  })

  it.each(['light', 'dark'] as const)('keep nobody out, in Chinese, in %s', async colorScheme => {
    const { page, complaints } = await world.at('policies', undefined, { locale: 'zh-CN', colorScheme })
    await page.getByRole('link', { name: 'shop', exact: true }).click()
    await page.getByText('已属于它').waitFor()
    expect(await barriers(page)).toEqual([])
    await picture(page, `policy-held-zh-${colorScheme}`)
    await page.getByRole('tab', { name: '演练' }).click()
    await page.getByText('请选择要加污点的集群。').waitFor()
    expect(await barriers(page)).toEqual([])
    expect(complaints).toEqual([])
  })

  it('cannot be changed by a viewer, who sees why', async () => {
    const { page, complaints } = await world.at(
      'policies/propagationpolicies/default/shop',
      world.proxy.playground.tokens.viewer,
    )
    await page.getByText('Is its own').waitFor()
    for (const name of ['Edit', 'Delete']) {
      const button = page.getByRole('button', { name, exact: true })
      await button.and(page.locator('[aria-disabled=true]')).waitFor()
      expect(await button.getAttribute('aria-description')).toMatch(/./)
    }
    expect(complaints).toEqual([])
  })

  it('are deleted, and the objects that they placed stay', async () => {
    const { page, complaints } = await world.at('policies/propagationpolicies/default/shop')
    await page.getByRole('button', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('stay in their clusters').waitFor()
    expect(await barriers(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('link', { name: 'shop', exact: true }).waitFor({ state: 'detached' })
    const shop = await karmada().request<{ metadata: object }>({
      method: 'GET',
      path: '/apis/apps/v1/namespaces/default/deployments/shop',
    })
    expect(shop).toMatchObject({ metadata: { name: 'shop' } })
    expect(complaints).toEqual([])
  })
})
