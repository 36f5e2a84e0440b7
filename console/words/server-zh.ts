import { TASKS, WHOLE } from './instance-zh.js'
import type { Sentence } from './server-sentences.js'
import { TRACE_SENTENCES, traceInChinese } from './trace-zh.js'

/** What Kairship does for an instance, as a part of a pattern. */
const TASK = `(${Object.keys(TASKS).join('|')})`
const task = (text: string): string => TASKS[text] ?? text

/** That a binding gives a role. What follows ends at a semicolon: an end that may be anywhere would be looked for in all ways there are. */
const GIVES = String.raw`the (?:Instance|Workspace)RoleBinding "[^";\n]+"(?: of the workspace \S+)? gives the role \w+ on [^;\n]+?`

/** What a summary, a link's message or a note says. Names in it have no spaces; where one has, the sentence is shown as the server wrote it. */
const SENTENCES: readonly Sentence[] = [
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
  // host-review.ts, explain.ts
  [
    /^(\S+) may (not )?(\S+) (.+?) on the host(?:: (.*))?\.$/,
    (who, not, verb, what, why) =>
      `${who} ${not ? '不能' : '可以'}在宿主集群上对 ${what} 执行 ${verb}${why ? `：${why}` : ''}。`,
  ],
  [
    /^(\S+) may (not |or may not )?(\S+) (.+?) in (?:member (\S+) of )?(\S+?)(?:: (.*))?\.$/,
    (who, not, verb, what, member, instance, why) =>
      `${who} ${not === undefined ? '可以' : not === 'not ' ? '不能' : '不确定能否'}在${member ? `成员 ${member}（实例 ${instance}）` : `实例 ${instance}`}中对 ${object(what)} 执行 ${verb}${why ? `：${inner(why)}` : ''}。`,
  ],
  // kairship-links.ts
  [
    /^no role binding of (\S+) names (\S+) or one of its groups$/,
    (instance, who) => `实例 ${instance} 没有指向 ${who} 或其所属组的角色绑定`,
  ],
  [
    /^Kairship (lets|does not let) (\S+) (\S+) (\S+) of (\S+?)(?:: (.*))?\.$/,
    (lets, who, verb, what, instance, why) =>
      `Kairship ${lets === 'lets' ? '允许' : '不允许'} ${who} 对 ${instance} 的 ${what} 执行 ${verb}${why ? `：${why}` : ''}。`,
  ],
  [
    new RegExp(
      `^(${GIVES}(?:; ${GIVES})*)(, which does not include this|, and not here|; other bindings give the same)?$`,
    ),
    (bindings, end) =>
      `${bindings.split('; ').map(binding).join('；')}${end === undefined ? '' : (ENDS[end] ?? end)}`,
  ],
  // server-links.ts: what follows names RBAC objects.
  [
    /^(the control plane|member (\S+)) (lets|does not let) (\S+) (\S+) (.+?)(?: \((.*?)\))?(?:: (.*))?$/,
    (_, member, lets, who, verb, what, because, why = '') =>
      `${member ? `成员 ${member} ` : '控制面'}${lets === 'lets' ? '允许' : '不允许'} ${who} 对 ${object(what)} 执行 ${verb}${because ? `（${because}）` : ''}${why && `：${why.split('; ').map(inner).join('；')}`}`,
  ],
  [
    /^no binding there names (\S+) or one of its groups, but those that name all users$/,
    who => `除面向所有用户的绑定外，没有指向 ${who} 或其所属组的绑定`,
  ],
  [
    /^(\w+ "[^"]+") gives (\w+ \S+) the (\w+ "[^"]+")(?: \(aggregated from (.+?)\))?, (.+)$/,
    (rbac, who, role, from, rest) =>
      `${rbac} 授予 ${who} ${role}${from ? `（聚合自 ${from}）` : ''}，${(Object.hasOwn(MISSES, rest) ? MISSES[rest] : undefined) ?? rest.replace(/^whose rule is (.+) on (.+) of (.+?)(?: named (.+))?$/, '其规则为对 $3 的 $2 执行 $1')}`,
  ],
  [
    /^(.+) belongs to the workspace (\S+), in which no role binding names (\S+) or one of its groups$/,
    (what, workspace, who) =>
      `${place(what)}属于工作空间 ${workspace}，其中没有指向 ${who} 或其所属组的角色绑定`,
  ],
  // What helps.
  [
    /^give (\S+) or one of its groups a ClusterRole on the host that includes this: no role on an instance does$/,
    who => `在宿主集群上为 ${who} 或其所属组授予包含此权限的 ClusterRole；实例上的角色都不包含`,
  ],
  [
    /^give (\S+) or one of its groups the role (\w+) on (.+?)(, or on all of it,)? by an InstanceRoleBinding$/,
    (who, role, where, orAll) =>
      `用 InstanceRoleBinding 为 ${who} 或其所属组授予${place(where)}的角色 ${role}${orAll ? '，或整个实例的' : ''}`,
  ],
  [
    /^give (\S+) or one of its groups the role (\w+) in the workspace (\S+), and so on all that belongs to it, by a WorkspaceRoleBinding; or on (.+) alone by an InstanceRoleBinding$/,
    (who, role, workspace, where) =>
      `用 WorkspaceRoleBinding 为 ${who} 或其所属组授予工作空间 ${workspace}（及其全部内容）的角色 ${role}；或用 InstanceRoleBinding 仅授予${place(where)}的`,
  ],
  [
    /^no role of Kairship includes (.+): give it by RBAC (on the host|in the control plane)$/,
    (what, where) =>
      `Kairship 的角色均不包含${what === 'this' ? '此权限' : ` ${what}`}：请在${where === 'on the host' ? '宿主集群' : '控制面'}用 RBAC 授予`,
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
  [
    /^(\S+) has no namespace (.+) yet: the role begins there when it is created$/,
    (instance, names) => `${instance} 还没有命名空间 ${names}：创建后角色在其中生效。`,
  ],
  // machines/instance/history.ts, pending.ts and requirements.ts
  [
    new RegExp(`^${TASK} (succeeded|failed)$`),
    (what, how) => `${task(what)}${how === 'failed' ? '失败' : '成功'}`,
  ],
  [/^waits for (\w+): (\w+): (.+)$/, (name, reason, why) => `等待 ${name}：${reason}：${inner(why)}`],
  [new RegExp(`^is ${TASK}$`), what => `正在${task(what)}`],
  [new RegExp(`^leaves ${TASK} to the replica that leads$`), what => `由 leader 副本${task(what)}`],
  [new RegExp(`^waits to see the result of ${TASK}$`), what => `等待看到结果：${task(what)}`],
  [
    new RegExp(`^tries ${TASK} again (soon|at (\\S+)), after (\\d+) failed (?:try|tries): (.+)$`),
    (what, _, at, attempts, why) =>
      `失败 ${attempts} 次后将${at ? `于 ${at} ` : '很快'}重试（${task(what)}）：${inner(why)}`,
  ],
  [/^the kubeconfig leads to (\S+)$/, endpoint => `kubeconfig 指向 ${endpoint}`],
  [/^\/readyz answers ok, Kubernetes (\S+)$/, version => `/readyz 应答 ok，Kubernetes ${version}`],
  [/^(\d+) resource types are synced$/, count => `已同步 ${count} 种资源类型`],
  [/^(\d+) role bindings? in effect inside$/, count => `${count} 个角色绑定在控制面内生效`],
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

const ENDS: Readonly<Record<string, string>> = {
  ', which does not include this': '，不包含此权限',
  ', and not here': '，不含此处',
  '; other bindings give the same': '；其他绑定已授予相同权限',
}

const MISSES: Readonly<Record<string, string>> = {
  'which does not exist': '而该角色不存在',
  'which has these objects without this verb': '其中有这些对象，但不含此动作',
  'which has this only for objects of other names': '其中仅限其他名称的对象',
  'which does not have these objects': '其中不含这些对象',
}

/** `deployments.apps "web" in the namespace shop`. */
const object = (text: string): string =>
  text.replace(/^(.+) (?:of|in) the namespace (\S+)$/, '命名空间 $2 的 $1')

/** `the InstanceRoleBinding "a" gives the role Viewer on the whole instance`. */
const binding = (text: string): string =>
  text.replace(
    /^the (\w+) "([^"]+)"(?: of the workspace (\S+))? gives the role (\w+) on (.+)$/,
    (_, kind: string, name: string, workspace: string | undefined, role: string, where: string) =>
      `${kind} “${name}”${workspace ? `（工作空间 ${workspace}）` : ''}授予${place(where)}的角色 ${role}`,
  )

/** `all of eu`, `the namespace shop of eu`, `the whole instance`, `the namespaces a, b`, `eu`. */
function place(text: string): string {
  if (text === 'the whole instance') return '整个实例'
  const [, whole] = /^all of (\S+)$/.exec(text) ?? []
  if (whole) return `整个实例 ${whole}`
  const [, names, instance] = /^the namespaces? (.+?)(?: of (\S+))?$/.exec(text) ?? []
  return names ? `${instance ? `实例 ${instance} 的` : ''}命名空间 ${names}` : `实例 ${text}`
}

const ALL = [...SENTENCES, ...TRACE_SENTENCES]

/** Characters of Kairship's longest sentence, roughly, with names of 253. A longer text is a member's, and patterns with two gaps take the square of its length. */
const LONGEST = 4_000

const inner = (text: string): string => chineseOf(text) ?? text

function sentenceInChinese(text: string): string | undefined {
  if (Object.hasOwn(WHOLE, text)) return WHOLE[text]
  for (const [pattern, chinese] of ALL) {
    const found = pattern.exec(text)
    if (found) return chinese(...found.slice(1))
  }
  return undefined
}

/** A sentence of Kairship's server in Chinese; undefined for others, such as those of Kubernetes and Karmada. */
export const chineseOf = (text: string): string | undefined =>
  text.length > LONGEST ? undefined : (sentenceInChinese(text) ?? traceInChinese(text, sentenceInChinese))
