import { expect, it } from 'vitest'
import { barriers, describeConsole } from '../support/console-world.js'

describeConsole('a person at the console without a mouse', { members: 3 }, world => {
  const members = () => [...world.proxy.playground.members.keys()].sort()

  it('chooses one member after another, continues from the last one, and finds one by its name', async () => {
    const [first = '', second = '', third = ''] = members()
    const { page, complaints } = await world.at('workloads/new')
    const field = page.getByRole('combobox', { name: 'Member clusters' })
    await page.getByRole('button', { name: 'Continue' }).press('Enter')
    await page.getByText('A name is required.').waitFor()
    await page.getByRole('textbox', { name: 'Name' }).first().fill('by-keyboard')
    await page.getByRole('textbox', { name: 'Image' }).fill('nginx:1.27')
    await field.focus()
    await page.getByRole('option', { name: third }).waitFor()
    for (const key of ['ArrowDown', 'ArrowDown', 'Enter', 'ArrowDown', 'Enter'])
      await page.keyboard.press(key)
    const isChosen = async (name: string) =>
      (await page.getByRole('option', { name }).getAttribute('aria-selected')) === 'true'
    await expect.poll(() => Promise.all(members().map(isChosen))).toEqual([false, true, true])
    await page.keyboard.type(first)
    await page.getByRole('option', { name: second }).waitFor({ state: 'detached' })
    await page.keyboard.press('Enter')
    await page.getByRole('option', { name: second }).waitFor()
    expect(await field.inputValue()).toBe('')
    await expect.poll(() => Promise.all(members().map(isChosen))).toEqual([true, true, true])
    expect(complaints).toEqual([])
  })

  it('keeps the focus on a button while the server answers, and after it has', async () => {
    const { page, context, complaints } = await world.at('settings')
    let answer: () => void = () => undefined
    const held = new Promise<void>(resolve => {
      answer = resolve
    })
    const button = page.getByRole('button', { name: 'Download yours' })
    await button.waitFor()
    await context.route('**/kubeconfig**', async route => {
      await held
      await route.fulfill({ status: 503, contentType: 'application/json', body: '{"message":"away"}' })
    })
    await button.press('Enter')
    await expect.poll(() => button.getAttribute('aria-busy')).toBe('true')
    const isFocused = async () => (await button.and(page.locator(':focus')).count()) === 1
    expect(await isFocused()).toBe(true)
    answer()
    await page.getByText('away').waitFor()
    expect([await button.getAttribute('aria-busy'), await isFocused()]).toEqual([null, true])
    // Chromium reports the 503 itself.
    expect(complaints.filter(complaint => !complaint.includes('503'))).toEqual([])
  })

  it('reads at the state of a list where it is from', async () => {
    const { page, complaints } = await world.at('clusters')
    const state = page.getByRole('status').filter({ hasText: /^Live$/ })
    await state.waitFor()
    await page.getByRole('link', { name: 'Join a cluster' }).focus()
    await page.keyboard.press('Tab')
    await page.getByRole('tooltip').filter({ hasText: 'Answered by Kairship from its watch cache' }).waitFor()
    expect(await state.and(page.locator(':focus')).count()).toBe(1)
    expect(await barriers(page)).toEqual([])
    expect(complaints).toEqual([])
  })
})
