import { expect, it } from 'vitest'
import { barriers, describeConsole } from '../support/console-world.js'

describeConsole('a person at the console who follows an old address', { members: 0 }, world => {
  it('is offered no change of a policy that does not exist', async () => {
    const { page, complaints } = await world.at('policies/propagationpolicies/default/nothing')
    await page.getByText('nothing is gone.').waitFor()
    for (const name of ['Edit', 'Delete']) expect(await page.getByRole('button', { name }).count()).toBe(0)
    await page.getByRole('link', { name: 'Policies · Propagation' }).click()
    await page.getByRole('button', { name: 'New policy' }).waitFor()
    expect(complaints).toEqual([])
  })

  it.each(['', '/workloads', '/objects/frogs', '/settings'])(
    'reads that there is no such instance at its address%s, without its tabs, and finds the fleet',
    async path => {
      const { page, complaints } = await world.signedIn()
      await page.goto(`${world.api.url}/instances/nope${path}`)
      const sentence = page.getByText('There is no instance named nope.')
      await sentence.waitFor()
      await page.getByRole('tab').first().waitFor({ state: 'detached' })
      for (const text of ['This did not work', 'is gone', 'serves no kind'])
        expect(await page.getByText(text).count()).toBe(0)
      expect(await barriers(page)).toEqual([])
      await page.getByRole('link', { name: 'All instances of the fleet' }).click()
      await page.getByRole('link', { name: world.instance }).waitFor()
      expect(complaints).toEqual([])
    },
  )

  it.each(['objects/frogs', 'objects/frogs/new', 'objects/frogs/default/green'])(
    'reads that there is no such kind at %s, and finds those that there are',
    async path => {
      const { page, complaints } = await world.at(path)
      await page.getByText('This instance serves no kind named frogs.').waitFor()
      expect(await page.getByText('This did not work').count()).toBe(0)
      expect(await barriers(page)).toEqual([])
      await page.getByRole('link', { name: 'The custom resources that it serves' }).click()
      await page.getByRole('table', { name: 'CustomResourceDefinition' }).waitFor()
      expect(complaints).toEqual([])
    },
  )

  it('reads in Chinese that an instance serves no such kind', async () => {
    const { page, complaints } = await world.at('objects/frogs.v1.example.com', undefined, {
      locale: 'zh-CN',
    })
    await page.getByText('此实例不提供名为 frogs.v1.example.com 的类型。').waitFor()
    await page.getByRole('link', { name: '它提供的自定义资源' }).waitFor()
    expect(complaints).toEqual([])
  })
})
