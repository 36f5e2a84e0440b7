import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { describeConsole } from '../support/console-world.js'

/**
 * Texts of the page, of its elements and of what is read out of them, in which a Chinese character stands beside a mark of Latin writing. YAML
 * and commands have their own marks.
 */
const latinMarks = (page: Page) =>
  page.evaluate<string[]>(`(() => {
    const beside = /[\\u3400-\\u9fff”）] ?[:,;!?()]|[:,;!?()] ?[\\u3400-\\u9fff]|[\\u3400-\\u9fff]\\.(\\s|$)/
    const texts = [...document.querySelectorAll('body *')]
      .filter(element => element.closest('.cm-editor, pre, code, script, style') === null)
      .flatMap(element => [
        ...['aria-label', 'aria-description', 'placeholder', 'title'].map(name => element.getAttribute(name) ?? ''),
        [...element.childNodes].some(({ nodeType, data }) => nodeType === 3 && data.trim() !== '')
          ? element.textContent
          : '',
      ])
    return [...new Set(texts.filter(text => beside.test(text)))]
  })()`)

describeConsole('the console in Chinese', { members: 2 }, world => {
  it('has Chinese punctuation, also where texts are joined', async () => {
    await world.deploy('shop')
    const [first = ''] = world.proxy.playground.members.keys()
    const { page, complaints } = await world.signedIn(undefined, { locale: 'zh-CN' })
    const found: string[] = []
    const at = async (path: string, seen: string | RegExp) => {
      await page.goto(`${world.api.url}/${path}`)
      await page.getByText(seen).first().waitFor()
      found.push(...(await latinMarks(page)))
    }
    const instance = `instances/${world.instance}`
    await at('instances', /^CPU/)
    await at('events', '事件')
    expect(await page.getByPlaceholder('对象、原因、说明').count()).toBe(1)
    await at(instance, '状态')
    await at(`${instance}/reads`, '滞后')
    await at(`${instance}/clusters/${first}`, 'default/shop')
    await at(`${instance}/workloads/deployments/default/shop`, first)
    await at(`${instance}/policies/propagationpolicies/default/shop`, first)
    await at(`${instance}/objects/configmaps/new`, '命名空间')
    await at(`${instance}/join-cluster`, '加入')
    await at('new-instance', '名称')
    await at('access/roles', '授予角色')
    expect([...new Set(found)]).toEqual([])
    expect(complaints).toEqual([])
  })
})
