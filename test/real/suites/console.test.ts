import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { chromiumPath, startBrowser, type Visit, visit } from '../../scenarios/support/browser.js'
import { ApiClient } from '../api-client.js'
import { type RealProxy, startRealProxy } from '../proxy.js'

const NAMESPACE = 'console-suite'
/** A real control plane answers within seconds; a machine that does much else may need longer. */
const PATIENCE_MS = 90_000

describe.skipIf(chromiumPath === undefined)('the console over a real Karmada', () => {
  const stack = inject('stack')
  let proxy: RealProxy
  let karmada: ApiClient
  let member: ApiClient
  let browser: Browser

  const deployment = (name: string) => `/apis/apps/v1/namespaces/${NAMESPACE}/deployments/${name}`
  const cluster = () => `/apis/cluster.karmada.io/v1alpha1/clusters/${proxy.member}`

  beforeAll(async () => {
    proxy = await startRealProxy(stack, 'console')
    karmada = new ApiClient(stack.karmadas[proxy.instance]!)
    member = new ApiClient(stack.members[proxy.member]!)
    await karmada.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } })
    browser = await startBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    if (!proxy) return
    // Also where a test ended between cordoning and the opposite.
    await karmada.send('PATCH', cluster(), { spec: { taints: null } }, MERGE_PATCH)
    await karmada.send('DELETE', `/api/v1/namespaces/${NAMESPACE}`)
    for (const client of [karmada, member]) await client.close()
    await proxy.close()
  })

  /** A visitor who is signed in with a link, on the page of the fleet. */
  async function signedIn(): Promise<Visit & { readonly at: (path: string) => string }> {
    const link = await proxy.consoleLink()
    const { origin } = new URL(link)
    const visited = await visit(browser, origin)
    visited.page.setDefaultTimeout(PATIENCE_MS)
    await visited.page.goto(link)
    await visited.page.getByRole('link', { name: proxy.instance, exact: true }).waitFor()
    return { ...visited, at: path => `${origin}/instances/${proxy.instance}/${path}` }
  }

  /** Creates a Deployment by the form, with a policy that takes it to the member. */
  async function create({ page, at }: Awaited<ReturnType<typeof signedIn>>, name: string): Promise<void> {
    await page.goto(at(`workloads/new?namespace=${NAMESPACE}`))
    await page.getByRole('textbox', { name: 'Name' }).first().fill(name)
    await page.getByRole('textbox', { name: 'Image' }).fill('nginx:1.27')
    await page.getByRole('combobox', { name: 'Member clusters' }).click()
    await page.getByRole('option', { name: proxy.member }).click()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Check and compare' }).click()
    await page.getByText('The server accepts it').waitFor()
    await page.getByRole('button', { name: 'Apply' }).click()
  }

  it('shows the fleet and an instance, and takes a workload to a member', async () => {
    const visited = await signedIn()
    const { page, complaints, at } = visited
    await page.getByRole('link', { name: proxy.instance, exact: true }).click()
    await page.getByRole('img', { name: 'the current state is Ready' }).waitFor()
    await page.getByRole('row', { name: /^ControlPlaneHealthy yes/ }).waitFor()
    await create(visited, 'shop')
    await page.getByText(`Deployment ${NAMESPACE}/shop runs as wanted in 1 cluster`).waitFor()
    await page
      .getByRole('region', { name: `Pods: ${proxy.member}` })
      .getByText('Running')
      .first()
      .waitFor()
    const { spec } = await member.must<{ spec: { replicas: number } }>('GET', deployment('shop'))
    expect(spec.replicas).toBe(2)
    await page.goto(at('workloads'))
    await page.getByText('Live', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'shop' }).waitFor()
    expect(complaints).toEqual([])
  })

  it('names the step that keeps a workload from its member, which goes on once that is mended', async () => {
    const visited = await signedIn()
    const { page, complaints, at } = visited
    await page.goto(at(`clusters/${proxy.member}`))
    await page.getByRole('button', { name: 'Cordon', exact: true }).click()
    const dialog = page.getByRole('dialog')
    // What Karmada itself would store.
    await dialog.getByText('adds cluster.karmada.io/unschedulable:NoSchedule').waitFor()
    await dialog.getByRole('button', { name: 'Cordon', exact: true }).click()
    await page.getByText('Cordoned: nothing new is scheduled here.').waitFor()
    await create(visited, 'late')
    const scheduling = page
      .getByRole('listitem')
      .filter({ has: page.getByRole('heading', { name: 'Scheduling', exact: true }) })
    await scheduling.getByText(/^broken/).waitFor()
    await page.getByText(/^What helps: .*remove the taint from the clusters/).waitFor()
    expect((await member.send('GET', deployment('late'))).status).toBe(404)

    await page.goto(at(`clusters/${proxy.member}`))
    await page.getByRole('button', { name: 'Uncordon' }).click()
    await dialog.getByRole('button', { name: 'Uncordon' }).click()
    await page.getByRole('button', { name: 'Cordon', exact: true }).waitFor()
    await page.goto(at(`workloads/deployments/${NAMESPACE}/late`))
    await page.getByText(`Deployment ${NAMESPACE}/late runs as wanted in 1 cluster`).waitFor()
    expect((await member.send('GET', deployment('late'))).status).toBe(200)
    expect(complaints).toEqual([])
  })
})

const MERGE_PATCH = { 'content-type': 'application/merge-patch+json' }
