import { ownWords } from './own-words.js'

const plural = new Intl.PluralRules('en')
const some = (n: number, one: string, other: string): string =>
  `${n.toLocaleString('en')} ${plural.select(n) === 'one' ? one : other}`

/** What the rehearsal says, in English. */
const rehearseEn = {
  title: 'Rehearse',
  how: 'Simulate taints on clusters: see the new place of each workload, and the workloads without a place. Nothing is changed.',
  choose: 'Choose the clusters to taint.',
  computing: 'Computing',
  clusters: 'Clusters to taint',
  field: { key: 'Key of the taint', value: 'Value', namespace: 'Only templates in the namespace' },
  effect: 'Effect',
  allNamespaces: 'all',
  nowhere: (n: number) => `${some(n, 'template runs', 'templates run')} nowhere`,
  shrinking: (n: number) => `${some(n, 'runs', 'run')} with less`,
  moving: (n: number) => `${some(n, 'moves', 'move')}`,
  staying: (n: number) => `${some(n, 'stays', 'stay')}`,
  nothing: 'Nothing would leave these clusters.',
  worst: (shown: number, total: number) => `The worst ${shown} of ${total} are shown.`,
  outcome: { moves: 'Moves', shrinks: 'Runs with less', nowhere: 'Runs nowhere' },
  later: (cluster: string, seconds: number) =>
    `It leaves ${cluster} after ${some(Math.round(seconds), 'second', 'seconds')}: its policy tolerates the taint so long.`,
}

/** The same in Chinese. */
const rehearseZh: typeof rehearseEn = {
  title: '演练',
  how: '在假想中给集群加污点：查看一切会去往何处，哪些无处可去。不会更改任何内容。',
  choose: '请选择要加污点的集群。',
  computing: '正在计算',
  clusters: '要加污点的集群',
  field: { key: '污点的键', value: '值', namespace: '仅此命名空间的模板' },
  effect: '效果',
  allNamespaces: '全部',
  nowhere: n => `${n} 个将无处运行`,
  shrinking: n => `${n} 个将减少`,
  moving: n => `${n} 个将迁移`,
  staying: n => `${n} 个保持原位`,
  nothing: '没有对象会离开这些集群。',
  worst: (shown, total) => `显示 ${total} 个中最严重的 ${shown} 个。`,
  outcome: { moves: '迁移', shrinks: '减少', nowhere: '无处运行' },
  later: (cluster, seconds) => `它在 ${Math.round(seconds)} 秒后离开 ${cluster}：其策略容忍该污点这么久。`,
}

export const useRehearseWords = ownWords({ en: rehearseEn, zh: rehearseZh })
