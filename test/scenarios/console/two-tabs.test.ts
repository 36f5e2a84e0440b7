import { expect, it } from 'vitest'
import { describeConsole } from '../support/console-world.js'

describeConsole('a person with two tabs of the console', { members: 0 }, world => {
  it('changes the language and the colours of both in one of them', async () => {
    const { page, context, complaints } = await world.signedIn(undefined, { colorScheme: 'light' })
    const other = await context.newPage()
    await other.goto(`${world.api.url}/instances/${world.instance}/policies`)
    await other.getByRole('button', { name: 'New policy' }).waitFor()
    await page.getByRole('button', { name: 'Use dark colours' }).click()
    for (const tab of [page, other]) await tab.getByRole('button', { name: 'Use light colours' }).waitFor()
    await page.getByRole('button', { name: '简体中文' }).click()
    await page.getByRole('button', { name: 'English' }).waitFor()
    await other.getByRole('button', { name: 'English' }).waitFor()
    expect(await other.locator('html').getAttribute('lang')).toBe('zh-CN')
    // Chosen back in the other.
    await other.getByRole('button', { name: 'English' }).click()
    await page.getByRole('button', { name: '简体中文' }).waitFor()
    expect(complaints).toEqual([])
  })
})
