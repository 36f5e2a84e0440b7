import { expect, it } from 'vitest'
import { failureText } from '../../console/failures/failure-words.js'
import { AnswerTooLarge, KubeError, NotServed, UnknownOutcome } from '../../console/kube/kube-error.js'
import { failureOf } from '../../console/live/long-list.js'
import { SignInRefused } from '../../console/session/session.js'
import { chinese } from '../../console/words/server-zh.js'
import { zh } from '../../console/words/zh.js'

const problem = {
  ...zh.problem,
  translated: chinese.sentence,
  condition: chinese.condition,
  meaning: chinese.meaning,
}

it.each<[string, Error, string]>([
  [
    'of a kind that is not served',
    new NotServed('eu', 'Boat', 'a/v1'),
    '实例 eu 没有 a/v1 的 Boat。请检查名称，或安装其 CustomResourceDefinition。',
  ],
  [
    'of a version that is not served',
    new NotServed('eu', '', 'a/v1'),
    '实例 eu 没有 a/v1。请检查名称，或安装其 CustomResourceDefinition。',
  ],
  ['of an answer that is too large', new AnswerTooLarge(16, 200), '应答超过 16 MiB，页面无法显示。'],
  [
    'of a write without an answer',
    new UnknownOutcome('Failed to fetch'),
    '没有收到应答（Failed to fetch）。更改可能已生效：请先查看再重试。',
  ],
  [
    'of a server that does not answer',
    new TypeError('Failed to fetch'),
    'Kairship 未应答，或连接已中断（Failed to fetch）。请确认它正在运行且可以访问。',
  ],
  [
    'by an API server, also in words of ours',
    new KubeError('reads, writes and synchronization work', 409, 'Conflict'),
    '其间有人修改了该对象：请重新读取。服务器的原话：reads, writes and synchronization work',
  ],
  [
    'of one place of a list',
    failureOf({ message: 'too many', reason: 'ListTooLarge' } as never),
    '匹配的对象过多，无法在此排序：请缩小范围。服务器的原话：too many',
  ],
  ['to sign in', new SignInRefused('the code is over'), '服务器的原话：the code is over'],
  ['without a reason that is known', new KubeError('so it is', 418, 'Teapot'), '服务器的原话：so it is'],
])('a failure %s is shown in the user’s language, and a server’s words are marked', (_, error, text) => {
  expect(failureText(error, problem)).toBe(text)
})
