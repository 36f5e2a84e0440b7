import type { JsonObject } from '@bufbuild/protobuf'
import { INSTANCES, type Instance } from '../../../manifests/instance.js'
import { PEDIA_CLUSTERS } from '../../../manifests/pedia-cluster.js'
import { toBase64 } from '../../../playground/client/kubeconfig.js'
import type { HttpMethod } from '../../../transcoding/binding.js'
import { eventually } from '../../scenarios/support/eventually.js'
import { brokenKubeconfigs, brokenManifests } from './broken.js'
import { idOf } from './calls.js'
import { applied, PLANTED } from './planted.js'
import type { Processes } from './processes.js'
import { operations, reads, requestTo, writes } from './requests.js'
import { newCanary, secretsIn } from './secret-values.js'

/** Operations that are not about Secrets get one of so many broken manifests. */
const MOST_KINDS = 16
const KUBECONFIGS = 'karmada-instances'

/** What goes wrong for callers of a Kairship whose clusters are full of secrets. */
export class Trouble {
  #wire: 'rest' | 'grpc' = 'rest'

  constructor(private readonly world: Processes) {}

  get #admin(): string {
    return this.world.scenario.playground.tokens.admin
  }

  /** Requests that are refused: of things that are not there, with secrets in the wrong place, and by who may not. */
  async refusals(): Promise<void> {
    const { calls, kept, scenario } = this.world
    const unknown = newCanary()
    kept.add(unknown, 'a token that nobody knows')
    for (const method of operations) {
      const { viewer } = scenario.playground.tokens
      const at = { ...this.world, name: 'absent' }
      await this.#call(method, requestTo(method, { ...at, namespace: 'absent' }))
      await this.#call(method, requestTo(method, { ...at, instance: 'absent' }))
      for (const token of [viewer, unknown, ''])
        await this.#call(method, requestTo(method, this.world), token)
    }
    await calls.http('unknown', 'GET', `/apis/kairship.io/v1alpha1/instances?token=${unknown}`, '')
    for (const method of writes) {
      if (!method.input.fields.some(({ name, fieldKind }) => name === 'data' && fieldKind === 'scalar'))
        continue
      for (const name of [PLANTED, 'absent'])
        for (const [index, data] of brokenManifests('Secret', name).entries()) {
          if (!method.name.endsWith('Secret') && index % MOST_KINDS !== writes.indexOf(method) % MOST_KINDS)
            continue
          for (const { value } of secretsIn(data, ''))
            kept.add(value, `a broken manifest sent to ${idOf(method)}`)
          await this.#call(method, { ...requestTo(method, { ...this.world, name }), data })
        }
    }
  }

  /** Secrets through the proxy, and what it refuses or the API servers behind it do. */
  async proxied(): Promise<void> {
    const { calls, instance, member, kept } = this.world
    const base = `/apis/kairship.io/v1alpha1/instances/${instance}/proxy`
    const inMember = `${base}/apis/cluster.karmada.io/v1alpha1/clusters/${member}/proxy`
    for (const at of [base, inMember]) {
      const path = `${at}/api/v1/namespaces/${PLANTED}/secrets`
      await calls.http('proxy', 'GET', path, this.#admin)
      await calls.http('proxy', 'GET', `${path}/${PLANTED}`, this.#admin)
      await calls.http('proxy', 'DELETE', `${path}/absent?dryRun=All`, this.#admin)
      for (const body of brokenManifests('Secret', 'sent')) {
        for (const { value } of secretsIn(body, '')) kept.add(value, 'a broken manifest sent to the proxy')
        await calls.http('proxy', 'POST', path, this.#admin, body)
        await calls.http('proxy', 'PUT', `${path}/${PLANTED}`, this.#admin, body)
      }
      const token = newCanary()
      kept.add(token, 'a token in a query')
      await calls.http('proxy', 'GET', `${path}?access_token=${token}`, this.#admin)
      await calls.http('proxy', 'PUT', `${path}/none?access_token=${token}`, this.#admin, '{}')
    }
  }

  /** Instances whose kubeconfigs cannot be used, and clusters that cannot join. */
  async broken(): Promise<void> {
    const { scenario, calls, kept, instance } = this.world
    const { host, karmadas } = scenario.playground
    const secrets = `/api/v1/namespaces/${KUBECONFIGS}/secrets`
    const join = operations.find(one => idOf(one) === 'Cluster_JoinCluster')!
    for (const [name, text] of brokenKubeconfigs(karmadas.get(instance)!.server.url)) {
      kept.add(text, `the kubeconfig ${name}`)
      await this.#call(join, { ...requestTo(join, this.world), name: `j-${name}`, kubeconfig: text })
      await applied(host.local, secrets, {
        ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name } },
        ...{ data: { kubeconfig: toBase64(text) } },
      } as never)
      await scenario.create(INSTANCES, {
        ...{ apiVersion: 'kairship.io/v1alpha1', kind: 'Instance', metadata: { name } },
        spec: { kubeconfigSecretRef: { namespace: KUBECONFIGS, name } },
      } as never)
      // A host's name is no secret: Container Management shows it as the server.
      if (name === 'server' || name === 'scheme') continue
      await scenario.create(PEDIA_CLUSTERS, {
        ...{
          apiVersion: 'cluster.clusterpedia.io/v1alpha2',
          kind: 'PediaCluster',
          metadata: { name: `c-${name}` },
        },
        spec: { kubeconfig: toBase64(text), syncResources: [] },
      } as never)
    }
    const ofInstances = reads.filter(
      one => one.parent.name === 'InstanceService' && one.methodKind === 'unary',
    )
    for (const name of brokenKubeconfigs('').keys()) {
      await eventually(`${name} has a condition that is not met`, async () => {
        const found = await scenario.find<Instance>(INSTANCES, name)
        return found?.status?.conditions?.some(({ status }) => status === 'False')
      })
      await this.#call(join, { ...requestTo(join, this.world), name: `c-${name}` })
      for (const method of ofInstances)
        await this.#call(method, requestTo(method, { ...this.world, instance: name, name }))
      const path = `/apis/kairship.io/v1alpha1/instances/${name}/proxy/api/v1/namespaces`
      await calls.http('proxy', 'GET', path, this.#admin)
    }
  }

  /** Reads while the control plane refuses connections, and while it answers with what is no answer. */
  async away(): Promise<void> {
    const { scenario, instance } = this.world
    const { server } = scenario.playground.karmadas.get(instance)!
    const body = { text: '<html>bad gateway</html>', contentType: 'text/html' }
    for (const fault of [
      { kind: 'refuseConnections' } as const,
      { kind: 'answer', matches: () => true, response: { code: 502, body } } as const,
      { kind: 'answer', matches: () => true, response: { code: 401, body } } as const,
    ]) {
      const mend = server.interrupt(fault)
      for (const method of reads) await this.#call(method, requestTo(method, this.world))
      mend()
    }
  }

  /** A call over one of the wires; the next one is over the other. */
  async #call(method: HttpMethod, request: JsonObject, token = this.#admin): Promise<void> {
    this.#wire = this.#wire === 'rest' ? 'grpc' : 'rest'
    await this.world.calls[this.#wire](method, request, token)
  }
}
