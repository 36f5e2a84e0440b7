import type { ErrorCode } from 'yaml'
import type { ManifestProblem } from '../editor/manifest-problem.js'
import { ownWords } from './own-words.js'

/** Says what is wrong with a text that is to be a manifest. */
type Say = (problem: ManifestProblem) => string

/** In English. */
export const manifestEn: Say = problem => {
  switch (problem.is) {
    case 'noYaml':
      return problem.message
    case 'repeatedKey':
      return `The key ${problem.key} comes twice in one mapping: remove one of them.`
    case 'noMapping':
      return 'A manifest is a mapping that begins like this: apiVersion: v1.'
    case 'missing':
      return `The field ${problem.field} is missing. ${EXAMPLES[problem.field]}`
    case 'empty':
      return 'There is no manifest here.'
    case 'several':
      return 'You edit one object: remove the lines from “---” on.'
    case 'tooMany':
      return `There are ${problem.count} manifests here, and at most ${problem.most} are accepted at once.`
    case 'other':
      return `You edit ${problem.kind} ${problem.name}: ${problem.field} is ${problem.value} here, and must stay ${problem.mustBe || 'empty'}. Create another object to have both.`
  }
}

const EXAMPLES = {
  apiVersion: 'An example: apiVersion: apps/v1.',
  kind: 'An example: kind: Deployment.',
  'metadata.name': 'Write it below metadata.',
} as const

/** What YAML's parser refuses. */
const YAML_ZH: Readonly<Record<ErrorCode, string>> = {
  ALIAS_PROPS: '别名不能带有锚点或标签',
  BAD_ALIAS: '别名无效',
  BAD_COLLECTION_TYPE: '标签与其内容的类型不符',
  BAD_DIRECTIVE: '指令（%）无效',
  BAD_DQ_ESCAPE: '双引号文本中的转义序列无效',
  BAD_INDENT: '缩进有误，或缺少结尾的括号',
  BAD_PROP_ORDER: '锚点和标签必须位于其值之前',
  BAD_SCALAR_START: '不带引号的文本不能以此字符开头：请加引号',
  BLOCK_AS_IMPLICIT_KEY: '一行中不能嵌套映射：请换行并缩进，或为含冒号的文本加引号',
  BLOCK_IN_FLOW: '括号内不能使用缩进的列表或映射',
  DUPLICATE_KEY: '同一映射中有重复的键',
  IMPOSSIBLE: '无法读取',
  KEY_OVER_1024_CHARS: '键超过 1024 个字符',
  MISSING_CHAR: '缺少一个字符，例如引号、括号、冒号或“-”',
  MULTILINE_IMPLICIT_KEY: '键必须在一行之内：可能缺少冒号',
  MULTIPLE_ANCHORS: '一个值只能有一个锚点',
  MULTIPLE_DOCS: '有多个文档',
  MULTIPLE_TAGS: '一个值只能有一个标签',
  NON_STRING_KEY: '键必须是文本',
  RESOURCE_EXHAUSTION: '嵌套过深',
  TAB_AS_INDENT: '不能用制表符缩进：请使用空格',
  TAG_RESOLVE_FAILED: '无法读取标签',
  UNEXPECTED_TOKEN: '此处的内容不符合 YAML 语法',
}

/** In Chinese. */
export const manifestZh: Say = problem => {
  switch (problem.is) {
    case 'noYaml':
      return `第 ${problem.line} 行第 ${problem.column} 列不是 YAML：${YAML_ZH[problem.code] ?? problem.code}。`
    case 'repeatedKey':
      return `同一映射中键 ${problem.key} 出现两次：请移除其中一个。`
    case 'noMapping':
      return '清单是映射，开头如：apiVersion: v1。'
    case 'missing':
      return `缺少字段 ${problem.field}。${EXAMPLES_ZH[problem.field]}`
    case 'empty':
      return '此处没有清单。'
    case 'several':
      return '一次编辑一个对象：请移除“---”及其后的内容。'
    case 'tooMany':
      return `此处有 ${problem.count} 个清单，一次最多接受 ${problem.most} 个。`
    case 'other':
      return `正在编辑 ${problem.kind} ${problem.name}：${problem.field} 在此处为 ${problem.value}，必须保持${problem.mustBe ? ` ${problem.mustBe}` : '为空'}。若要另一个对象，请新建。`
  }
}

const EXAMPLES_ZH = {
  apiVersion: '例如：apiVersion: apps/v1。',
  kind: '例如：kind: Deployment。',
  'metadata.name': '请写在 metadata 之下。',
} as const

export const useManifestWords = ownWords({ en: manifestEn, zh: manifestZh })
