import { quoted } from './quoting.js'
import type { Inner, Sentence } from './server-sentences.js'

/** Why a state machine of an instance moved, and what its conditions say where they hold: each sentence whole (machines/instance/history.ts, requirements.ts). */
export const WHOLE: Readonly<Record<string, string>> = {
  'the actor started': 'actor 已启动',
  'the Instance changed': 'Instance 已变更',
  'the Instance is gone': 'Instance 已不存在',
  'this replica leads now': '此副本成为 leader',
  'this replica does not lead any more': '此副本不再是 leader',
  'the kubeconfig was read and a connection made of it': '已读取 kubeconfig 并建立连接',
  'the control plane and its aggregated API answered the probe': '控制面及其聚合 API 应答了探测',
  'there is no connection to the control plane': '没有到控制面的连接',
  'what was written into the control plane was seen in the index': '写入控制面的内容已在索引中出现',
  'the control plane gave a token to impersonate callers with': '控制面签发了用于模拟调用者的令牌',
  'its control plane was compared with those of all other instances': '已将其控制面与所有其他实例的比较',
  'karmada-operator’s object changed': 'karmada-operator 的对象已变更',
  'the PediaCluster changed': 'PediaCluster 已变更',
  'the InstanceRegistration changed': 'InstanceRegistration 已变更',
  'the InstanceRoleBindings changed': 'InstanceRoleBinding 已变更',
  'the RBAC that Kairship made inside the control plane was changed': 'Kairship 在控制面内创建的 RBAC 被修改',
  'new statistics were gathered': '已收集新的统计',
  'a watch on the host is current again': '对宿主集群的 watch 已恢复为最新',
  'a timer started': '计时器已启动',
  'a timer ended': '计时器已结束',
  'the instance is under management': '实例由 Kairship 管理',
  'cluster.karmada.io is served': '已提供 cluster.karmada.io',
  'known to Global Management': '全局管理已登记',
  'published; Global Management has not answered': '已发布，全局管理尚未应答',
  'the control plane lets Kairship impersonate callers': '控制面允许 Kairship 模拟调用者',
  'statistics follow the control plane': '统计跟随控制面',
  'reads, writes and synchronization work': '读、写和同步均正常',
  'the Secret was not read yet': '尚未读取 Secret',
  'the control plane was not reached yet': '尚未连通控制面',
  'cluster.karmada.io was not probed yet': '尚未探测 cluster.karmada.io',
  'karmada-operator has not reported yet': 'karmada-operator 尚未报告',
  'Container Management has not reported yet': '容器管理尚未报告',
  'no caller has come yet': '还没有调用者',
  'not gathered yet': '尚未收集',
  'waiting for our finalizer': '等待 Kairship 的 finalizer',
  'being removed': '正在移除',
  'waiting for the control plane and for Global Management': '等待控制面和全局管理',
  'cleaning up': '正在清理',
  'neither kubeconfigSecretRef (adopt) nor install is set': '未设置 kubeconfigSecretRef（接管）或 install',
  'both kubeconfigSecretRef and install are set': '同时设置了 kubeconfigSecretRef 和 install',
  'the name contains a dot; it must be a DNS label': '名称含有点；必须是 DNS 标签',
}

/** What Kairship does for an instance (machines/instance/task.ts). */
export const TASKS: Readonly<Record<string, string>> = {
  'adding the finalizer': '添加 finalizer',
  'letting karmada-operator install the control plane': '由 karmada-operator 安装控制面',
  'making the virtual cluster as it should be': '使虚拟集群符合要求',
  'publishing the registration': '发布登记',
  'materializing the role bindings': '落实角色绑定',
  'writing the status': '写入状态',
  'withdrawing the registration': '撤回登记',
  'removing the role bindings': '移除角色绑定',
  'deleting the virtual cluster': '删除虚拟集群',
  'uninstalling the control plane': '卸载控制面',
  'removing the finalizer': '移除 finalizer',
}

/** What Kairship does for an instance, as a part of a pattern. */
const TASK = `(${Object.keys(TASKS).join('|')})`
const task = (text: string): string => TASKS[text] ?? text

const OBJECTS: Readonly<Record<string, string>> = {
  'the Karmada object': 'Karmada 对象',
  'the PediaCluster': 'PediaCluster',
  'the InstanceRegistration': 'InstanceRegistration',
}

/** Reasons of conditions that do not hold whose messages are Kairship's own (machines/instance/requirements.ts, facts.ts); with any other reason a server may have written the message. */
export const OWN_REASONS: ReadonlySet<string> = new Set([
  ...['InvalidSpec', 'DuplicateEndpoint', 'DuplicateControlPlane'],
  ...['Progressing', 'NotYetSynced', 'NotCreated', 'NotYetObserved', 'AwaitingFinalizer'],
  ...['Deleting', 'RemovalAbandoned'],
])

/** What an instance waits for or does, why it moved, and what its conditions say (machines/instance/). */
export const instanceSentences = (inner: Inner): readonly Sentence[] => [
  [
    new RegExp(`^${TASK} (succeeded|failed)$`),
    (what, how) => `${task(what)}${how === 'failed' ? '失败' : '成功'}`,
  ],
  [
    /^waits for (\w+): (\w+): (.+)$/,
    (name, reason, why) => `等待 ${name}：${reason}：${OWN_REASONS.has(reason) ? inner(why) : quoted(why)}`,
  ],
  [new RegExp(`^is ${TASK}$`), what => `正在${task(what)}`],
  [new RegExp(`^leaves ${TASK} to the replica that leads$`), what => `由 leader 副本${task(what)}`],
  [new RegExp(`^waits to see the result of ${TASK}$`), what => `等待看到结果：${task(what)}`],
  [
    new RegExp(`^tries ${TASK} again (soon|at (\\S+)), after (\\d+) failed (?:try|tries): (.+)$`),
    (what, _, at, attempts, why) =>
      `失败 ${attempts} 次后将${at ? `于 ${at} ` : '很快'}重试（${task(what)}）：${quoted(why)}`,
  ],
  [/^the kubeconfig leads to (\S+)$/, endpoint => `kubeconfig 指向 ${endpoint}`],
  [/^\/readyz answers ok, Kubernetes (\S+)$/, version => `/readyz 应答 ok，Kubernetes ${version}`],
  [/^(\d+) resource types are synced$/, count => `已同步 ${count} 种资源类型`],
  [/^(\d+) role bindings? in effect inside$/, count => `${count} 个角色绑定在控制面内生效`],
  [/^the name has (\d+) characters; at most 61 are allowed$/, count => `名称有 ${count} 个字符；最多 61 个`],
  [
    /^the kubeconfig of instance (\S+), which is older, leads to the same (endpoint|control plane \(same kube-system uid\)); delete one of the two$/,
    (name, what) =>
      `较早的实例 ${name} 的 kubeconfig 指向同一${what === 'endpoint' ? '端点' : '控制面（kube-system 的 uid 相同）'}；请删除其中一个`,
  ],
  [
    /^(the Karmada object|the PediaCluster|the InstanceRegistration) (was not observed yet|does not exist yet|is being deleted)$/,
    (what, how) =>
      how.startsWith('was')
        ? `尚未观察到 ${OBJECTS[what]}`
        : how.startsWith('does')
          ? `${OBJECTS[what]} 尚不存在`
          : `${OBJECTS[what]} 正在删除`,
  ],
  [
    /^(.+); how far behind is not measured: (.+)$/,
    (claimed, why) => `${inner(claimed)}；未测量落后多少：${quoted(why)}`,
  ],
  [
    /^RBAC objects labelled kairship\.io\/role-binding and the ConfigMap kairship-index-canary in kube-system were left inside: (.+)$/,
    why =>
      `带标签 kairship.io/role-binding 的 RBAC 对象和 kube-system 中的 ConfigMap kairship-index-canary 留在了实例内部：${quoted(why)}`,
  ],
  [
    /^(InstanceRegistration|PediaCluster|the Karmada object of) (\S+) was not deleted: (.+)$/,
    (kind, name, why) => `${kind.startsWith('the') ? 'Karmada 对象' : kind} ${name} 未删除：${quoted(why)}`,
  ],
  [new RegExp(`^${TASK}: (.+)$`), (what, why) => `${task(what)}：${quoted(why)}`],
  // The condition Ready says which other one does not hold.
  [
    /^(Accepted|Installed|CredentialsResolved|ControlPlaneHealthy|AggregatedAPIHealthy|VirtualClusterSynced|Registered): (.+)$/,
    (name, why) => `${name}：${inner(why)}`,
  ],
]
