import { quoted } from './quoting.js'
import type { Inner, Sentence } from './server-sentences.js'

/** A text as JSON has it: what is within it cannot end it. */
const NAME = String.raw`"(?:[^"\\]|\\.)*"`

/** That a binding gives a role. What follows ends at a semicolon: an end that may be anywhere would be looked for in all ways there are. */
const GIVES = String.raw`the (?:Instance|Workspace)RoleBinding "[^";\n]+"(?: of the workspace \S+)? gives the role \w+ on [^;\n]+?`

/** `RoleBinding "a" gives User ann the Role "b"`. */
const GRANT = new RegExp(
  String.raw`^(\w+ ${NAME}) gives (\w+ \S+) the (\w+ ${NAME})(?: \(aggregated from (\w+ ${NAME})\))?, (.+)$`,
)

/** Parts of a sentence between semicolons, of which names may have some. */
const PARTS = /(?:"(?:[^"\\]|\\.)*"|[^";]|;(?! ))+/g

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

const UNASKED: Readonly<Record<string, string>> = {
  'no answer': '没有应答',
  'the right to be impersonated': '被模拟的权限',
  "the right to the member's proxy": '成员代理的权限',
}

/** `a, b and 3 others`. */
const names = (text: string): string => text.replaceAll(/ and (\d+) others/g, ' 等另外 $1 个')

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
  const [, found, instance] = /^the namespaces? (of nothing|.+?)(?: of (\S+))?$/.exec(text) ?? []
  if (!found) return `实例 ${text}`
  const listed = found === 'of nothing' ? '（无）' : ` ${names(found)}`
  return `${instance ? `实例 ${instance} 的` : ''}命名空间${listed}`
}

/** `the control plane`, `member m1`, `Kairship`. */
const server = (text: string): string =>
  text === 'the control plane' ? '控制面' : text.replace(/^member (\S+)$/, '成员 $1')

/** Why a server does not let somebody: its RBAC, a sentence for each binding. */
function rbac(text: string, inner: Inner): string {
  const parts = text.match(PARTS) ?? []
  const grants = parts.map(part => grant(part.trim()))
  // One sentence that is none of a binding is of the whole.
  if (grants.some(part => part === undefined)) return inner(text)
  return grants.join('；')
}

/** `pods, services of the core group`, `paths /healthz`. */
const objects = (text: string): string =>
  names(text)
    .replace(/^paths /, '路径 ')
    .replace(/^(.+) of (.+)$/, '$2 的 $1')
    .replaceAll('the core group', '核心组')

function grant(text: string): string | undefined {
  const [, by, who, role, from, rest] = GRANT.exec(text) ?? []
  if (by === undefined || rest === undefined) return undefined
  const miss = Object.hasOwn(MISSES, rest) ? MISSES[rest] : undefined
  const rule = /^whose rule is (.+) on (.+?)(?: named (.+))?$/.exec(rest)
  const [, verbs = '', what = '', named] = rule ?? []
  const given = rule
    ? `其规则为对 ${objects(what)}${named ? ` 中的 ${names(named)}` : ''} 执行 ${names(verbs)}`
    : quoted(rest)
  return `${by} 授予 ${who} ${role}${from ? `（聚合自 ${from}）` : ''}，${miss ?? given}`
}

/** What a review of access says (http/rpc/access-review/): who may what, why, and what helps. */
export const accessSentences = (inner: Inner): readonly Sentence[] => [
  // host-review.ts, explain.ts
  [
    /^(\S+) may (not )?(\S+) (.+?) on the host(?:: (.*))?\.$/,
    (who, not, verb, what, why) =>
      `${who} ${not ? '不能' : '可以'}在宿主集群上对 ${what} 执行 ${verb}${why ? `：${inner(why)}` : ''}。`,
  ],
  [
    /^(\S+) may (not |or may not )?(\S+) (.+?) in (?:member (\S+) of )?(\S+?)(?:: (.*))?\.$/,
    (who, not, verb, what, member, instance, why) =>
      `${who} ${not === undefined ? '可以' : not === 'not ' ? '不能' : '不确定能否'}在${member ? `成员 ${member}（实例 ${instance}）` : `实例 ${instance}`}中对 ${object(what)} 执行 ${verb}${why ? `：${inner(why)}` : ''}。`,
  ],
  // kairship-links.ts, not-in-effect.ts
  [
    /^no role binding of (\S+) names (\S+) or one of its groups$/,
    (instance, who) => `实例 ${instance} 没有指向 ${who} 或其所属组的角色绑定`,
  ],
  [
    /^Kairship (lets|does not let) (\S+) (\S+) (\S+) of (\S+?)(?:: (.*))?\.$/,
    (lets, who, verb, what, instance, why) =>
      `Kairship ${lets === 'lets' ? '允许' : '不允许'} ${who} 对 ${instance} 的 ${what} 执行 ${verb}${why ? `：${inner(why)}` : ''}。`,
  ],
  [
    new RegExp(
      `^(${GIVES}(?:; ${GIVES})*)(, which does not include this|, and not here|; other bindings give the same)?$`,
    ),
    (bindings, end) =>
      `${bindings.split('; ').map(binding).join('；')}${end === undefined ? '' : (ENDS[end] ?? end)}`,
  ],
  [
    /^(the \w+ "[^"]+"(?: of the workspace \S+)?) gives the role (\w+), and is not in effect inside: (?:(\S+) has no namespace (\S+)|(.+))$/,
    (by, role, instance, namespace, why) =>
      `${binding(`${by} gives the role ${role} on the whole instance`).replace('整个实例的', '')}，但在实例中尚未生效：${instance ? `${instance} 没有命名空间 ${namespace}` : quoted(why)}`,
  ],
  // server-links.ts, servers-on-the-way.ts: what follows names RBAC objects.
  [
    /^(the control plane|member \S+) (lets|does not let) (\S+) (\S+) (.+?)(?: \((.*?)\))?(?:: (.*))?$/,
    (of, lets, who, verb, what, because, why) =>
      `${server(of)}${lets === 'lets' ? '允许' : '不允许'} ${who} 对 ${object(what)} 执行 ${verb}${because ? `（${quoted(because)}）` : ''}${why ? `：${rbac(why, inner)}` : ''}`,
  ],
  [
    /^no binding there names (\S+) or one of its groups, but those that name all users$/,
    who => `除面向所有用户的绑定外，没有指向 ${who} 或其所属组的绑定`,
  ],
  [/^members of (\S+) may do everything$/, group => `${group} 的成员可以做任何事`],
  [
    /^(the control plane|member \S+) could not be asked: (.+)$/,
    (of, why) => `无法询问${server(of)}：${UNASKED[why] ?? inner(why)}`,
  ],
  [
    /^(the right to be impersonated|the right to the member's proxy) is (missing|unknown), so no request of (\S+) comes there$/,
    (right, state, who) =>
      `${UNASKED[right]}${state === 'missing' ? '缺失' : '未知'}，因此 ${who} 的请求无法到达`,
  ],
  [/^RBAC of the control plane could not be read$/, () => '无法读取控制面的 RBAC'],
  [
    /^member (\S+) refuses Karmada's proxy to act as (\S+): no ClusterRoleBinding to clusters\/proxy of the control plane names it; one that names its groups does not do$/,
    (member, who) =>
      `成员 ${member} 拒绝 Karmada 的代理以 ${who} 的身份操作：控制面中没有 ClusterRoleBinding 将 clusters/proxy 授予该用户；只指向其所属组的不够`,
  ],
  [
    /^member (\S+) takes requests of (\S+) from Karmada's proxy(?:, without the groups (.+), which no ClusterRoleBinding to clusters\/proxy of the control plane names)?$/,
    (member, who, groups) =>
      `成员 ${member} 接受 Karmada 的代理转发的 ${who} 的请求${groups ? `，但不含组 ${names(groups)}：控制面中没有 ClusterRoleBinding 将 clusters/proxy 授予它们` : ''}`,
  ],
  [
    /^(the control plane|member \S+) (denies what its RBAC includes: another authorizer denies it|allows what no binding of its RBAC includes: another authorizer allows it), or RBAC has just changed$/,
    (of, how) =>
      how.startsWith('denies')
        ? `${server(of)}拒绝了其 RBAC 包含的操作：另一授权方式拒绝，或 RBAC 刚刚变更`
        : `${server(of)}允许了其 RBAC 不包含的操作：另一授权方式允许，或 RBAC 刚刚变更`,
  ],
  [
    /^(.+) belongs to the workspace (\S+), in which no role binding names (\S+) or one of its groups(; other bindings give the same)?$/,
    (what, workspace, who, end) =>
      `${place(what)}属于工作空间 ${workspace}，其中没有指向 ${who} 或其所属组的角色绑定${end === undefined ? '' : (ENDS[end] ?? '')}`,
  ],
  [
    /^no role binding of (\S+) names (\S+) or one of its groups; other bindings give the same$/,
    (instance, who) => `实例 ${instance} 没有指向 ${who} 或其所属组的角色绑定；其他绑定已授予相同权限`,
  ],
  // Could not be read.
  [
    /^(RBAC of the control plane|RBAC of member (\S+), which is read as you|kinds of (\S+)|objects of (\S+)): (.+)$/,
    (what, member, kinds, objects, why) =>
      what.startsWith('objects of ') && why === 'not counted'
        ? `另有 ${(objects ?? '').replace(/ more kinds$/, '')} 个种类的对象未计数`
        : `${kinds ? `${kinds} 的种类` : objects ? `${objects} 的对象` : member ? `以你的身份读取的成员 ${member} 的 RBAC` : '控制面的 RBAC'}未读取：${quoted(why)}`,
  ],
  [/^objects of (\d+) more kinds: not counted$/, count => `另有 ${count} 个种类的对象未计数`],
]

/** What helps. */
export const accessFixes: readonly Sentence[] = [
  [
    /^ask those who lock and unlock access to delete the AccessLock (".+") on the host$/,
    lock => `请管理锁定的人在宿主集群上删除 AccessLock ${lock}`,
  ],
  [
    /^give (\S+) or one of its groups a ClusterRole on the host that includes this: no role on an instance does$/,
    who => `在宿主集群上为 ${who} 或其所属组授予包含此权限的 ClusterRole；实例上的角色都不包含`,
  ],
  [
    /^give (\S+) or one of its groups a role on (\S+) by an InstanceRoleBinding, or RBAC on the host for (\S+) of the group kairship\.io$/,
    (who, instance, what) =>
      `用 InstanceRoleBinding 为 ${who} 或其所属组授予实例 ${instance} 的角色，或在宿主集群上用 RBAC 授予 kairship.io 组的 ${what}`,
  ],
  [
    /^give (\S+) a role on (\S+) by an InstanceRoleBinding, which opens the proxy of its members too$/,
    (who, instance) =>
      `用 InstanceRoleBinding 为 ${who} 授予实例 ${instance} 的角色，这也会开放到其成员的代理`,
  ],
  [
    /^give (\S+) or one of its groups a role that includes it: by an InstanceRoleBinding, or by RBAC in the control plane$/,
    who => `用 InstanceRoleBinding，或在控制面用 RBAC，为 ${who} 或其所属组授予包含此权限的角色`,
  ],
  [
    /^give (\S+) or one of its groups RBAC in member (\S+); Karmada brings roles and bindings there by a policy$/,
    (who, member) =>
      `在成员 ${member} 中用 RBAC 为 ${who} 或其所属组授权；Karmada 可通过策略将角色和绑定分发到该成员`,
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
  [
    /^create the namespace (\S+) in (\S+): the role begins there a moment later$/,
    (namespace, instance) => `在 ${instance} 中创建命名空间 ${namespace}：角色随后在其中生效`,
  ],
  [
    /^mend what the binding’s condition Materialized says: it comes into effect by itself then$/,
    () => '按绑定的 Materialized 条件所述修复：之后会自动生效',
  ],
  [
    /^look at the other authorizers of (the control plane|member \S+): its RBAC would allow this\. Right after a change of RBAC, ask again$/,
    of => `请查看${server(of)}的其他授权方式：其 RBAC 本会允许。若 RBAC 刚刚变更，请再次查询`,
  ],
  [
    /^name the user (\S+) itself in an InstanceRoleBinding of the instance: Kairship then names it in such a ClusterRoleBinding$/,
    who =>
      `在该实例的 InstanceRoleBinding 中直接指定用户 ${who}：Kairship 会为其创建这样的 ClusterRoleBinding`,
  ],
]
