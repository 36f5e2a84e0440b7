import { mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ApiCredentials } from './api-client.js'
import { build, buildNamed } from './build.js'
import { startClusterpedia } from './clusterpedia.js'
import { startControl } from './control.js'
import { startEtcd } from './etcd.js'
import { joinMember, memberReady } from './join-member.js'
import { startKarmada } from './karmada.js'
import { EXAMINED_PROGRAMS, startEstimator, startInterpreter } from './karmada-examined.js'
import { type ControlPlane, startControlPlane } from './kube-control-plane.js'
import { startMember } from './member.js'
import { type Postgres, requirePostgres, startPostgres } from './postgres.js'
import { Site } from './site.js'

/** How much of the stack to bring up. */
export interface StackShape {
  /** Karmada instances and the members of each. */
  readonly karmadas: Readonly<Record<string, readonly string[]>>
  readonly clusterpedia: boolean
  /** Karmada with everything on that its own end-to-end suite is run with; see `karmada-examined.ts`. */
  readonly examined?: boolean
}

/** Two instances with three members between them, indexed by Clusterpedia on the host. */
export const wholeStack: StackShape = {
  karmadas: { 'karmada-east': ['member-1', 'member-2'], 'karmada-west': ['member-3'] },
  clusterpedia: true,
}

/** The real engines, running. */
export interface Stack {
  readonly site: Site
  readonly host: ControlPlane
  readonly karmadas: ReadonlyMap<string, ControlPlane>
  readonly members: ReadonlyMap<string, ControlPlane>
  /** What suites get to know. */
  provided(): ProvidedStack
  /** Ends everything and removes what was written. */
  close(): Promise<void>
  /** Removes what was written, at once: for a process that is ending anyway. */
  remove(): void
}

/** What suites, which run in other processes, get to know of the stack: plain data. */
export interface ProvidedStack {
  readonly host: ApiCredentials
  /** User `alice` of group `developers` on the host, whom no role names. */
  readonly alice: ApiCredentials
  /** URL of etcd. */
  readonly etcd: string
  readonly karmadas: Readonly<Record<string, ApiCredentials>>
  readonly members: Readonly<Record<string, ApiCredentials>>
  /** Files, by name of control plane. */
  readonly kubeconfigs: Readonly<Record<string, string>>
  /** Process ids, by name of engine. */
  readonly processes: Readonly<Record<string, number>>
  /** Where suites break and mend engines; see `control.ts`. */
  readonly control: string
  /** Folder for what suites write. */
  readonly folder: string
}

function provide(
  { site, host, karmadas, members }: Omit<Stack, 'provided' | 'close' | 'remove'>,
  etcd: string,
  control: string,
): ProvidedStack {
  const planes = [host, ...karmadas.values(), ...members.values()]
  const administrators = (planes: ReadonlyMap<string, ControlPlane>): Record<string, ApiCredentials> =>
    Object.fromEntries([...planes].map(([name, { administrator }]) => [name, administrator]))
  return {
    host: host.administrator,
    alice: host.alice,
    etcd,
    karmadas: administrators(karmadas),
    members: administrators(members),
    kubeconfigs: Object.fromEntries(planes.map(({ name, kubeconfig }) => [name, kubeconfig])),
    processes: site.processes(),
    control,
    folder: site.folder,
  }
}

/** The host cluster: no workloads, so only what Kairship and Clusterpedia rely on. */
const hostControllers = [
  'namespace-controller',
  'garbage-collector-controller',
  'serviceaccount-controller',
  'serviceaccount-token-controller',
  'root-ca-certificate-publisher-controller',
  'clusterrole-aggregation-controller',
]

/** Builds what is missing and brings a stack up; when a part fails, what runs already is taken down again. */
export async function startStack(
  shape: StackShape,
  report: (line: string) => void,
  folder = mkdtempSync(join(tmpdir(), 'kairship-real-')),
): Promise<Stack> {
  // What is missing is said before anything is built or started.
  if (shape.clusterpedia) requirePostgres()
  await build(report)
  if (shape.examined) for (const program of EXAMINED_PROGRAMS) await buildNamed(program, report)
  mkdirSync(folder, { recursive: true })
  const site = new Site(folder)
  let postgres: Postgres | undefined
  const control = await startControl(site)
  const close = async (): Promise<void> => {
    control.close()
    await site.close()
    postgres?.remove()
  }
  const remove = (): void => {
    site.remove()
    postgres?.remove()
  }
  const timed = async <T>(what: string, work: Promise<T>): Promise<T> => {
    const started = Date.now()
    const result = await work
    report(`${what} up after ${((Date.now() - started) / 1000).toFixed(1)} s`)
    return result
  }
  try {
    const etcd = await timed('etcd', startEtcd(site))
    const host = await timed(
      'host',
      startControlPlane(site, { name: 'host', etcd, controllers: hostControllers }),
    )
    if (shape.clusterpedia) {
      postgres = await timed('PostgreSQL', startPostgres(site))
      await timed('Clusterpedia', startClusterpedia(site, host, postgres))
    }
    const karmadas = new Map<string, ControlPlane>()
    const members = new Map<string, ControlPlane>()
    for (const [name, memberNames] of Object.entries(shape.karmadas)) {
      const karmada = await timed(name, startKarmada(site, name, etcd, shape.examined))
      karmadas.set(name, karmada)
      for (const memberName of memberNames) {
        const nodes = { count: 2, cpu: '16', memory: '64Gi', pods: '110' }
        const member = await timed(memberName, startMember(site, memberName, etcd, nodes))
        members.set(memberName, member)
        if (shape.examined) await startEstimator(site, karmada, member)
        await joinMember(karmada, member)
      }
    }
    if (shape.examined)
      for (const [name, memberNames] of Object.entries(shape.karmadas)) {
        const parties = memberNames.map(member => members.get(member)!)
        await timed(`interpreter of ${name}`, startInterpreter(site, karmadas.get(name)!, parties))
      }
    for (const [name, memberNames] of Object.entries(shape.karmadas))
      for (const member of memberNames)
        await timed(`${member} in ${name}`, memberReady(karmadas.get(name)!, member))
    const parts = { site, host, karmadas, members }
    return { ...parts, provided: () => provide(parts, etcd, control.url), close, remove }
  } catch (problem) {
    control.close()
    await site.close(true)
    postgres?.remove()
    throw problem
  }
}
