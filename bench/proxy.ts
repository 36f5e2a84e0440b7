/**
 * npm run bench:proxy -- [--seconds 2] [--rounds 3] [--only get,list,index,idle,events] [--connections 32]
 *                       [--objects 10000] [--watches 2000] [--events 20000] [--workers 0]
 *                       [--stack <suites.json>] [--cpu-prof <folder>] [--json]
 *
 * What the proxy costs: the same requests sent to an upstream directly, through nginx, through `kubectl proxy` and
 * through us, in one run on loopback with TLS. With `--stack` also in front of a real kube-apiserver, next to Karmada's own
 * cluster proxy.
 */
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { EMBEDDED_INSTANCE } from './proxy/host.js'
import { IMPERSONATOR_TOKEN, TOKEN_ANSWER } from './proxy/impersonator.js'
import { measureIndexRead } from './proxy/index-reads.js'
import { nginxProxying, nginxServing } from './proxy/nginx.js'
import { CORES } from './proxy/process.js'
import { reachable } from './proxy/reachable.js'
import { measureReal } from './proxy/real.js'
import { measureRealIndex } from './proxy/real-index.js'
import { benchTools, type KairshipProcess, OWN_TOKEN, Site } from './proxy/site.js'
import { WATCH_PATH } from './proxy/streams.js'
import { measureEvents, measureIdle } from './proxy/watches.js'
import { type Round, type Way, Wrk } from './proxy/wrk.js'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string', default: 'get,list,index,idle,events' },
    connections: { type: 'string', default: '32' },
    objects: { type: 'string', default: '10000' },
    watches: { type: 'string', default: '2000' },
    events: { type: 'string', default: '20000' },
    workers: { type: 'string', default: '0' },
    stack: { type: 'string' },
    against: { type: 'string' },
    'cpu-prof': { type: 'string' },
    json: { type: 'boolean', default: false },
  },
})
const wanted = new Set(values.only.split(','))
const load = { seconds: Number(values.seconds), rounds: Number(values.rounds) }
const say = (line: string): void => void process.stderr.write(`${line}\n`)

const OBJECT = '/api/v1/namespaces/default/configmaps/two'
const LIST = '/api/v1/namespaces/default/pods'
const SMALL = JSON.stringify({ kind: 'ConfigMap', apiVersion: 'v1', data: { text: 'x'.repeat(1_980) } })
const LARGE = JSON.stringify({
  kind: 'PodList',
  apiVersion: 'v1',
  items: Array.from({ length: 512 }, () => ({ metadata: { name: 'x'.repeat(2_015) } })),
})
const proxy = (instance: string): string => `/apis/kairship.io/v1alpha1/instances/${instance}/proxy`

const site = new Site()
const result: Record<string, unknown> = {
  bench: 'proxy',
  machine: { cpu: cpus()[0]?.model, cores: cpus().length, node: process.version, load: loadavg()[0] },
  cores: CORES.proxy === undefined ? 'shared' : 'the proxy on one, everything else on the other',
}
try {
  const tools = benchTools()
  const program = join(tools, 'usr/sbin/nginx')
  const wrk = new Wrk(tools, site.folder, CORES.others)
  const { tls } = site
  const upstream = await nginxServing({
    program,
    folder: join(site.folder, 'upstream'),
    tls,
    core: CORES.others,
    files: {
      [OBJECT]: SMALL,
      [LIST]: LARGE,
      '/version': '{"major":"1","minor":"36","gitVersion":"v1.36.2"}',
      '/readyz': 'ok',
    },
    answers: { '/api': '{"kind":"APIVersions","versions":["v1"]}', [IMPERSONATOR_TOKEN]: TOKEN_ANSWER },
  })
  site.run(upstream.process)
  const streams = site.script('streams', ['upstream', tls.certificate, tls.key])
  const [, port = ''] = await streams.says(/listening on (\d+)/)
  const streamsUrl = `https://127.0.0.1:${port}`

  const proxying = async (name: string, url: string) => {
    const proxy = await nginxProxying({
      program,
      folder: join(site.folder, name),
      tls,
      core: CORES.proxy,
      upstream: url,
      upstreamAuthority: tls.authority,
      token: OWN_TOKEN,
    })
    return site.run(proxy.process) && proxy
  }
  const nginx = await proxying('nginx', upstream.url)
  const kubectl = await site.kubectlProxy(site.kubeconfig(upstream.url))
  const host = await site.host({
    adopt: { fast: site.kubeconfig(upstream.url), streams: site.kubeconfig(streamsUrl) },
    configMaps: wanted.has('index') ? Number(values.objects) : 0,
  })
  const kairship = await site.kairship(
    host,
    values['cpu-prof'] ? ['--cpu-prof', '--cpu-prof-dir', values['cpu-prof']] : [],
    // They share its core here: a machine with two has no other for them.
    ['--workers', values.workers],
  )
  const way = (name: string, { process, url }: KairshipProcess, instance: string): Way => ({
    name,
    process,
    url: url + proxy(instance),
    token: host.tokens.admin,
  })
  const us = (instance: string): Way => way('kairship', kairship, instance)
  const before = values.against && (await site.kairship(host, [], [], values.against))
  const bare = site.script(
    'bare',
    [tls.certificate, tls.key, tls.authority, upstream.url, OWN_TOKEN],
    CORES.proxy,
  )
  const [, barePort = ''] = await bare.says(/listening on (\d+)/)
  const ways: readonly Way[] = [
    { name: 'direct', url: upstream.url },
    { name: 'nginx', ...nginx },
    { name: 'kubectl proxy', ...kubectl },
    { name: 'bare Node.js', process: bare, url: `https://127.0.0.1:${barePort}` },
    us('fast'),
    ...(before ? [way('kairship before', before, 'fast')] : []),
  ]
  await reachable(us('fast'), OBJECT, say)
  const measure = async (name: string, path: string, connections: number, through = ways): Promise<void> => {
    say(`${name}, ${connections} connections`)
    const rounds = await wrk.compare(through, () => path, { ...load, connections }, say)
    result[name] = { ...rounds, ...ratios(rounds) }
    say(JSON.stringify(result[name]))
  }
  if (wanted.has('get')) await measure('get of 2 KB', OBJECT, Number(values.connections))
  if (wanted.has('list')) await measure('list of 1 MB', LIST, 8)
  if (wanted.has('index') && host.embedded) {
    const instance = {
      name: EMBEDDED_INSTANCE,
      karmada: { name: 'Karmada', ...host.embedded },
      host: { name: 'host', url: host.url, token: host.tokens.admin },
      proxy: us(EMBEDDED_INSTANCE),
    }
    const reads = async (what: string, path: string, connections: number) => {
      const rounds = await measureIndexRead(instance, path, { wrk, ...load, connections }, say)
      result[`${what}, ${connections} connections`] = rounds
      say(JSON.stringify(rounds))
    }
    const path = '/api/v1/namespaces/default/configmaps'
    await reads(`list of ${values.objects}`, path, 1)
    await reads(`list of ${values.objects}`, path, 4)
    await reads('get of one of them', `${path}/c-00000`, 32)
  }
  if (wanted.has('idle')) {
    const tokens = [host.tokens.admin, host.tokens.viewer]
    result.idleWatches = await measureIdle(site, us('streams'), WATCH_PATH, Number(values.watches), tokens)
    say(JSON.stringify(result.idleWatches))
  }
  if (wanted.has('events')) {
    const through: readonly Way[] = [
      { name: 'direct', url: streamsUrl },
      { name: 'nginx', ...(await proxying('nginx-streams', streamsUrl)) },
      us('streams'),
    ]
    result.watchEvents = await measureEvents(site, through, `${WATCH_PATH}&events=${values.events}`, 8, say)
  }
  if (values.stack) {
    const real = { suites: values.stack, site, wrk, load, say }
    if (wanted.has('get')) result.real = await measureReal({ ...real, program })
    if (wanted.has('index'))
      result.realIndex = await measureRealIndex({ ...real, counts: [1_000, Number(values.objects)] })
  }
} finally {
  await site.close()
}
process.stdout.write(`${JSON.stringify(result, null, values.json ? 0 : 2)}\n`)

/** The ratios that the targets are about. */
function ratios(rounds: Readonly<Record<string, Round>>) {
  const { nginx, direct, kairship, 'bare Node.js': bare } = rounds
  if (!nginx || !direct || !kairship || !bare) return {}
  const cpu = (round: Round): number => round.cpuMicrosecondsPerRequest ?? Number.NaN
  return {
    kairshipToNginx: rounded(kairship.perSecond / nginx.perSecond),
    kairshipToDirect: rounded(kairship.perSecond / direct.perSecond),
    kairshipToBareNode: rounded(kairship.perSecond / bare.perSecond),
    kairshipP50AddedMs: rounded(kairship.p50 - direct.p50),
    nginxP50AddedMs: rounded(nginx.p50 - direct.p50),
    kairshipCpuToBareNode: rounded(cpu(kairship) / cpu(bare)),
    kairshipCpuToNginx: rounded(cpu(kairship) / cpu(nginx)),
  }
}

function rounded(value: number): number {
  return Math.round(value * 1_000) / 1_000
}
