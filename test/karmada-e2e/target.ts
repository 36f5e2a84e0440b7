import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { load } from 'js-yaml'
import { z } from 'zod'
import { startPlaygroundProcess } from '../playground-process.js'
import { startStack } from '../real/stack.js'
import { credentialsIn, membersOf } from './clients.js'
import { addKindObjects } from './kind-cluster.js'
import { joinNamedMembers } from './named-members.js'
import { interpretWorkloads } from './playground-interpreter.js'

/** The control planes that Karmada's suite can be run against. */
export const TARGETS = ['playground', 'real'] as const
export type TargetName = (typeof TARGETS)[number]

/** Some specs name them. */
const MEMBERS = ['member1', 'member2']

/** A Karmada control plane with two members, running. */
export interface Target {
  /** A file whose current context is the control plane's administrator. */
  readonly kubeconfig: string
  readonly context: string
  close(): Promise<void>
}

/**
 * Starts a control plane.
 * @param files of the suite that are to be run: what only some of them need is there for those alone
 * @throws Error when it does not come up
 */
export async function startTarget(
  name: TargetName,
  report: (line: string) => void,
  files: readonly string[] = [],
): Promise<Target> {
  const started = await (name === 'playground' ? startPlayground() : startReal(report))
  const { kubeconfig } = started
  const endings = [started.close]
  const close = async () => {
    for (const end of endings.reverse()) await end()
  }
  try {
    if (files.includes('search'))
      for (const [member, client] of await membersOf(credentialsIn(readFileSync(kubeconfig, 'utf8'))))
        await addKindObjects(client, member)
    if (name === 'playground' && files.includes('estimator'))
      endings.push(await joinNamedMembers(kubeconfig, MEMBERS))
    if (name === 'playground' && files.includes('resourceinterpreter')) {
      const site = await interpretWorkloads(kubeconfig, join(dirname(kubeconfig), 'interpreter'), report)
      endings.push(() => site.close())
    }
    return { ...started, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function startPlayground(): Promise<Target> {
  const { folder, report, close } = await startPlaygroundProcess()
  return target(join(folder, report.files.instanceKubeconfigs['eu-west'] ?? ''), close)
}

async function startReal(report: (line: string) => void): Promise<Target> {
  const name = 'karmada-east'
  const stack = await startStack(
    { karmadas: { [name]: MEMBERS }, clusterpedia: false, examined: true },
    report,
  )
  return target(stack.provided().kubeconfigs[name] ?? '', () => stack.close())
}

const kubeconfigSchema = z.object({ 'current-context': z.string() })

function target(kubeconfig: string, close: () => Promise<void>): Target {
  const { 'current-context': context } = kubeconfigSchema.parse(load(readFileSync(kubeconfig, 'utf8')))
  return { kubeconfig, context, close }
}
