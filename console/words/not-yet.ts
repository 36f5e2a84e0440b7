import { ownWords } from './own-words.js'

/** Why a button cannot be used for now, and what to do first. */
const en = {
  fill: (fields: readonly string[]) => `Fill in first: ${fields.join(', ')}.`,
  oneOf: (fields: readonly string[]) => `Fill in one of these first: ${fields.join(', ')}.`,
  wrong: 'Correct the fields that are marked as wrong first.',
  choose: (what: string) => `Choose first: ${what}.`,
  check: 'Check it first: the server makes a dry run and writes nothing.',
  noChange: 'Change something first: the text equals the stored object.',
  reading: 'It is being read.',
  trying: 'Wait until the server has checked it with a dry run.',
  typeName: (name: string) => `First type ${name} above.`,
  noLines: 'No line is shown that could be downloaded.',
  full: 'The limit is reached: no more can be added.',
}

const zh: typeof en = {
  fill: fields => `请先填写：${fields.join('、')}。`,
  oneOf: fields => `请先填写其中一项：${fields.join('、')}。`,
  wrong: '请先更正标为错误的字段。',
  choose: what => `请先选择：${what}。`,
  check: '请先检查：服务器会试运行，不写入任何内容。',
  noChange: '请先修改：目前与已保存的内容没有差别。',
  reading: '正在读取。',
  trying: '请等待服务器试运行（不写入任何内容）并接受。',
  typeName: name => `请先在上方输入 ${name}。`,
  noLines: '没有可下载的日志行。',
  full: '不能再添加。',
}

export const useNotYetWords = ownWords({ en, zh })
