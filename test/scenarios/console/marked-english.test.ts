import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { Chaos } from '../../../playground/fleet/chaos/chaos.js'
import { describeConsole } from '../support/console-world.js'

/** Texts of the page, also those that only screen readers have, that have two English words and nothing Chinese. What is in `lang="en"` or is code may be English, and a kind with a name. */
const english = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`(() => {
    const isEnglish = text => !/^(User|Group|ServiceAccount) \\S+$/.test(text) && !/\\p{Script=Han}/u.test(text) && /(^|[\\s(“"])[A-Za-z][a-z]+[,.:;]? [A-Za-z]?[a-z]+([\\s),.:;”"]|$)/.test(text)
    const isMarked = element => element.closest('[lang=en], code, pre, kbd, textarea, script, style, noscript, .cm-editor, .xterm') !== null
    const found = new Set()
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) {
      const { data, parentElement } = walker.currentNode
      if (isEnglish(data) && parentElement && !isMarked(parentElement)) found.add(data.trim())
    }
    for (const element of document.querySelectorAll('[aria-label], [title], [placeholder], [alt]'))
      for (const name of ['aria-label', 'title', 'placeholder', 'alt']) {
        const text = element.getAttribute(name) ?? ''
        if (isEnglish(text) && !isMarked(element)) found.add(name + ': ' + text)
      }
    return [...found]
  })()`)

/** Each screen, and a text that is there once what it shows is. */
const screens = (
  at: string,
  first: string,
  second: string,
): readonly (readonly [path: string, text: string])[] => [
  ['/instances?view=table', '开始于'],
  ['/events', 'Successfully applied'],
  ['/new-instance', '新建实例'],
  ['/compare', '比较'],
  ['/access', '我的账号'],
  ['/access/roles', 'playground:admins'],
  ['/access/workspaces', '工作空间'],
  ['/access/locks', '没有'],
  ['/access/audit', '成功'],
  [at, '条件'],
  [`${at}/events`, 'Successfully applied'],
  [`${at}/reads`, '读与写'],
  [`${at}/settings`, '故障转移'],
  [`${at}/access?verb=get&resource=pods&user=ann&ask=explain`, '没有指向 ann'],
  [`${at}/access?verb=get&resource=pods&cluster=${first}&user=ann&ask=explain`, `成员 ${first}`],
  [`${at}/access?verb=get&resource=pods&ask=who`, '未查看 RBAC 以外'],
  [`${at}/clusters`, '未就绪'],
  [`${at}/clusters/${second}`, 'cluster is not reachable'],
  [`${at}/clusters/${first}`, '停止调度'],
  [`${at}/join-cluster`, '加入集群'],
  [`${at}/workloads`, 'taken'],
  [`${at}/workloads/deployments/default/shop`, '建议'],
  [`${at}/workloads/deployments/default/taken`, '建议'],
  [`${at}/workloads/deployments/default/alone`, '建议'],
  [`${at}/workloads/deployments/default/gone`, '已不存在'],
  [`${at}/workloads/deployments/default/shop/logs`, '自动换行'],
  [`${at}/workloads/new?kind=deployments`, '镜像'],
  [`${at}/workloads/new?kind=cronjobs`, '镜像'],
  ...['namespaces', 'services', 'ingresses', 'configmaps', 'secrets', 'federatedhpas'].map(
    kind => [`${at}/objects/${kind}/new`, '表单'] as const,
  ),
  [`${at}/objects/customresourcedefinitions`, '创建'],
  [`${at}/objects/namespaces/-/default`, 'default'],
  [`${at}/policies`, 'shop'],
  [`${at}/policies/propagationpolicies/default/shop`, 'shop'],
  [`${at}/policies/propagationpolicies/default/shop/edit`, '选择'],
  ...['propagationpolicies', 'clusterpropagationpolicies', 'overridepolicies', 'clusteroverridepolicies'].map(
    kind => [`${at}/policies/${kind}/new`, '表单'] as const,
  ),
  [`${at}/rehearse?clusters=${first}&key=a&effect=NoExecute`, '演练'],
  [`${at}/promote?cluster=${first}`, 'taken'],
  [`${at}/terminal`, '终端'],
  ['/nowhere', '没有这个页面'],
  ['/instances/none', '名为 none 的实例'],
]

describeConsole('a Chinese page of the console', { members: 2 }, world => {
  it('has no English sentence that is not marked, on any screen of an instance with broken things in it', async () => {
    const [first = '', second = ''] = [...world.proxy.playground.members.keys()].sort()
    await world.deploy('shop')
    const { local } = world.proxy.playground.members.get(first)!.server
    const path = '/apis/apps/v1/namespaces/default/deployments'
    const labels = { app: 'own' }
    const deployment = (name: string) => ({
      ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name } },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'nginx:1.27' }] } },
      },
    })
    // A member's own, in the way of a template of that name; and a template that no policy selects.
    await local.request({ method: 'POST', path, body: deployment('taken') } as never)
    await world.deploy('taken')
    await world.karmada({ method: 'POST', path, body: deployment('alone') })
    await new Chaos(world.proxy.playground.members).apply(second, 'cut')
    const at = `/instances/${world.instance}`
    const { page, complaints } = await world.signedIn(undefined, { locale: 'zh-CN' })
    for (const [path, text] of screens(at, first, second)) {
      // Within the page, as a person does: its scripts stay.
      await page.evaluate(`history.pushState({}, '', ${JSON.stringify(path)})`)
      await page.getByText(text).first().waitFor()
      // Chinese sentences of the server load with the first of them.
      await expect.poll(() => english(page), { message: path }).toEqual([])
    }
    await page.evaluate(`history.pushState({}, '', '/access/roles')`)
    await page.getByRole('button', { name: '授予角色' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('绑定名称').fill('crew')
    await dialog.getByLabel(/^实例/).fill(world.instance)
    await dialog.getByLabel(/^命名空间/).fill('default, gone')
    await dialog.getByLabel(/^主体/).fill('User ann\nGroup system:authenticated')
    await dialog.getByRole('button', { name: '显示变化' }).click()
    await dialog.getByText('按种类与命名空间计数').waitFor()
    expect(await english(page)).toEqual([])
    expect(complaints).toEqual([])
  })
})
