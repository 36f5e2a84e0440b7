/**
 * npm run bench:api -- [--objects 10000] [--connections 16] [--seconds 3] [--rounds 3] [--json]
 *
 * What a get and a page of 20 of the management API cost over REST and over gRPC, next to the same page from the instance's own
 * API server and from its index; see bench/README.md.
 */
import { readFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { virtualClusterName } from '../manifests/instance.js'
import { indexPath } from '../manifests/pedia-cluster.js'
import { CoreService } from '../proto/gen/kairship/core_pb.js'
import { SortBy } from '../proto/gen/kairship/types_pb.js'
import { compare, type Rounds } from './api/rounds.js'
import { BothWires, type Way } from './api/ways.js'
import { Reader } from './load.js'
import { EMBEDDED_INSTANCE as instance } from './proxy/host.js'
import { CORES } from './proxy/process.js'
import { reachable } from './proxy/reachable.js'
import { Site } from './proxy/site.js'

const { values } = parseArgs({
  options: {
    objects: { type: 'string', default: '10000' },
    connections: { type: 'string', default: '16' },
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '3' },
    json: { type: 'boolean', default: false },
  },
})
const objects = Number(values.objects)
const options = {
  connections: Number(values.connections),
  seconds: Number(values.seconds),
  rounds: Number(values.rounds),
}
const say = (line: string): void => console.error(line)

const PAGE_SIZE = 20
const namespace = 'default'
/** A page in the middle: neither the first, which everything has at hand, nor the last. */
const page = Math.max(1, Math.floor(objects / PAGE_SIZE / 2))
const name = 'c-00000'
const prefix = `/apis/kairship.io/v1alpha1/instances/${instance}`
const configMaps = `/namespaces/${namespace}/configmaps`

const site = new Site()
try {
  say(`a playground with ${objects} ConfigMaps …`)
  const host = await site.host({ adopt: {}, configMaps: objects })
  const { certificate, key, authority } = site.tls
  const tls = ['--tls-cert-file', certificate, '--tls-key-file', key]
  const { process: kairship, url, grpc } = await site.kairship(host, [], tls)
  const token = host.tokens.admin
  const wires = new BothWires({ url, grpc, certificateAuthority: readFileSync(authority, 'utf8'), token })
  await reachable({ name: 'kairship', url, token }, `${prefix}${configMaps}?pageSize=1`, say, 'index')

  const operations: Readonly<Record<string, readonly Way[]>> = {
    get: [
      wires.rest(`${prefix}${configMaps}/${name}`),
      wires.grpc(CoreService.method.getConfigMap, { instance, namespace, name }),
    ],
    [`page of ${PAGE_SIZE} of ${objects}`]: [
      wires.rest(`${prefix}${configMaps}?page=${page}&pageSize=${PAGE_SIZE}&sortBy=field_name`),
      wires.grpc(CoreService.method.listConfigMaps, {
        instance,
        namespace,
        page,
        pageSize: PAGE_SIZE,
        sortBy: SortBy.field_name,
      }),
      ...direct(host),
    ],
  }
  const found: Record<string, Readonly<Record<string, Rounds>>> = {}
  for (const [operation, ways] of Object.entries(operations)) {
    say(operation)
    found[operation] = await compare(ways, kairship, options)
  }
  await wires.close()
  const machine = `${cpus().length} × ${cpus()[0]?.model}, Node.js ${process.version}, load ${loadavg()[0]?.toFixed(1)}`
  const cores = CORES.proxy === undefined ? 'shared' : 'Kairship on one, everything else on the other'
  console.log(values.json ? JSON.stringify({ bench: 'api', machine, cores, found }) : report(machine, found))
} finally {
  await site.close()
}

/** The same page without Kairship. An API server can only begin at the front. */
function direct({
  url,
  tokens,
  embedded,
  certificateAuthority: ca,
}: Awaited<ReturnType<Site['host']>>): readonly Way[] {
  if (!embedded) return []
  const karmada = new Reader({ url: embedded.url, ca: embedded.certificateAuthority, token: embedded.token })
  const index = new Reader({ url, ca, token: tokens.admin })
  const path = `/api/v1${configMaps}`
  const offset = (page - 1) * PAGE_SIZE
  const below = indexPath(virtualClusterName(instance))
  return [
    { name: 'Karmada directly (first page)', send: () => karmada.read(`${path}?limit=${PAGE_SIZE}`) },
    {
      name: 'index directly',
      send: () => index.read(`${below}${path}?limit=${PAGE_SIZE}&continue=${offset}&orderby=name`),
    },
  ]
}

function report(machine: string, found: Readonly<Record<string, Readonly<Record<string, Rounds>>>>): string {
  const rows = Object.entries(found).flatMap(([operation, ways]) =>
    Object.entries(ways).map(
      ([
        way,
        {
          perSecond,
          milliseconds: { p50, p99 },
          cpuMillisecondsPerRequest,
        },
      ]) => `| ${operation} | ${way} | ${perSecond} | ${p50} / ${p99} | ${cpuMillisecondsPerRequest} |`,
    ),
  )
  return [
    machine,
    '',
    '| operation | by | per second | ms p50 / p99 | ms of Kairship’s CPU each |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n')
}
