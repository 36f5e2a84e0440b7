import { ownWords } from './own-words.js'

const n = (value: number): string => value.toLocaleString('en')

/** What the comparison says, in English. */
const compareEn = {
  title: 'Compare',
  how: 'Two control planes or members side by side. Fields that servers assign or report, such as uid and status, are left out.',
  left: 'Left',
  right: 'Right',
  instance: 'Instance',
  inside: 'Control plane or member',
  controlPlane: 'Its control plane',
  type: 'Kind',
  namespace: 'Namespace',
  all: 'all',
  reading: 'Reading both',
  name: 'Object',
  standing: 'Result',
  standings: { differs: 'differs', left: 'only on the left', right: 'only on the right', same: 'the same' },
  counts: {
    differs: (count: number) => `${n(count)} differ`,
    left: (count: number) => `${n(count)} only left`,
    right: (count: number) => `${n(count)} only right`,
    same: (count: number) => `${n(count)} the same`,
  },
  withSame: 'Show what is the same',
  nothing: 'Nothing differs.',
  cut: (most: number) => `There are more: the first ${n(most)} of a side are compared. Name a namespace.`,
  rows: (shown: number, of: number) => `${n(shown)} of ${n(of)} are shown. Name a namespace.`,
}

/** The same in Chinese. */
const compareZh: typeof compareEn = {
  title: '比较',
  how: '并排比较两个控制平面或成员。忽略由服务器分配或报告的字段，例如 uid 和 status。',
  left: '左侧',
  right: '右侧',
  instance: '实例',
  inside: '控制平面或成员',
  controlPlane: '其控制平面',
  type: '种类',
  namespace: '命名空间',
  all: '全部',
  reading: '正在读取两侧',
  name: '对象',
  standing: '结果',
  standings: { differs: '不同', left: '仅左侧有', right: '仅右侧有', same: '相同' },
  counts: {
    differs: count => `${count} 个不同`,
    left: count => `${count} 个仅左侧有`,
    right: count => `${count} 个仅右侧有`,
    same: count => `${count} 个相同`,
  },
  withSame: '显示相同的',
  nothing: '没有差异。',
  cut: most => `还有更多：每侧比较前 ${most} 个。请指定命名空间。`,
  rows: (shown, of) => `显示 ${of} 个中的 ${shown} 个。请指定命名空间。`,
}

export const useCompareWords = ownWords({ en: compareEn, zh: compareZh })
