import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { barriers, describeConsole } from '../support/console-world.js'
import { asYaml, replaceInYaml, yamlEditor } from '../support/yaml-editor.js'

describeConsole('a person whose server was updated while the page is open', { members: 0 }, world => {
  const anew = (page: Page) => page.getByRole('button', { name: 'Load the page anew' })

  it('keeps typed text, sees that parts of the page do not load, and retries or reloads', async () => {
    await world.karmada({
      method: 'POST',
      path: '/api/v1/namespaces/default/configmaps',
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'course' }, data: { heading: 'north' } },
    })
    const { page, context, complaints } = await world.at('objects/configmaps/default/course?edit=true')
    let loads = 0
    page.on('load', () => {
      loads += 1
    })
    const asked: string[] = []
    page.on('dialog', dialog => {
      asked.push(dialog.type())
      void dialog.dismiss()
    })
    const written = () =>
      yamlEditor(page, /^YAML of ConfigMap/)
        .getByText('north-west')
        .waitFor()
    await asYaml(page)
    await replaceInYaml(page, /^YAML of ConfigMap/, 'north', 'north-west')
    // Another build has files of other names.
    await context.route('**/assets/**', route => route.fulfill({ status: 404, body: '{}' }))
    await page.keyboard.press('Control+k')
    const notice = page.getByRole('alert').filter({ hasText: 'did not load' })
    await notice.waitFor()
    await anew(page).waitFor()
    expect(await barriers(page)).toEqual([])
    await written()
    await anew(page).click()
    await expect.poll(() => asked).toEqual(['beforeunload'])
    // What is typed goes to the editor again, and not to a search that does not come.
    await page.keyboard.type('x')
    await page.keyboard.press('Backspace')
    await written()
    await notice.getByRole('button', { name: 'Close' }).click()
    await notice.waitFor({ state: 'detached' })
    // A screen that does not come: what was left is still asked for.
    await page.getByRole('link', { name: 'Compare' }).click()
    await notice.waitFor()
    await anew(page).click()
    await expect.poll(() => asked).toEqual(['beforeunload', 'beforeunload'])
    await page.goBack()
    await page.getByRole('button', { name: 'Go on with it' }).click()
    await asYaml(page)
    await written()
    expect(loads).toBe(0)
    // It was away for a moment alone.
    await page.keyboard.press('Control+k')
    await notice.waitFor()
    await context.unroute('**/assets/**')
    await notice.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('textbox', { name: /^Instances, clusters/ }).waitFor()
    expect(complaints.filter(text => !/was not loaded/.test(text))).toEqual([])
  })

  it('finds in the search field the text that was typed while it was loading', async () => {
    const { page, context, complaints } = await world.signedIn()
    let load = () => undefined as undefined
    const loading = new Promise<void>(resolve => {
      load = () => void resolve()
    })
    let isAsked = false
    await context.route('**/assets/palette-*', async route => {
      isAsked = true
      await loading
      await route.continue()
    })
    await page.keyboard.press('Control+k')
    await page.keyboard.type('eu-x')
    await page.keyboard.press('Backspace')
    await page.keyboard.type('west')
    await expect.poll(() => isAsked).toBe(true)
    load()
    const field = page.getByRole('textbox', { name: /^Instances, clusters/ })
    await expect.poll(() => field.inputValue()).toBe('eu-west')
    await page.keyboard.type('-a')
    expect(await field.inputValue()).toBe('eu-west-a')
    await page.keyboard.press('Escape')
    await field.waitFor({ state: 'detached' })
    await page.keyboard.press('Control+k')
    await page.keyboard.type('us')
    await expect.poll(() => field.inputValue()).toBe('us')
    expect(complaints).toEqual([])
  })

  it('sees how to sign in again, and what to do when nothing of the page can be shown', async () => {
    const { page, context } = await world.signedIn()
    await context.route('**/assets/session-over-*', route => route.fulfill({ status: 404, body: '{}' }))
    await page.reload()
    await page.getByRole('link', { name: world.instance }).waitFor()
    await context.clearCookies()
    await page.getByRole('link', { name: world.instance }).click()
    const notice = page.getByRole('alert').filter({ hasText: 'did not load' })
    await notice.waitFor()
    await page.getByRole('button', { name: 'admin@playground' }).waitFor()
    await context.unroute('**/assets/session-over-*')
    await notice.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('dialog', { name: 'Your session is over' }).waitFor()
    await context.route(/assets\/en-/, route => route.fulfill({ status: 404, body: '{}' }))
    await page.reload()
    await page.getByRole('alert').filter({ hasText: 'This page could not be shown' }).waitFor()
    expect(await barriers(page)).toEqual([])
    await context.unroute(/assets\/en-/)
    await anew(page).click()
    await page.getByLabel('Token').waitFor()
  })
})
