import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { barriers, describeConsole } from '../support/console-world.js'
import { checkAndApply, replaceInYaml, yamlEditor } from '../support/yaml-editor.js'

describeConsole('a person at the console who leaves a form unfinished', { members: 2 }, world => {
  /** What the browser asked before it left the page; the person stays. */
  const asked = (page: Page): string[] => {
    const types: string[] = []
    page.on('dialog', dialog => {
      types.push(dialog.type())
      void dialog.dismiss()
    })
    return types
  }
  const reload = (page: Page) => page.evaluate('location.reload()')
  const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true }).first()
  const kept = (page: Page) => page.getByText(/^You wrote something here .* and did not apply it\.$/)

  it.each([
    {
      form: 'a workload',
      at: () => `instances/${world.instance}/workloads/new`,
      fields: { Name: 'half-done', Image: 'nginx:1.27' },
    },
    {
      form: 'a cluster that joins',
      at: () => `instances/${world.instance}/join-cluster`,
      fields: {
        'Name of the cluster in this instance': 'far',
        Kubeconfig: 'token: hunter2',
        Region: 'north',
      },
    },
    { form: 'an instance', at: () => 'new-instance', fields: { Name: 'fresh', 'Name for people': 'New' } },
    {
      form: 'a role',
      at: () => 'access/roles',
      opens: 'Give a role',
      fields: { 'Name of the binding': 'ada-views', Why: 'a visit' },
    },
    {
      form: 'a lock',
      at: () => 'access/locks',
      opens: 'Lock out',
      fields: { 'Name of the lock': 'stolen', User: 'ada' },
    },
  ])('finds the form of $form as it was left, is asked before a reload, and can empty it', async row => {
    const { page, complaints } = await world.signedIn()
    const questions = asked(page)
    const open = async () => {
      if ('opens' in row) await page.getByRole('button', { name: row.opens }).click()
    }
    const fields = Object.entries(row.fields)
    await page.goto(`${world.api.url}/${row.at()}`)
    await open()
    for (const [name, value] of fields) await field(page, name).fill(value)
    if ('opens' in row) await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'Compare', exact: true }).click()
    await page.getByRole('heading', { name: 'Compare' }).waitFor()
    await reload(page)
    await expect.poll(() => questions).toEqual(['beforeunload'])
    await page.goBack()
    await open()
    await kept(page).waitFor()
    for (const [name, value] of fields) expect(await field(page, name).inputValue()).toBe(value)
    expect(await barriers(page)).toEqual([])
    // A script of another page of this origin finds nothing of it.
    expect(await page.evaluate('JSON.stringify([localStorage, sessionStorage])')).not.toContain('hunter2')
    await page.getByRole('button', { name: 'Discard it' }).focus()
    await page.keyboard.press('Enter')
    await kept(page).waitFor({ state: 'detached' })
    for (const [name] of fields) expect(await field(page, name).inputValue()).toBe('')
    await expect.poll(() => page.evaluate('document.activeElement !== document.body')).toBe(true)
    await reload(page)
    await page.getByRole('main').waitFor()
    expect(questions).toEqual(['beforeunload'])
    expect(complaints).toEqual([])
  })
  it('finds each form as it was left where the browser goes from one to another of the same screen', async () => {
    const { page, complaints } = await world.at('workloads/new')
    const name = () => field(page, 'Name').inputValue()
    await field(page, 'Name').fill('a-deployment')
    await page.evaluate('history.pushState(null, "", "?kind=jobs")')
    await expect.poll(name).toBe('')
    await field(page, 'Name').fill('a-job')
    await page.goBack()
    await expect.poll(name).toBe('a-deployment')
    await kept(page).waitFor()
    await page.goForward()
    await expect.poll(name).toBe('a-job')
    expect(complaints).toEqual([])
  })

  it('continues with the YAML of a workload and of a policy, and is not asked once both are created', async () => {
    const { page, complaints } = await world.at('workloads/new')
    const questions = asked(page)
    const leaveAndComeBack = async () => {
      await page.getByRole('link', { name: 'Compare', exact: true }).click()
      await page.getByRole('heading', { name: 'Compare' }).waitFor()
      await page.goBack()
    }
    await field(page, 'Name').fill('half-done')
    await field(page, 'Image').fill('nginx:1.27')
    await page.getByRole('checkbox', { name: /policy/ }).uncheck()
    await page.getByRole('button', { name: 'Continue' }).click()
    await replaceInYaml(page, /^YAML of/, 'nginx:1.27', 'nginx:1.28')
    await leaveAndComeBack()
    await page.getByRole('button', { name: 'Go on with it' }).click()
    await yamlEditor(page, /^YAML of/)
      .getByText('nginx:1.28')
      .waitFor()
    await checkAndApply(page)
    await page.getByRole('heading', { name: 'half-done', exact: true }).waitFor()
    await page.goto(`${world.api.url}/instances/${world.instance}/policies/propagationpolicies/new`)
    await field(page, 'Name').fill('half-done')
    await leaveAndComeBack()
    await page.getByRole('button', { name: 'Go on with it' }).click()
    expect(await field(page, 'Name').inputValue()).toBe('half-done')
    expect(await barriers(page)).toEqual([])
    await checkAndApply(page)
    await page.getByRole('link', { name: 'half-done' }).first().waitFor()
    await reload(page)
    await page.getByRole('link', { name: 'half-done' }).first().waitFor()
    expect(questions).toEqual([])
    expect(complaints).toEqual([])
  })
})
