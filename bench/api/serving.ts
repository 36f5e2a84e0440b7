import { readFileSync } from 'node:fs'
import type { HostReady } from '../proxy/host.js'
import type { Measured } from '../proxy/process.js'
import type { Site } from '../proxy/site.js'
import { BothWires } from './ways.js'

/** A Kairship over that host, and both wires to it as its administrator; it ends with the site. */
export async function kairshipServing(
  site: Site,
  host: Pick<HostReady, 'kubeconfig'> & { readonly tokens: Pick<HostReady['tokens'], 'admin'> },
  { cpuProfiles }: { readonly cpuProfiles?: string },
): Promise<{ readonly kairship: Measured; readonly wires: BothWires; readonly url: string }> {
  const { certificate, key, authority } = site.tls
  const tls = ['--tls-cert-file', certificate, '--tls-key-file', key]
  const profiling = cpuProfiles ? ['--cpu-prof', '--cpu-prof-dir', cpuProfiles] : []
  const { process: kairship, url, grpc } = await site.kairship(host, profiling, tls)
  const certificateAuthority = readFileSync(authority, 'utf8')
  return {
    kairship,
    url,
    wires: new BothWires({ url, grpc, certificateAuthority, token: host.tokens.admin }),
  }
}
