import { ownWords } from './own-words.js'

/** What forms of objects have in common, in English. */
const formsEn = {
  noForm: 'There is no form for this text',
  toYaml: 'Change it as YAML.',
  problems: {
    empty: 'There is no manifest in it.',
    several: 'It has several manifests.',
    long: (most: number) =>
      `It has more than ${most.toLocaleString('en')} characters: a form would be too slow.`,
    otherKind: (kind: string) => `It has no manifest of kind ${kind}.`,
    aliases: (name: string) =>
      `It has aliases (*${name}), and one change in a form would change several places.`,
    noList: (path: string) => `${path} is no list.`,
    noMapping: (path: string) => `${path || 'The manifest'} is no mapping.`,
    otherKeys: (path: string) => `${path || 'The manifest'} has keys that are no texts.`,
    unread: (line: number, message: string) => `Line ${line} cannot be read as YAML: ${message}`,
  },
  name: 'Name',
  nameMissing: 'A name is required.',
  nameWrong: 'Lower case letters, digits and hyphens, with a letter or digit at both ends.',
  namespace: 'Namespace',
  metadata: 'Labels and annotations',
  labels: 'Labels',
  annotations: 'Annotations',
  key: 'Key',
  keyMissing: 'A key is needed.',
  keyTwice: 'Another entry has this key.',
  keyWrong:
    'Letters, digits, “-”, “_” and “.”, with a letter or digit at both ends; a domain and “/” may be before it.',
  value: 'Value',
  valueWrong: 'Letters, digits, “-”, “_” and “.”, with a letter or digit at both ends, 63 at most.',
  inYaml: 'Too long for one line: see YAML.',
  row: (of: string, n: number) => `${of} ${n}`,
  addEntry: (of: string) => `Add to ${of.toLowerCase()}`,
  removeEntry: (key: string) => `Remove ${key}`,
  further: (n: number) => `${n.toLocaleString('en')} more are in the YAML: a form would be too slow.`,
}

/** The same in Chinese. */
const formsZh: typeof formsEn = {
  noForm: '此文本没有表单',
  toYaml: '请以 YAML 修改。',
  problems: {
    empty: '其中没有清单。',
    several: '其中有多个清单。',
    long: most => `它超过 ${most.toLocaleString('zh-CN')} 个字符：这样的表单无法操作。`,
    otherKind: kind => `其中没有 ${kind} 类型的清单。`,
    aliases: name => `它有别名（*${name}）：表单不会同时更改多处内容。`,
    noList: path => `${path} 不是列表。`,
    noMapping: path => `${path || '清单'}不是映射。`,
    otherKeys: path => `${path || '清单'}有不是文本的键。`,
    unread: (line, message) => `第 ${line} 行无法作为 YAML 读取：${message}`,
  },
  name: '名称',
  nameMissing: '需要名称。',
  nameWrong: '小写字母、数字和连字符，首尾为字母或数字。',
  namespace: '命名空间',
  metadata: '标签和注解',
  labels: '标签',
  annotations: '注解',
  key: '键',
  keyMissing: '需要键。',
  keyTwice: '另一个条目已有此键。',
  keyWrong: '字母、数字、“-”、“_”和“.”，首尾为字母或数字；前面可以有域名和“/”。',
  value: '值',
  valueWrong: '字母、数字、“-”、“_”和“.”，首尾为字母或数字，最多 63 个字符。',
  inYaml: '一行放不下：见 YAML。',
  row: (of, n) => `${of} ${n}`,
  addEntry: of => `添加${of}`,
  removeEntry: key => `移除 ${key}`,
  further: n => `另有 ${n.toLocaleString('zh-CN')} 项见 YAML：表单过长会无法操作。`,
}

export const useFormWords = ownWords({ en: formsEn, zh: formsZh })
