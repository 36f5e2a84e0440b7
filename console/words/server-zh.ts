import { accessFixes, accessSentences } from './explain-access-zh.js'
import { instanceSentences, OWN_REASONS, WHOLE } from './instance-zh.js'
import { PREVIEW_SENTENCES } from './preview-zh.js'
import { PLACEHOLDER, quoted, translatedParts } from './quoting.js'
import { meaningInChinese } from './reasons-zh.js'
import type { Sentence, Translate, Translation } from './server-sentences.js'
import { FIXES, TRACE_SENTENCES, traceInChinese } from './trace-zh.js'

/** What an answer leaves out or assumes. Names in it have no spaces; where one has, the sentence is shown as the server wrote it. */
const NOTES: readonly Sentence[] = [
  // http/rpc/access-review/who-am-i.ts
  [
    /^rights by RBAC on the host, and inside instances past Kairship, are not listed: .*$/,
    () => '未列出通过宿主集群 RBAC 以及绕过 Kairship 在实例内部获得的权限：可在实例的“访问控制”页逐项查询。',
  ],
  [/^the token is for the instance "(\S+)" alone$/, instance => `令牌仅适用于实例 ${instance}。`],
  [
    /^the host has not been heard for (\d+) s: roles do not count until it is$/,
    seconds => `已有 ${seconds} 秒未收到宿主集群的消息：恢复之前角色不生效。`,
  ],
  // access-subjects.ts, handlers.ts, preview.ts
  [
    /^members of groups are known to issuers and certificates alone; those of (\S+) may do everything and are not listed$/,
    group => `组的成员只有签发者和证书知道；${group} 的成员可以做任何事，未列出。`,
  ],
  [
    /^other authorizers than RBAC \(webhooks, nodes\) are not looked at$/,
    () => '未查看 RBAC 以外的授权方式（webhook、node）。',
  ],
  [
    /^a subject that passes Kairship by RBAC on the host, or by a group, is not marked so$/,
    () => '通过宿主集群 RBAC 或组而可通过 Kairship 的主体没有标出。',
  ],
  [
    /^no groups of (\S+) were given \(groups, or --groups\), and only its issuer knows them: what it may do by a group is not counted$/,
    who => `没有填写 ${who} 的组，而只有其签发者知道：未计入通过组获得的权限。`,
  ],
  [
    /^what users have by their groups is not counted: who is in which group is not known here$/,
    () => '未计入用户通过组获得的权限：此处不知道谁属于哪个组。',
  ],
  [
    /^members decide by their own RBAC; a role opens their proxy and gives nothing in them$/,
    () => '成员集群由自己的 RBAC 决定：角色只打开到成员的代理，不授予其中的权限。',
  ],
  // http/rpc/placement/rehearse.ts, karmada/explain/quota-limits.ts
  [
    /^Karmada evicts on NoExecute taints: (.+) and the feature gate Failover are on$/,
    flag => `假定 Karmada 会因 NoExecute 污点驱逐：${flag} 和特性门控 Failover 均已开启。`,
  ],
  [
    /^Templates leave their clusters one after the other, those of higher priority first, and the room of what moved is taken; nodes of clusters with resource models are counted as they are now$/,
    () => '模板按优先级从高到低依次离开集群，已迁移的占用目标容量；带资源模型的集群按当前节点计算。',
  ],
  [
    /^What templates need \(propagateDeps\) goes with them and is not listed$/,
    () => '模板的依赖（propagateDeps）随之迁移，未列出。',
  ],
  [
    /^(\d+) templates in these clusters were not looked at: (\d+) are in one answer$/,
    (left, most) => `这些集群中有 ${left} 个模板未计算：一次最多 ${most} 个。`,
  ],
  [
    /^ResourceQuotas of member clusters do not limit replicas: .*$/,
    () =>
      '成员集群的 ResourceQuota 不限制副本数：此命名空间的绑定表明特性门控 ResourceQuotaEstimate 已关闭。',
  ],
  [
    /^It is assumed that ResourceQuotas of member clusters limit replicas, .*$/,
    () =>
      '假定成员集群的 ResourceQuota 限制副本数：特性门控 ResourceQuotaEstimate 默认关闭，此处是否开启未知。',
  ],
  [
    /^It is assumed that FederatedResourceQuotas refuse what exceeds them, .*$/,
    () =>
      '假定 FederatedResourceQuota 会拒绝超额内容：特性门控 FederatedQuotaEnforcement 默认关闭，此处是否开启未知。',
  ],
]

/** A sentence within another. What is none of Kairship's is of another. */
const inner = (text: string): string => sentenceInChinese(text) ?? quoted(text)

const ALL = [
  ...NOTES,
  ...accessSentences(inner),
  ...accessFixes,
  ...PREVIEW_SENTENCES,
  ...instanceSentences(inner),
  ...TRACE_SENTENCES,
]

/** Characters of Kairship's longest sentence, roughly, with names of 253. A longer text is a member's, and patterns with two gaps take the square of its length. */
const LONGEST = 4_000

function sentenceInChinese(text: string): string | undefined {
  if (text === PLACEHOLDER) return text
  if (Object.hasOwn(WHOLE, text)) return WHOLE[text]
  if (Object.hasOwn(FIXES, text)) return FIXES[text]
  for (const [pattern, chinese] of ALL) {
    const found = pattern.exec(text)
    if (found) return chinese(...found.slice(1))
  }
  return traceInChinese(text, sentenceInChinese)
}

const sentence: Translate = (text, others = '') =>
  text.length - others.length > LONGEST ? undefined : translatedParts(text, others, sentenceInChinese)

/** What Kairship's server says, in Chinese; what Kubernetes, Karmada and people say stays as it is. */
export const chinese: Translation = {
  sentence,
  condition: ({ status, reason, message }) =>
    status === 'True' || OWN_REASONS.has(reason) ? sentence(message) : undefined,
  meaning: meaningInChinese,
}
