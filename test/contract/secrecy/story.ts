import type { JsonObject } from '@bufbuild/protobuf'
import { toBase64 } from '../../../playground/client/kubeconfig.js'
import type { Contract } from '../../proto/sample.js'
import { eventually } from '../../scenarios/support/eventually.js'
import { outcomeOfRest } from '../../scenarios/support/outcome.js'
import { requestOf } from '../requests.js'
import { idOf as contractId } from '../scenario.js'
import { services } from '../services/index.js'
import { directly } from '../target.js'
import { contractWorld } from '../world.js'
import { idOf } from './calls.js'
import { IN_MEMBER } from './planted.js'
import type { Processes } from './processes.js'
import { moreOf, operations, reads, requestTo } from './requests.js'
import { newCanary } from './secret-values.js'

const PATIENCE_MS = 20_000

/** What callers do with a Kairship whose clusters are full of secrets, where all goes well. */
export class Story {
  constructor(private readonly world: Processes) {}

  get #admin(): string {
    return this.world.scenario.playground.tokens.admin
  }

  /** All scenarios of the contract, over REST. */
  async contract(contract: Contract, kubeconfig: string): Promise<void> {
    const { scenario, calls, instance, member } = this.world
    const { playground } = scenario
    const target = {
      ...{ instance, member, kubeconfig, prefix: 'run', patienceMs: PATIENCE_MS },
      karmada: directly(playground.karmadas.get(instance)!.server.local),
      inMember: directly(playground.members.get(member)!.server.local),
      host: directly(playground.host.local),
      close: async () => undefined,
    }
    const { run } = contractWorld(contract, target, {
      call: async (_, operation, defaults, given) => {
        const { url, init } = requestOf(operation, defaults, given)
        const id = contractId(operation)
        const { status, text } = await calls.http(id, init.method, url, this.#admin, init.body)
        return { status, ...outcomeOfRest(status, text) }
      },
      empty: () => undefined,
      close: async () => undefined,
    })
    for (const { service, scenarios } of services) for (const one of scenarios) await run(service, one)
  }

  /** Every operation that reads, over both wires, about what holds secrets. */
  async reads(): Promise<void> {
    const { calls } = this.world
    for (const method of reads)
      for (const request of moreOf(method, this.world))
        for (const wire of ['rest', 'grpc'] as const) await calls[wire](method, request, this.#admin)
  }

  /** The operations that write beyond the contract. */
  async writes(): Promise<void> {
    const { calls } = this.world
    const ask = async (id: string, more: JsonObject = {}) => {
      const method = operations.find(one => idOf(one) === id)!
      const { ok, text } = await calls.rest(
        method,
        { ...requestTo(method, this.world), ...more },
        this.#admin,
      )
      if (!ok) throw new Error(`${id}: ${text}`)
      return JSON.parse(text)
    }
    const crew = JSON.stringify({ spec: { crew: 3 } })
    await ask('Apiextensions_PatchClusterCustomResource', { resource: 'harbors', data: crew })
    const note = JSON.stringify({ metadata: { annotations: { note: 'x' } } })
    await ask('Apiextensions_PatchCustomResourceDefinition', { data: note })
    for (const word of ['Cordon', 'Uncordon']) await ask(`Cluster_${word}JoinedCluster`)
    await ask('Apps_PromoteMemberClusterDeployment', { name: IN_MEMBER })
    await ask('Instance_CreateInstanceScopedKubeConfig', {
      role: 'INSTANCE_ROLE_EDITOR',
      expirationSeconds: 3600,
    })
    await ask('Instance_CreateInstanceToken', { expirationSeconds: 600 })
    await this.#writeSecret(ask)
    const revisionsOf = async (id: string) => (await ask(id)).items as readonly { id: string }[]
    for (const [service, kind] of [
      ['Apps', 'Deployment'],
      ['Workload', 'StatefulSet'],
      ['Workload', 'DaemonSet'],
    ]) {
      const template = { metadata: { annotations: { note: 'changed' } } }
      await ask(`${service}_Patch${kind}`, { data: JSON.stringify({ spec: { template } }) })
      if (kind !== 'DaemonSet') await ask(`${service}_Scale${kind}`, { replicas: 2 })
      const revisions = await eventually(`two revisions of the ${kind}`, async () => {
        const found = await revisionsOf(`${service}_List${kind}Revisions`)
        return found.length > 1 ? found : undefined
      })
      for (const dryRun of [true, false])
        await ask(`${service}_Rollback${kind}`, { revision: revisions.at(-1)!.id, dryRun })
      if (service !== 'Workload') continue
      await ask(`${service}_Restart${kind}`)
      const { data } = await ask(`${service}_Get${kind}JSON`)
      const { metadata: _, ...whole } = JSON.parse(data)
      const copy = JSON.stringify({ ...whole, metadata: { name: 'copy' } })
      await ask(`${service}_Create${kind}`, { data: copy })
      await eventually('it is updated as it was read', async () => {
        const { data: read } = await ask(`${service}_Get${kind}JSON`, { name: 'copy' })
        return ask(`${service}_Update${kind}`, { name: 'copy', data: read })
      })
      await ask(`${service}_Delete${kind}`, { name: 'copy' })
    }
  }

  /** A Secret whose values callers send and read. */
  async #writeSecret(ask: (id: string, more: JsonObject) => Promise<{ data: string }>): Promise<void> {
    const name = 'written'
    const manifest = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name },
      stringData: { password: newCanary() },
    }
    await ask('Core_CreateSecret', { data: JSON.stringify(manifest) })
    await ask('Core_PatchSecret', { name, data: { user: toBase64(newCanary()) } })
    const { data } = await ask('Core_GetSecretJSON', { name })
    const more = { ...JSON.parse(data), stringData: { password: newCanary() } }
    await ask('Core_UpdateSecret', { name, data: JSON.stringify(more) })
  }
}
