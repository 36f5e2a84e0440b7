import { setTimeout } from 'node:timers/promises'
import type { Contract, ContractOperation } from '../proto/sample.js'
import { type Answered, type ContractApi, startContractApi, type Wire } from './api.js'
import type { Runs } from './coverage.js'
import type { Parameters } from './requests.js'
import { askBoth, expectSameWrites, type Written } from './same-messages.js'
import { idOf, type Scenario, type Stage } from './scenario.js'
import type { Target } from './target.js'
import { problemsOf } from './validate.js'

/** How long a scenario waits with an emptied handler: all of it is waited for. */
const EMPTIED_PATIENCE_MS = 4_000

/** Runs scenarios against a target. */
export interface ContractWorld extends Runs {
  /**
   * Runs a scenario over REST and again over gRPC. What it reads, and what it is refused, is also asked over the other wire and
   * answered alike; what it writes is answered alike in both runs.
   * @throws what the scenario throws, and Error for two answers
   */
  compare(service: string, scenario: Scenario): Promise<void>
  close(): Promise<void>
}

/** How the calls of a scenario are made: their answers, or their refusals. */
interface Calls {
  accepted(operation: ContractOperation, given: Parameters): Promise<Answered>
  refused(operation: ContractOperation, given: Parameters): Promise<Answered>
}

/** The management API over a target, which this closes in the end. */
export async function startContractWorld(contract: Contract, target: Target): Promise<ContractWorld> {
  return contractWorld(contract, target, await startContractApi(target))
}

/** A management API that runs already, and the target that it is over. Both are closed in the end. */
export function contractWorld(
  contract: Contract,
  target: Omit<Target, 'api' | 'token'>,
  api: ContractApi,
): ContractWorld {
  const { instance, member, karmada, inMember, host, kubeconfig } = target
  let count = 0

  async function play(
    { run }: Scenario,
    service: string,
    callsOf: (defaults: Parameters) => Calls,
    patienceMs: number,
  ) {
    count += 1
    // None is part of another: lists are searched by it.
    const unique = `${target.prefix}-${String(count).padStart(4, '0')}`
    const called = new Set<string>()
    const calls = callsOf({ instance, cluster: member, namespace: unique })
    const operationOf = (rpc: string): ContractOperation => {
      const operation = contract.operations.find(one => one.service === service && one.rpc === rpc)
      if (!operation) throw new Error(`the contract has no ${service}.${rpc}`)
      return operation
    }
    const stage: Stage = {
      ...{ instance, member, namespace: unique, unique, karmada, inMember, host, kubeconfig },
      async ask(rpc, given = {}) {
        const operation = operationOf(rpc)
        const { ok, status, json, text } = await calls.accepted(operation, given)
        if (!ok) throw new Error(`${rpc} answered ${status}: ${text}`)
        const [problem] = problemsOf(contract, operation.response, json)
        if (problem) throw new Error(`${rpc}: ${problem}`)
        called.add(idOf(operation))
        return json
      },
      async refused(rpc, given = {}) {
        const { ok, status } = await calls.refused(operationOf(rpc), given)
        if (ok) throw new Error(`${rpc} was not refused`)
        return status
      },
      eventually: check => eventually(check, patienceMs),
    }
    await karmada('POST', '/api/v1/namespaces', { metadata: { name: unique } })
    await eventually(
      () => inMember('GET', `/api/v1/namespaces/${unique}/serviceaccounts/default`),
      target.patienceMs,
    )
    try {
      await run(stage)
    } finally {
      await karmada('DELETE', `/api/v1/namespaces/${unique}`)
    }
    return { called, unique }
  }

  /** One run of which every call is made over a wire, and over the other one as well where that changes nothing. */
  async function compared(scenario: Scenario, service: string, wire: Wire) {
    const written: Written[] = []
    const { called, unique } = await play(
      scenario,
      service,
      defaults => {
        const both = (operation: ContractOperation, given: Parameters) =>
          askBoth(operation.rpc, wire, over => api.call(over, operation, defaults, given))
        return {
          refused: both,
          async accepted(operation, given) {
            if (operation.method === 'GET') return both(operation, given)
            const answered = await api.call(wire, operation, defaults, given)
            if (answered.ok) written.push({ rpc: operation.rpc, json: answered.json })
            return answered
          },
        }
      },
      target.patienceMs,
    )
    const missing = scenario.proves.filter(rpc => !called.has(idOf({ service, rpc })))
    if (missing.length > 0) throw new Error(`the scenario does not call ${missing.join(', ')}`)
    return { unique, written }
  }

  return {
    async run(service, scenario, emptied) {
      api.empty(emptied)
      try {
        const overRest = (defaults: Parameters): Calls => {
          const call = (operation: ContractOperation, given: Parameters) =>
            api.call('rest', operation, defaults, given)
          return { accepted: call, refused: call }
        }
        const { called } = await play(
          scenario,
          service,
          overRest,
          emptied ? EMPTIED_PATIENCE_MS : target.patienceMs,
        )
        return called
      } finally {
        api.empty()
      }
    },
    async compare(service, scenario) {
      expectSameWrites(await compared(scenario, service, 'rest'), await compared(scenario, service, 'grpc'))
    },
    async close() {
      await api.close()
      await target.close()
    },
  }
}

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
