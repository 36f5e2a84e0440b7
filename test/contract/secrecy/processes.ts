import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createAuthority } from '../../../playground/apiserver/access/certificates.js'
import { INSTANCE_LABEL } from '../../conformance/metrics/samples.js'
import { letIn } from '../../http/proxy/playground-proxy.js'
import { eventually } from '../../scenarios/support/eventually.js'
import { KairshipProcess } from '../../scenarios/support/kairship-process.js'
import { Scenario } from '../../scenarios/support/scenario.js'
import { type ServiceDoubles, startServiceDoubles } from '../../scenarios/support/service-doubles.js'
import { Calls } from './calls.js'
import { KeptSecrets } from './kept-secrets.js'
import { newCanary } from './secret-values.js'

/** A playground of one instance with one member, and Kairship over it as it is installed: two processes, which say all they can. */
export interface Processes {
  readonly scenario: Scenario
  readonly instance: string
  readonly member: string
  readonly calls: Calls
  readonly kept: KeptSecrets
  readonly services: ServiceDoubles
  /** Everything the processes have written, as they wrote it. */
  written(): string
  /** What their ports for metrics and health answer. */
  pages(): Promise<string>
  close(): Promise<void>
}

export async function startProcesses(): Promise<Processes> {
  const kept = new KeptSecrets()
  const scenario = await Scenario.start({ members: 1 })
  const { playground, folder } = scenario
  const [instance = ''] = playground.karmadas.keys()
  const [member = ''] = playground.members.keys()
  for (const { server } of [...playground.karmadas.values(), ...playground.members.values()])
    kept.follow(server)
  kept.follow(playground.host)
  for (const [who, token] of Object.entries(playground.tokens)) kept.add(token, `the token of the ${who}`)
  for (const [whose, text] of Object.entries(playground.kubeconfigs))
    kept.add(text, `the host kubeconfig ${whose}`)

  const services = await startServiceDoubles(folder, { metrics: newCanary(), registry: newCanary() })
  kept.add(services.prometheus.password, 'the password of the metrics service')
  kept.add(services.registry.password, 'the password of the registry')
  const authority = createAuthority('kairship')
  const { certificate, key } = authority.issueServing()
  kept.add(key, 'the key of the API')
  const files = { kubeconfig: playground.kubeconfigs.apiserver, 'tls.crt': certificate, 'tls.key': key }
  const at = (file: string) => join(folder, `apiserver-${file}`)
  for (const [file, text] of Object.entries(files)) await writeFile(at(file), text, { mode: 0o600 })

  const controllers = scenario.replica('controllers')
  const api = KairshipProcess.start([
    'apiserver',
    ...['--kubeconfig', at('kubeconfig')],
    ...['--tls-cert-file', at('tls.crt'), '--tls-key-file', at('tls.key')],
    ...['listen', 'grpc-listen', 'health-listen'].flatMap(flag => [`--${flag}`, '127.0.0.1:0']),
    ...['--log-format', 'json', '--log-level', 'debug'],
    ...['--metrics-url', services.prometheus.url, '--metrics-instance-label', INSTANCE_LABEL],
    ...['--metrics-ca-file', services.files.metricsCa],
    ...['--metrics-credentials-file', services.files.metricsCredentials],
    ...['--registries-file', services.files.registries],
  ])
  const processes = [controllers, api]
  scenario.replicas.push(api)
  const listening = await api.said('the API is listening')
  const calls = new Calls({
    url: String(listening.url),
    grpcAddress: String(listening.grpc),
    certificateAuthority: authority.certificate,
  })
  await letIn({ playground })
  await scenario.phase(instance, 'Ready')
  const path = `/apis/kairship.io/v1alpha1/instances/${instance}/proxy/api/v1/namespaces`
  for (const token of Object.values(playground.tokens))
    await eventually('the people are let in', async () => (await calls.http('proxy', 'GET', path, token)).ok)
  return {
    ...{ scenario, instance, member, calls, kept, services },
    written: () =>
      processes
        .flatMap(({ stdout, stderr, log }) => [stdout, stderr, ...log.map(line => JSON.stringify(line))])
        .join('\n'),
    async pages() {
      const texts: string[] = []
      for (const process of processes) {
        const { url } = await process.said('health and metrics are listening')
        for (const page of ['/metrics', '/readyz', '/livez'])
          texts.push(await (await fetch(`${url}${page}`)).text())
      }
      return texts.join('\n')
    },
    async close() {
      calls.close()
      await scenario.end()
      await services.close()
    },
  }
}
