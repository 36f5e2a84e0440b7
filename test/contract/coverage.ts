import { idOf, type Scenario, type ServiceScenarios } from './scenario.js'

/** Runs one scenario once. */
export interface Runs {
  /**
   * @param emptied the operation whose handler does nothing and answers with an empty message
   * @returns the operations that were called and answered as the contract says
   * @throws what the scenario throws
   */
  run(service: string, scenario: Scenario, emptied?: string): Promise<ReadonlySet<string>>
}

/** What scenarios have shown. */
export interface Coverage {
  /** Ids of the operations that count. */
  readonly proven: ReadonlySet<string>
  /** What is wrong with the others that a scenario names, by id. */
  readonly problems: ReadonlyMap<string, string>
}

/**
 * An operation counts when a scenario that calls it succeeds, and fails when only that operation does nothing: so a scenario
 * that would also be content with an empty answer proves nothing.
 */
export async function coverageOf(
  runs: Runs,
  services: readonly ServiceScenarios[],
  told: (id: string, problem?: string) => void = () => undefined,
): Promise<Coverage> {
  const proven = new Set<string>()
  const problems = new Map<string, string>()
  for (const { service, scenarios } of services)
    for (const scenario of scenarios) {
      const failed = await attempt(() => runs.run(service, scenario))
      for (const rpc of scenario.proves) {
        const id = idOf({ service, rpc })
        const problem =
          'problem' in failed ? failed.problem : await problemOf(runs, service, scenario, id, failed.value)
        if (problem === undefined) proven.add(id)
        else problems.set(id, problem)
        told(id, problem)
      }
    }
  for (const id of proven) problems.delete(id)
  return { proven, problems }
}

async function problemOf(
  runs: Runs,
  service: string,
  scenario: Scenario,
  id: string,
  called: ReadonlySet<string>,
): Promise<string | undefined> {
  if (!called.has(id)) return 'its scenario does not call it'
  const emptied = await attempt(() => runs.run(service, scenario, id))
  return 'problem' in emptied ? undefined : 'its scenario succeeds also when its handler does nothing'
}

const attempt = async <T>(work: () => Promise<T>): Promise<{ value: T } | { problem: string }> => {
  try {
    return { value: await work() }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}
