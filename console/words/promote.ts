import { ownWords } from './own-words.js'

/** What the promotion of a member's objects says, in English. */
const promoteEn = {
  title: 'Promote',
  how: 'A workload that only a member has becomes a template of the control plane, with a policy that keeps it on that member. Its pods keep running.',
  cluster: 'Member cluster',
  kind: 'Kind',
  choose: 'Choose a member cluster.',
  none: 'The member has none of this kind.',
  name: 'Name',
  namespace: 'Namespace',
  becomes: 'As a template',
  managed: 'Comes from a template',
  promote: 'Promote',
  promoteOne: (name: string) => `Promote ${name}`,
  dialog: (what: string) => `Promote ${what}`,
  services: 'Services that go along',
  servicesHelp: 'Of the same namespace of the member.',
  makes: 'This is made in the control plane, all of it or nothing:',
  makesTemplate: (what: string) => `the template ${what}`,
  makesConfiguration: 'the ConfigMaps and Secrets that its pods use and the control plane does not have',
  makesPolicy: (cluster: string) => `a PropagationPolicy that keeps them on ${cluster}`,
  tryIt: 'Check',
  accepted: 'The server accepts it. Nothing is made yet.',
  cancel: 'Cancel',
  done: (what: string) => `${what} is a template now.`,
}

/** The same in Chinese. */
const promoteZh: typeof promoteEn = {
  title: '提升',
  how: '成员自己运行的对象成为控制平面的模板，并由一个策略保留在该成员上。其 Pod 继续运行。',
  cluster: '成员集群',
  kind: '种类',
  choose: '请选择成员集群。',
  none: '该成员没有此种类的对象。',
  name: '名称',
  namespace: '命名空间',
  becomes: '作为模板',
  managed: '来自模板',
  promote: '提升',
  promoteOne: name => `提升 ${name}`,
  dialog: what => `提升 ${what}`,
  services: '一同提升的 Service',
  servicesHelp: '位于该成员的同一命名空间。',
  makes: '将在控制平面中创建以下内容，全部或全不：',
  makesTemplate: what => `模板 ${what}`,
  makesConfiguration: '其 Pod 使用且控制平面没有的 ConfigMap 和 Secret',
  makesPolicy: cluster => `将它们保留在 ${cluster} 上的 PropagationPolicy`,
  tryIt: '检查',
  accepted: '服务器接受。目前尚未创建任何内容。',
  cancel: '取消',
  done: what => `${what} 现在是模板。`,
}

export const usePromoteWords = ownWords({ en: promoteEn, zh: promoteZh })
