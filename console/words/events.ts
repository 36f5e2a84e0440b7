import { ownWords } from './own-words.js'

const en = {
  title: 'Events',
  fleetTitle: 'Events of the fleet',
  empty: 'There are no events.',
  findObject: 'Object with this name',
  place: 'Of',
  controlPlane: 'the control plane',
  everywhere: 'Members, too',
  warnings: 'Only warnings',
  kind: 'Kind',
  allKinds: 'All kinds',
  instance: 'Instance',
  allInstances: 'All instances',
  newest: (n: number, of: number) =>
    `The newest ${n.toLocaleString('en')} of ${of.toLocaleString('en')} events`,
  rows: 'Events, the newest first',
  unread: 'Not read:',
  columns: {
    time: 'Last seen',
    type: 'Type',
    place: 'Where',
    object: 'Object',
    reason: 'Reason',
    message: 'Message',
    count: 'Times',
    source: 'From',
  },
  types: { Normal: 'Normal', Warning: 'Warning' },
}

const zh: typeof en = {
  title: '事件',
  fleetTitle: '舰队事件',
  empty: '没有事件。',
  findObject: '此名称的对象',
  place: '来自',
  controlPlane: '控制平面',
  everywhere: '包括成员集群',
  warnings: '仅警告',
  kind: '种类',
  allKinds: '全部种类',
  instance: '实例',
  allInstances: '全部实例',
  newest: (n, of) => `共 ${of.toLocaleString('zh-CN')} 个事件，显示最新 ${n.toLocaleString('zh-CN')} 个`,
  rows: '事件，最新的在最前',
  unread: '未能读取：',
  columns: {
    time: '最近一次',
    type: '类型',
    place: '位置',
    object: '对象',
    reason: '原因',
    message: '说明',
    count: '次数',
    source: '来源',
  },
  types: { Normal: '正常', Warning: '警告' },
}

export const useEventWords = ownWords({ en, zh })
