import { setTimeout } from 'node:timers/promises'
import { connectKube } from '../../actors/kube/connection.js'
import { kubeConnector } from '../../actors/kube/connector.js'
import { parseKubeconfig } from '../../actors/kube/kubeconfig.js'
import { managementApi } from '../../http/management-api.js'
import { requestParts } from '../../http/proxy/request-parts.js'
import { CatchUp } from '../../http/read-your-writes/catch-up.js'
import { WriteLedger } from '../../http/read-your-writes/ledger.js'
import { restApp } from '../../http/rest/app.js'
import { startMember } from '../../playground/member/member.js'
import type { KubeApi } from '../../ports/kube-api.js'
import { letIn, startPlaygroundProxy } from '../http/proxy/playground-proxy.js'
import type { Contract, ContractOperation } from '../proto/sample.js'
import { startServiceDoubles } from '../scenarios/support/service-doubles.js'
import { silent, unmetered } from '../silent.js'
import type { Runs } from './coverage.js'
import { type Direct, idOf, type Stage } from './scenario.js'
import { problemsOf } from './validate.js'

/** How long a scenario waits for what takes a moment; with an emptied handler all of it is waited for. */
const PATIENCE_MS = 20_000
const EMPTIED_PATIENCE_MS = 4_000

/** A playground of one instance with one member, and the management API over it as REST, whose handlers can be emptied. */
export async function startContractWorld(contract: Contract): Promise<Runs & { close(): Promise<void> }> {
  const world = await startPlaygroundProxy()
  await letIn(world)
  const host = await connectKube(parseKubeconfig(world.playground.kubeconfigs.apiserver, { local: false }))
  const { fleet } = world.manager
  const common = { fleet, log: silent, meter: unmetered, now: () => performance.now() }
  const ledger = new WriteLedger(common.now)
  const services = await startServiceDoubles(world.folder)
  const api = managementApi({
    ...common,
    host,
    connector: kubeConnector(),
    karmadaVersion: 'v1.18.2',
    proxy: () => ({ url: world.api.url, certificateAuthority: 'PEM' }),
    streamsPerCaller: 10,
    catchUp: new CatchUp(ledger),
    parts: requestParts({ ...common, ledger }),
    ...services.options,
  })
  let emptied: string | undefined
  const operations = api.services
    .flatMap(service => service.operations)
    .map(operation => ({
      ...operation,
      handle: (request: never, call: Parameters<typeof operation.handle>[1]) =>
        operation.id === emptied ? {} : operation.handle(request, call),
    }))
  const app = restApp({ ...api, ...common, operations })
  const { local } = world.playground.karmadas.get(world.instance)!.server
  const member = world.playground.members.get(world.member)!.server.local
  const fresh = await startMember({ name: 'fresh', log: silent })
  const kubeconfig = await fresh.server.kubeconfig({ name: 'root', groups: ['system:masters'] })
  let count = 0

  return {
    async run(service, { run }, without) {
      count += 1
      const unique = `run-${count}`
      const called = new Set<string>()
      const send = async (rpc: string, parameters: Readonly<Record<string, unknown>> = {}) => {
        const operation = contract.operations.find(one => one.service === service && one.rpc === rpc)
        if (!operation) throw new Error(`the contract has no ${service}.${rpc}`)
        const stage = { instance: world.instance, cluster: world.member, namespace: unique }
        const { url, init } = requestOf(operation, stage, parameters)
        const headers = { authorization: `Bearer ${world.playground.tokens.admin}`, ...init.headers }
        const answer = await app.request(url, { ...init, headers }, {})
        return { operation, answer }
      }
      const stage: Stage = {
        instance: world.instance,
        member: world.member,
        namespace: unique,
        unique,
        async ask(rpc, parameters) {
          const { operation, answer } = await send(rpc, parameters)
          const text = await answer.text()
          if (answer.status !== 200) throw new Error(`${rpc} answered ${answer.status}: ${text}`)
          const json = JSON.parse(text)
          const [problem] = problemsOf(contract, operation.response, json)
          if (problem) throw new Error(`${rpc}: ${problem}`)
          called.add(idOf(operation))
          return json
        },
        async refused(rpc, parameters) {
          const { answer } = await send(rpc, parameters)
          if (answer.status === 200) throw new Error(`${rpc} was not refused`)
          return answer.status
        },
        karmada: direct(local),
        inMember: direct(member),
        host: direct(world.playground.host.local),
        kubeconfig,
        eventually: check => eventually(check, without ? EMPTIED_PATIENCE_MS : PATIENCE_MS),
      }
      await local.request({
        method: 'POST',
        path: '/api/v1/namespaces',
        body: { metadata: { name: unique } },
      })
      await eventually(
        () => member.request({ method: 'GET', path: `/api/v1/namespaces/${unique}` }),
        PATIENCE_MS,
      )
      emptied = without
      try {
        await run(stage)
      } finally {
        emptied = undefined
        await local.request({ method: 'DELETE', path: `/api/v1/namespaces/${unique}` })
      }
      return called
    },
    async close() {
      api.endStreams()
      await host.close()
      await services.close()
      await fresh.close()
      await world.close()
    },
  }
}

/** The HTTP request of an operation as the contract describes it. */
export function requestOf(
  { method, path, params, body }: ContractOperation,
  defaults: Readonly<Record<string, unknown>>,
  given: Readonly<Record<string, unknown>>,
): {
  readonly url: string
  readonly init: { method: string; headers: Record<string, string>; body?: string }
} {
  const left = new Map(Object.entries(given))
  const take = (name: string): unknown => {
    const value = left.get(name) ?? defaults[name]
    left.delete(name)
    return value
  }
  let url = path
  const query = new URLSearchParams()
  for (const { name, in: where } of params) {
    if (where === 'path') url = url.replace(`{${name}}`, encodeURIComponent(String(take(name))))
    else if (left.has(name)) for (const value of [take(name)].flat()) query.append(name, String(value))
  }
  if (!body && left.size > 0) throw new Error(`${method} ${path} has no ${[...left.keys()].join(', ')}`)
  return {
    url: query.size > 0 ? `${url}?${query}` : url,
    init: {
      method,
      headers: body ? { 'content-type': 'application/json' } : {},
      ...(body && { body: JSON.stringify(Object.fromEntries(left)) }),
    },
  }
}

const direct =
  (api: Pick<KubeApi, 'request'>): Direct =>
  (method, path, body) =>
    api.request({
      method,
      path,
      ...(body !== undefined && { body }),
      ...(method === 'PATCH' && { contentType: 'application/merge-patch+json' as const }),
    })

async function eventually<T>(check: () => Promise<T>, withinMs: number): Promise<T> {
  const until = performance.now() + withinMs
  for (;;) {
    try {
      return await check()
    } catch (error) {
      if (performance.now() > until) throw error
    }
    await setTimeout(50)
  }
}
