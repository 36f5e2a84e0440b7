import { PLACEHOLDER, quoted } from './quoting.js'
import type { Sentence } from './server-sentences.js'

const STEPS: Readonly<Record<string, string>> = {
  Template: '模板',
  Policy: '策略',
  Binding: '绑定',
  Scheduling: '调度',
  Work: 'Work',
  Member: '成员',
}

/** `Deployment shop/web`: an object as the trace names it. */
const OBJECT = String.raw`(\w+ \S+)`
const pattern = (text: string): RegExp => new RegExp(`^${text.replaceAll('OBJECT', OBJECT)}$`)

/** ` No cluster nroth is joined, which the policy names.`, with which a sentence on scheduling may end. */
const missing = (text = ''): string =>
  text.replace(
    /^ No clusters? (.+) (?:is|are) joined, which the policy names\.$/,
    '策略指定的集群 $1 尚未加入。',
  )

/** `2 of 3 replicas are available`. */
const counted = (text = ''): string =>
  text.replace(/^(\d+) of (\d+) replicas are available$/, '$1/$2 个副本可用')

/** Why a policy that is nearly right does not select a template (karmada/explain/near-miss.ts). */
const because = (text: string): string =>
  text
    .replace(/^is in namespace (\S+)$/, '在命名空间 $1 中')
    .replace(/^selects apiVersion (\S+), not (\S+)$/, '选择的 apiVersion 是 $1，而不是 $2')
    .replace(/^selects namespace (\S+)$/, '选择的命名空间是 $1')
    .replace(/^selects the name (\S+)$/, '选择的名称是 $1')
    .replace(/^selects by labels that the template does not have$/, '按标签选择，而模板没有这些标签')

/** What a trace says, and what helps (karmada/explain/). The words of Karmada and of members within it stay as they are. */
export const TRACE_SENTENCES: readonly Sentence[] = [
  [
    pattern('OBJECT runs as wanted in (\\d+) clusters?\\.'),
    (what, count) => `${what} 已按预期在 ${count} 个集群中运行。`,
  ],
  // A template, a policy, a binding and its scheduling.
  [pattern('The control plane has no OBJECT\\.'), what => `控制面中没有 ${what}。`],
  [pattern('OBJECT is in the control plane\\.'), what => `${what} 在控制面中。`],
  [
    pattern('OBJECT is being deleted, and its members’ objects with it\\.'),
    what => `${what} 正在删除，成员中的对象会一并删除。`,
  ],
  [
    /^Karmada propagates no (\w+) of this namespace: it is its own, or claimed by something other than policies\.$/,
    kind => `Karmada 不分发此命名空间的 ${kind}：它属于 Karmada 自身，或被策略以外的对象占用。`,
  ],
  [pattern('OBJECT holds it\\.'), policy => `由 ${policy} 管理。`],
  [pattern('OBJECT holds it, and is being deleted\\.'), policy => `由 ${policy} 管理，而该策略正在删除。`],
  [
    pattern('OBJECT holds it, but no longer selects it: Karmada lets it go\\.'),
    policy => `由 ${policy} 管理，但它不再选中此对象：Karmada 将放弃管理。`,
  ],
  [
    pattern('OBJECT selects it, and Karmada has not put it in effect yet\\.'),
    policy => `${policy} 选中了它，Karmada 尚未使其生效。`,
  ],
  [
    pattern('OBJECT selects it, but waits for the override policies that it depends on: (.+)\\.'),
    (policy, names) => `${policy} 选中了它，但在等待它依赖的覆盖策略：${names}。`,
  ],
  [
    pattern(
      'It is claimed by OBJECT, which is gone; what was propagated stays until another policy claims it\\.',
    ),
    policy => `它由 ${policy} 占用，而该策略已不存在；已分发的内容会保留，直到另一策略占用它。`,
  ],
  [
    /^(?:No PropagationPolicy of namespace (\S+) and no|No) ClusterPropagationPolicy selects it\.(?: (\w+ \S+) (.+)\.)?$/,
    (namespace, near, text) =>
      `${namespace ? `命名空间 ${namespace} 的 PropagationPolicy 和` : ''} ClusterPropagationPolicy 都没有选中它。${near ? `${near} ${because(text ?? '')}。` : ''}`.trim(),
  ],
  [pattern('Karmada has not made OBJECT yet\\.'), what => `Karmada 尚未创建 ${what}。`],
  [pattern('OBJECT says what is to be propagated\\.'), what => `${what} 说明要分发的内容。`],
  [
    pattern('OBJECT belongs to an earlier object of this name, and goes with it\\.'),
    what => `${what} 属于此前的同名对象，会随其一起删除。`,
  ],
  [pattern('OBJECT is being deleted\\.'), what => `${what} 正在删除。`],
  [
    pattern('OBJECT belongs to a (\\w+) of (\\S+): kinds of one name share the name of their bindings\\.'),
    (what, kind, apiVersion) => `${what} 属于 ${apiVersion} 的 ${kind}：同名的种类共用绑定的名称。`,
  ],
  [/^(\S+) has not chosen clusters yet\.$/, scheduler => `${scheduler} 尚未选择集群。`],
  [/^(\S+) has not looked at the last change yet\.$/, scheduler => `${scheduler} 尚未处理最近的变更。`],
  [/^It was scheduled, and no cluster runs any of it\.$/, () => '已调度，但没有集群运行它。'],
  [/^Scheduling is suspended\.$/, () => '调度已暂停。'],
  [/^It goes to (.+?)\.( No clusters? .+)?$/, (clusters, none) => `将分发到 ${clusters}。${missing(none)}`],
  [/^It goes where (.+) goes, which has no clusters yet\.$/, owners => `跟随 ${owners}，而它还没有集群。`],
  [/^No policy places it, and no workload needs it\.$/, () => '没有策略放置它，也没有工作负载需要它。'],
  // Karmada's message comes first.
  [
    new RegExp(
      `^${PLACEHOLDER} Now (\\w+) refuses (\\d+) of (\\d+) clusters?((?:, \\w+ \\d+)*)\\.( No clusters? .+)?$`,
    ),
    (filter, refused, of, others, none) =>
      `${PLACEHOLDER} 目前 ${filter} 拒绝 ${of} 个集群中的 ${refused} 个${others.replaceAll(/, (\w+) (\d+)/g, '，$1 拒绝 $2 个')}。${missing(none)}`,
  ],
  [new RegExp(`^${PLACEHOLDER}( No clusters? .+)$`), none => `${PLACEHOLDER} ${missing(none)}`],
  [
    new RegExp(
      `^${PLACEHOLDER} Which filters refuse which clusters is unknown: it takes the right to list clusters\\.cluster\\.karmada\\.io, which the caller lacks\\.$`,
    ),
    () =>
      `${PLACEHOLDER} 不知道哪些过滤器拒绝了哪些集群：需要列出 clusters.cluster.karmada.io 的权限，而调用者没有。`,
  ],
  [/^It goes where (.+) goes: (.+)\.$/, (owners, clusters) => `跟随 ${owners}：${clusters}。`],
  [/^There is no template that a policy could select\.$/, () => '没有策略可选择的模板。'],
  [/^There is no template to bind\.$/, () => '没有可绑定的模板。'],
  [/^There is no binding to schedule\.$/, () => '没有可调度的绑定。'],
  // The Work of a cluster, and the object there.
  [/^Karmada applied it to the cluster\.$/, () => 'Karmada 已将其应用到集群。'],
  [/^Karmada has not applied it to the cluster yet\.$/, () => 'Karmada 尚未将其应用到集群。'],
  [/^Cluster (\S+) is not joined any more\.$/, cluster => `集群 ${cluster} 已不再加入。`],
  [
    /^Cluster (\S+) is not ready: (.+?)\.( It had the object when it was last reached\.)?$/,
    (cluster, why, had) =>
      `集群 ${cluster} 未就绪：${why === 'it has not reported yet' ? '尚未报告' : quoted(why)}。${had ? '上次可达时，对象在集群中。' : ''}`,
  ],
  [/^Dispatching is suspended: the cluster keeps what it has\.$/, () => '分发已暂停：集群保留现有内容。'],
  [
    /^An override policy cannot be applied: (.+?)\.( The cluster keeps what it had before\.)?$/,
    (why, keeps) => `覆盖策略无法应用：${quoted(why)}。${keeps ? '集群保留此前的内容。' : ''}`,
  ],
  [/^The member was not asked\.$/, () => '未询问该成员。'],
  [/^The member could not be asked: (.+)$/, why => `无法询问该成员：${quoted(why)}`],
  [
    pattern('Karmada applied it, and the cluster has no OBJECT now: it was deleted there\\.'),
    what => `Karmada 已应用，但集群中现在没有 ${what}：已在集群中被删除。`,
  ],
  [pattern('OBJECT is being deleted in the cluster\\.'), what => `${what} 正在集群中删除。`],
  [
    pattern('The cluster’s OBJECT is not the one that Karmada made: it lacks the label (\\S+)\\.'),
    (what, label) => `集群中的 ${what} 不是 Karmada 创建的：缺少标签 ${label}。`,
  ],
  [
    pattern('OBJECT is there and not healthy(?:: (.+))?\\.'),
    (what, count) => `${what} 已存在，但不健康${count ? `：${counted(count)}` : ''}。`,
  ],
  [
    pattern('OBJECT is there(?:: (.+))?\\.'),
    (what, count) => `${what} 已存在${count ? `：${counted(count)}` : ''}。`,
  ],
  // What helps.
  [
    /^See who removes the label there; Karmada leaves objects without it alone\.$/,
    () => '查看是谁在集群中删除了该标签；Karmada 不处理没有该标签的对象。',
  ],
  [
    /^Correct the override policy; Karmada (makes no|does not change the) Work for the cluster until it can be applied\.$/,
    how =>
      `更正覆盖策略；在其可以应用之前，Karmada ${how === 'makes no' ? '不会为该集群创建' : '不会更改该集群的'} Work。`,
  ],
  [/^Rename one of the two objects\.$/, () => '重命名两个对象之一。'],
  [
    /^Create them, or take them out of spec\.dependentOverrides\.$/,
    () => '创建这些覆盖策略，或从 spec.dependentOverrides 中移除。',
  ],
  [
    /^See whether the scheduler (\S+) runs: the policy names it\.$/,
    scheduler => `请确认策略指定的调度器 ${scheduler} 是否在运行。`,
  ],
  [
    /^See whether the template wants replicas, and whether its clusters were removed or drained\.$/,
    () => '请确认模板需要副本，以及其集群是否已被移除或驱逐。',
  ],
  [
    /^The member has an object of this name that Karmada did not make: set conflictResolution: Overwrite in the policy to take it over, or delete it there\.$/,
    () =>
      '成员中有同名对象，且不是 Karmada 创建的：在策略中设置 conflictResolution: Overwrite 以接管，或在成员中删除它。',
  ],
  [
    /^The member does not serve this type: install its definition there\.$/,
    () => '该成员不提供此类型：请在成员中安装其定义。',
  ],
  [
    /^The member’s API server refuses Karmada: see its admission rules, quotas and Karmada’s rights\.$/,
    () => '成员的 API 服务器拒绝了 Karmada：请查看其准入规则、配额和 Karmada 的权限。',
  ],
  [
    /^The namespace is missing in the member: let Karmada propagate it, or create it there\.$/,
    () => '成员中缺少该命名空间：请让 Karmada 分发它，或在成员中创建。',
  ],
  [/^Join it again, or change the placement\.$/, () => '重新加入该集群，或修改放置规则。'],
  [
    /^See the conditions of the Cluster, and whether its API server can be reached from the control plane\.$/,
    () => '查看该 Cluster 的状况，并确认控制面能否访问其 API 服务器。',
  ],
  [/^See its pods and their events in the cluster\.$/, () => '查看集群中它的 Pod 及事件。'],
  [
    /^Karmada makes it again when it notices; change the template if it does not\.$/,
    () => 'Karmada 发现后会重新创建；若没有，请修改模板。',
  ],
  [
    /^If this lasts longer than a few seconds, see whether (\S+) runs\.$/,
    program => `若持续超过数秒，请确认 ${program} 是否在运行。`,
  ],
  [/^Clear spec\.suspension\.scheduling of the binding\.$/, () => '清除绑定的 spec.suspension.scheduling。'],
  [
    /^Clear suspension\.dispatching of the policy, or the cluster in dispatchingOnClusters\.$/,
    () => '清除策略的 suspension.dispatching，或 dispatchingOnClusters 中的该集群。',
  ],
  [
    /^Create one with a resource selector \{(.+)\}\.$/,
    selector => `创建一个策略，其资源选择器为 {${selector}}。`,
  ],
  [/^Create a policy that selects it, or delete the template\.$/, () => '创建选中它的策略，或删除模板。'],
  [
    /^Apply it to the instance\. An object that only a member has can be promoted\.$/,
    () => '将其应用到该实例。仅存在于成员中的对象可以提升。',
  ],
  [
    /^Correct the name in its resource selector, or add a selector\.$/,
    () => '更正其资源选择器中的名称，或添加选择器。',
  ],
  [/^Label the template, or correct the label selector\.$/, () => '为模板添加标签，或更正标签选择器。'],
  [
    /^Correct the (apiVersion|namespace) of its resource selector\.$/,
    field => `更正其资源选择器的 ${field}。`,
  ],
  [
    /^A PropagationPolicy selects objects of its own namespace: create it there, or use a ClusterPropagationPolicy\.$/,
    () =>
      'PropagationPolicy 只选择自身命名空间的对象：请在该命名空间中创建，或使用 ClusterPropagationPolicy。',
  ],
  [
    /^Correct the template or its overrides as the member’s API server says\.$/,
    () => '按成员 API 服务器的提示更正模板或其覆盖策略。',
  ],
]

/** What helps, whole (karmada/explain/). */
export const FIXES: Readonly<Record<string, string>> = {
  'Correct the policy as the message says, or have it traced by a caller who may list clusters.cluster.karmada.io.':
    '按提示更正策略，或由可列出 clusters.cluster.karmada.io 的调用者跟踪。',
  'Its activationPreference is Lazy: change the template to put it in effect.':
    '其 activationPreference 为 Lazy：修改模板即可使其生效。',
  'Join a member cluster to the instance.': '请将一个成员集群加入该实例。',
  'Ask for fewer replicas or less CPU and memory, add room to the clusters, or allow more clusters in the policy.':
    '减少副本数或 CPU 和内存请求，为集群增加容量，或在策略中允许更多集群。',
  'Ask for fewer replicas or less CPU and memory, or raise the FederatedResourceQuota that the message names.':
    '减少副本数或 CPU 和内存请求，或提高提示中的 FederatedResourceQuota。',
  'Correct the cluster names of the policy, or join the clusters.': '更正策略中的集群名称，或加入这些集群。',
  'Correct the placement of the policy as the message says.': '按提示更正策略的放置规则。',
  'Install the resource’s definition in the members, or correct its apiVersion.':
    '在成员中安装该资源的定义，或更正其 apiVersion。',
  'Correct the cluster affinity of the policy, or the names, labels and fields of the clusters.':
    '更正策略的集群亲和性，或集群的名称、标签和字段。',
  'Wait until the eviction is over, or remove the taint that causes it.':
    '等待驱逐结束，或移除引起驱逐的污点。',
  'Set provider, region or zones of the clusters, or take the constraint out of the policy.':
    '设置集群的 provider、region 或 zones，或从策略中移除该约束。',
  'Add a toleration to the policy, or remove the taint from the clusters.':
    '在策略中添加容忍，或移除集群的污点。',
  'Let the policy take the clusters where the other workloads of the affinity group are, or move those.':
    '让策略选择亲和组其他工作负载所在的集群，或移动那些工作负载。',
  'Let the policy take clusters without other workloads of the anti-affinity group, or join more clusters.':
    '让策略选择没有反亲和组其他工作负载的集群，或加入更多集群。',
  'Use another namespace; kube-*, karmada-* and Karmada’s own types stay in the control plane.':
    '请使用其他命名空间；kube-*、karmada-* 和 Karmada 自身的类型只保留在控制面中。',
}

/**
 * `Work in cluster eu: Karmada has not made … yet.`: the step at which it stops, and what is said of it.
 * @param inner translates one sentence
 */
export function traceInChinese(
  text: string,
  inner: (text: string) => string | undefined,
): string | undefined {
  const [, step, cluster, message] =
    /^(Template|Policy|Binding|Scheduling|Work|Member)(?: in cluster (\S+))?: (.+)$/.exec(text) ?? []
  if (step === undefined || message === undefined) return undefined
  const chinese = inner(message)
  return chinese && `${STEPS[step] ?? step}${cluster ? `（集群 ${cluster}）` : ''}：${chinese}`
}
