import { readFileSync } from 'node:fs'
import type { HostReady } from '../proxy/host.js'
import type { Measured } from '../proxy/process.js'
import type { Site } from '../proxy/site.js'
import { BothWires } from './ways.js'

/** A Kairship that is measured. */
export interface Serving {
  readonly process: Measured
  /** How many answers of instances it has read so far from indexes, and how many from control planes. */
  answers(): Promise<Answers>
}

export interface Answers {
  readonly index: number
  readonly karmada: number
}

/** A Kairship over that host, and both wires to it as its administrator; it ends with the site. */
export async function kairshipServing(
  site: Site,
  host: Pick<HostReady, 'kubeconfig'> & { readonly tokens: Pick<HostReady['tokens'], 'admin'> },
  { cpuProfiles }: { readonly cpuProfiles?: string },
): Promise<{ readonly kairship: Serving; readonly wires: BothWires; readonly url: string }> {
  const { certificate, key, authority } = site.tls
  const tls = ['--tls-cert-file', certificate, '--tls-key-file', key]
  const profiling = cpuProfiles ? ['--cpu-prof', '--cpu-prof-dir', cpuProfiles] : []
  const { process, url, grpc, metrics } = await site.kairship(host, profiling, tls)
  const certificateAuthority = readFileSync(authority, 'utf8')
  const kairship = { process, answers: () => answersOf(metrics) }
  return {
    kairship,
    url,
    wires: new BothWires({ url, grpc, certificateAuthority, token: host.tokens.admin }),
  }
}

async function answersOf(metrics: string): Promise<Answers> {
  const text = await (await fetch(metrics)).text()
  const sum = (source: string): number =>
    [
      ...text.matchAll(
        new RegExp(`^kairship_object_answers_total{[^}]*source="${source}"[^}]*} (\\d+)`, 'gm'),
      ),
    ]
      .map(([, count]) => Number(count))
      .reduce((total, count) => total + count, 0)
  return { index: sum('index'), karmada: sum('karmada') }
}
