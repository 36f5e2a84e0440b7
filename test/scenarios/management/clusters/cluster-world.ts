import { afterAll, beforeAll } from 'vitest'
import { parse, stringify } from 'yaml'
import { type Member, startMember } from '../../../../playground/member/member.js'
import type { KubeApi } from '../../../../ports/kube-api.js'
import type { ClusterService } from '../../../../proto/gen/kairship/cluster_pb.js'
import { silent } from '../../../silent.js'
import { eventually } from '../../support/eventually.js'
import { type ManagedWorld, TYPES } from '../../support/managed-world.js'

const ROLES = { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'clusterroles' } as const
/** ClusterRoleBindings. */
export const BINDINGS = { ...ROLES, resource: 'clusterrolebindings' } as const
/** ServiceAccounts. */
export const ACCOUNTS = { group: '', version: 'v1', resource: 'serviceaccounts' } as const
/** The namespace of Karmada's access, on both sides. */
export const WITHIN = 'karmada-cluster'

/** The names of listed clusters. */
export const namesOf = ({ items }: { items: { metadata: { name: string } }[] }) =>
  items.map(({ metadata }) => metadata.name)

/** Calls of the Cluster service, and a cluster that has joined nothing. */
export class ClusterWorld {
  /** Runs while the tests of the file do. */
  fresh!: Member
  /** Text of an administrator's kubeconfig of the fresh cluster. */
  kubeconfig = ''

  constructor(readonly world: ManagedWorld<typeof ClusterService>) {
    beforeAll(async () => {
      this.fresh = await startMember({ name: 'fresh', log: silent })
      this.kubeconfig = await this.fresh.server.kubeconfig({ name: 'root', groups: ['system:masters'] })
    })
    afterAll(() => this.fresh?.close())
  }

  named(name: string) {
    return { instance: this.world.instance, name }
  }

  /** The kubeconfig of the fresh cluster with a change. */
  // biome-ignore lint/suspicious/noExplicitAny: tests change kubeconfigs freely
  changed(change: (document: any) => void): string {
    const document = parse(this.kubeconfig)
    change(document)
    return stringify(document)
  }

  join(name: string, more: object = {}) {
    return this.world.calls.overRest('joinCluster', {
      ...this.named(name),
      kubeconfig: this.kubeconfig,
      ...more,
    })
  }

  leave(name: string) {
    return this.world.calls.overRest('removeJoinedCluster', this.named(name))
  }

  /** A Secret of the control plane with credentials of members. */
  secret(name: string) {
    return this.world.find(this.world.control, TYPES.secrets, { namespace: WITHIN, name })
  }

  /** Waits until Karmada reaches a member. */
  running(name: string) {
    return eventually(`${name} runs`, async () => {
      const found = await this.world.calls.rest('getJoinedCluster', this.named(name))
      return found.status.phase === 'RUNNING' ? found : undefined
    })
  }

  /** What a join makes in a cluster, and is there. */
  async accessIn(api: KubeApi, name: string) {
    const role = `karmada-controller-manager:karmada-${name}`
    const { world } = this
    const found = {
      role: await world.find(api, ROLES, { name: role }),
      binding: await world.find(api, BINDINGS, { name: role }),
      account: await world.find(api, ACCOUNTS, { namespace: WITHIN, name: `karmada-${name}` }),
      namespace: await world.find(api, TYPES.namespaces, { name: WITHIN }),
    }
    return Object.keys(found).filter(key => found[key as keyof typeof found])
  }

  /** Lets the control plane fail requests; the returned function ends it. */
  failAt(method: string, path: RegExp, code: number, isDryRun = false): () => void {
    const { server } = this.world.world.playground.karmadas.get(this.world.instance)!
    return server.interrupt({
      kind: 'answer',
      matches: request =>
        request.method === method && path.test(request.path) && request.query.has('dryRun') === isDryRun,
      response: {
        code,
        body: {
          object: {
            ...{ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code },
            ...{ message: 'told to fail', reason: code === 403 ? 'Forbidden' : 'InternalError' },
          },
        },
      },
    })
  }
}
