import { quoted } from './quoting.js'
import type { Sentence } from './server-sentences.js'

/** Whom a group of Kubernetes' own holds (manifests/wide-subjects.ts). */
const WIDE: Readonly<Record<string, string>> = {
  'everyone who can log in, now and later; inside the instance also each of its service accounts, that of Kairship which impersonates callers among them':
    '现在和以后所有可以登录的人；在实例内部还包括它的每个服务账号，其中也有 Kairship 用来模拟调用者的服务账号',
  'each service account of the host and, inside the instance, of the instance, that of Kairship which impersonates callers among them':
    '宿主集群的每个服务账号；在实例内部是实例的每个服务账号，其中也有 Kairship 用来模拟调用者的服务账号',
  'everyone without a credential: Kairship refuses them, but the control plane serves them where it allows anonymous requests':
    '没有凭据的所有人：Kairship 会拒绝他们，但允许匿名请求的控制面会为他们服务',
  'everyone who may do everything inside already: the role adds nothing but the way through Kairship':
    '在实例内部已可做任何事的所有人：角色只增加经过 Kairship 的途径',
}

const wide = (text: string): string =>
  (Object.hasOwn(WIDE, text) ? WIDE[text] : undefined) ??
  text.replace(
    /^each service account of the namespace (\S+), on the host and inside the instance: who may create Pods there has the role$/,
    '命名空间 $1 的每个服务账号，在宿主集群和实例内部：可在其中创建 Pod 的人即拥有该角色',
  )

/** `User ann gains 3 to read and 1 to write and loses 0 to read and 2 to write`. */
const CHANGE =
  /^(\w+ .+?) (keeps what it has|(?:gains (\d+) to read and (\d+) to write)?(?: and )?(?:loses (\d+) to read and (\d+) to write)?)$/

const change = (text: string): string =>
  text.replace(
    CHANGE,
    (_, who: string, what: string, reads?: string, writes?: string, noReads?: string, noWrites?: string) =>
      what.startsWith('keeps')
        ? `${who} 没有变化`
        : `${who} ${[
            reads !== undefined && `增加 ${reads} 个可读、${writes} 个可写`,
            noReads !== undefined && `减少 ${noReads} 个可读、${noWrites} 个可写`,
          ]
            .filter(Boolean)
            .join('，')}`,
  )

/** What previews, explanations of placements and rehearsals say (http/rpc/access-review/, http/rpc/placement/). */
export const PREVIEW_SENTENCES: readonly Sentence[] = [
  // role-binding-preview.ts, workspace-preview.ts
  [
    /^(?:(\S+): )?Of kinds in a namespace or in all, ([^;]+(?:; [^;]+)*?)(?:; (\d+) others likewise)?(?:; less in (.+?))?\.$/,
    (instance, changes, others, less) =>
      `${instance ? `${instance}：` : ''}按种类与命名空间计数：${changes.split('; ').map(change).join('；')}${others ? `；另有 ${others} 个主体相同` : ''}${less ? `；在 ${less} 中较少` : ''}。`,
  ],
  [
    /^Nothing changes: there is no Workspace (\S+) on the host, and the binding gives nothing until there is\.$/,
    workspace => `没有变化：宿主集群上没有 Workspace ${workspace}，在其出现之前绑定不授予任何权限。`,
  ],
  [
    /^Nothing changes: no instance and no namespace belongs to the workspace (\S+)\.$/,
    workspace => `没有变化：没有属于工作空间 ${workspace} 的实例或命名空间。`,
  ],
  [
    /^Rights change on (\d+) of (\d+) instances of the workspace (\S+) that were looked at(?:; (\d+) could not be read)?\.$/,
    (changed, all, workspace, unread) =>
      `工作空间 ${workspace} 中已查看的 ${all} 个实例里，${changed} 个的权限会变化${unread ? `；${unread} 个无法读取` : ''}。`,
  ],
  [
    /^(\d+) namespaces with rights of their own are left out$/,
    count => `未列出 ${count} 个有单独权限的命名空间`,
  ],
  [/^(\d+) subjects are left out$/, count => `未列出 ${count} 个主体`],
  [/^(\d+) instances are left out$/, count => `未列出 ${count} 个实例`],
  [/^(\d+) rows of kinds that change are left out$/, count => `未列出 ${count} 行变化的种类`],
  [
    /^the (group|user) (\S+) is (e.+)$/,
    (kind, name, who) => `${kind === 'group' ? '组' : '用户'} ${name} 是${wide(who)}`,
  ],
  [
    /^(\S+) has no namespace (.+?)(?: and (\d+) more)? yet: the role begins there when it is created$/,
    (instance, names, more) =>
      `${instance} 还没有命名空间 ${names}${more ? ` 等 ${more} 个` : ''}：创建后角色在其中生效。`,
  ],
  // placement.ts, preview.ts, quotas.ts
  [/^no cluster of this name is joined$/, () => '没有加入此名称的集群'],
  [
    /^Karmada asks the interpreter webhook (\S+) about each (\S+), which is not called here: Karmada’s own rules count its replicas instead\.$/,
    (webhook, kind) =>
      `Karmada 会为每个 ${kind} 询问解释器 webhook ${webhook}，此处不会调用：改用 Karmada 自身的规则计算副本数。`,
  ],
  [
    /^templates are counted by Karmada’s own rules: Kairship may not read (\S+): (.+)$/,
    (what, why) => `模板按 Karmada 自身的规则计算：Kairship 无权读取 ${what}：${quoted(why)}`,
  ],
  [
    /^ResourceInterpreterCustomization (\S+) is left out: it has a script of more than (\d+) characters$/,
    (name, most) => `未使用 ResourceInterpreterCustomization ${name}：其脚本超过 ${most} 个字符`,
  ],
  [
    /^(\d+) templates are left out: the manifests of all are more than (\d+) MiB\. Select fewer$/,
    (count, most) => `未列出 ${count} 个模板：全部清单超过 ${most} MiB。请减少选择`,
  ],
  [
    /^manifests are left out of templates that override policies may change which you may not read$/,
    () => '未列出部分模板的清单：可能更改它们的覆盖策略，你无权读取',
  ],
  [
    /^Quotas of namespace (\S+) are left out: the caller may not list its (.+)\.$/,
    (namespace, types) => `未计入命名空间 ${namespace} 的配额：调用者无权列出其中的 ${types}。`,
  ],
  [
    /^(A ResourceQuota|ResourceQuota (\S+)) of the cluster leaves room for (\d+) more (replicas|sets of its components): (\S+) of (\S+) (\S+) are used, and each requests (\S+)\. Without it there would be room for (\d+)\.$/,
    (_, name, room, what, used, hard, resource, each, without) =>
      `集群的 ResourceQuota${name ? ` ${name}` : ''} 还可容纳 ${room} ${what === 'replicas' ? '个副本' : '组组件'}：${resource} 已用 ${used}，共 ${hard}，每个请求 ${each}。若无此配额则可容纳 ${without}。`,
  ],
  // rehearse.ts
  [/^its scheduling is suspended: no other cluster is chosen$/, () => '调度已暂停：不会选择其他集群'],
  [
    /^the scheduler (\S+) decides where it goes, and may decide otherwise$/,
    scheduler => `由调度器 ${scheduler} 决定去向，结果可能不同`,
  ],
]
