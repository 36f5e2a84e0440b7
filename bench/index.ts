/**
 * npm run bench:index -- [--objects 10000] [--json]
 *
 * What reading through the embedded index costs the process that serves it, in milliseconds of its CPU per request, next to
 * the embedded API server that it indexes: one process serves both (`index-host.ts`), this one asks over TLS.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { Agent, type RequestOptions, request } from 'node:https'
import { cpus, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import type { IndexHostAnswer, IndexHostRequest, ReadEndpoint } from './index-host.js'

const { values } = parseArgs({
  options: { objects: { type: 'string', default: '10000' }, json: { type: 'boolean', default: false } },
})
const objects = Number(values.objects)
/** Connections of the gets; lists and pages come over one. */
const CONNECTIONS = 32
const ROUNDS = 4
const say = (text: string): void => void process.stderr.write(`${text}\n`)

/** The process that serves, and its CPU. */
class Host {
  readonly #child: ChildProcess = fork(new URL('./index-host.js', import.meta.url), [String(objects)])

  readonly #ended = new Promise<never>((_resolve, reject) => {
    this.#child.once('exit', code => reject(new Error(`the serving process ended with ${code}`)))
  })

  next<K extends IndexHostAnswer['kind']>(kind: K): Promise<Extract<IndexHostAnswer, { kind: K }>> {
    const told = new Promise<Extract<IndexHostAnswer, { kind: K }>>(resolve => {
      const take = (answer: IndexHostAnswer): void => {
        if (answer.kind !== kind) return
        this.#child.off('message', take)
        resolve(answer as Extract<IndexHostAnswer, { kind: K }>)
      }
      this.#child.on('message', take)
    })
    return Promise.race([told, this.#ended])
  }

  ask<K extends IndexHostAnswer['kind']>(question: IndexHostRequest, kind: K) {
    const answer = this.next(kind)
    this.#child.send(question)
    return answer
  }

  async cpuMs(): Promise<number> {
    return (await this.ask({ kind: 'cpu' }, 'cpu')).milliseconds
  }

  end(): void {
    this.#child.removeAllListeners('exit').disconnect()
  }
}

class Client {
  readonly #options: RequestOptions

  constructor(proxy: ReadEndpoint) {
    const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS, ca: proxy.ca })
    const { hostname, port } = new URL(proxy.url)
    this.#options = { hostname, port, agent, headers: { authorization: `Bearer ${proxy.token}` } }
  }

  /** Bytes of the answer. @throws for any status but 200 */
  read(path: string): Promise<number> {
    return new Promise((resolve, reject) => {
      request({ ...this.#options, path }, response => {
        let bytes = 0
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length
        })
        response.on('end', () =>
          response.statusCode === 200
            ? resolve(bytes)
            : reject(new Error(`${path} was answered ${response.statusCode}`)),
        )
        response.on('error', reject)
      })
        .on('error', reject)
        .end()
    })
  }

  close(): void {
    ;(this.#options.agent as Agent).destroy()
  }
}

const host = new Host()
const { source, index } = await host.next('ready')
const [direct, indexed] = [new Client(source), new Client(index)]
const deployments = '/apis/apps/v1/namespaces/default/deployments'
const below = `${index.prefix}${deployments}`

/** Milliseconds of the serving process's CPU for each request, after a first round that warms it up. */
async function cost(
  requests: number,
  parallel: number,
  send: (request: number) => Promise<unknown>,
): Promise<number> {
  const round = async (count: number): Promise<void> => {
    let next = 0
    const worker = async (): Promise<void> => {
      while (next < count) await send(next++)
    }
    await Promise.all(Array.from({ length: parallel }, worker))
  }
  await round(Math.ceil(requests / 4))
  const before = await host.cpuMs()
  await round(requests)
  return ((await host.cpuMs()) - before) / requests
}

const nameOf = (request: number): string => `d-${String((request * 7919) % objects).padStart(5, '0')}`
const page = (offset: number, more = ''): string =>
  `${below}?limit=20&continue=${offset * 20}&orderby=created_at%20desc&withContinue=true${more}`
const filter = '&labelSelector=tier%3Dt3&fieldSelector=spec.replicas%3D3'

say(`${objects} deployments are indexed`)
/** Both proxies in turns, so that what else the machine does meets both. */
async function compared(
  requests: number,
  parallel: number,
  path: (request: number) => string,
): Promise<{ source: number; index: number }> {
  const sum = { source: 0, index: 0 }
  for (let round = 0; round < ROUNDS; round++) {
    sum.source += await cost(requests / ROUNDS, parallel, at => direct.read(path(at)))
    sum.index += await cost(requests / ROUNDS, parallel, at => indexed.read(index.prefix + path(at)))
  }
  return { source: sum.source / ROUNDS, index: sum.index / ROUNDS }
}

const get = await compared(8_000, CONNECTIONS, at => `${deployments}/${nameOf(at)}`)
say(`get: ${rounded(get.source)} ms from the source, ${rounded(get.index)} ms from the index`)
const list = await compared(16, 1, () => deployments)
say(`list: ${rounded(list.source)} ms from the source, ${rounded(list.index)} ms from the index`)
const pages = {
  first: await once(() => indexed.read(page(0))),
  firstByAFieldNoneHas: await once(() => indexed.read(page(0, '&fieldSelector=spec.minReadySeconds%3D7'))),
  sorted: await cost(200, 1, at => indexed.read(page(at % 20))),
  sortedAndFiltered: await cost(200, 1, at => indexed.read(page(at % 20, filter))),
  sortedAndFilteredBetweenWrites: await cost(100, 1, async at => {
    await host.ask({ kind: 'write', name: nameOf(at) }, 'written')
    await indexed.read(page(at % 20, filter))
  }),
}
say(`pages of 20: ${JSON.stringify(pages)}`)

/** One request, cold. */
async function once(send: () => Promise<unknown>): Promise<number> {
  const before = await host.cpuMs()
  await send()
  return (await host.cpuMs()) - before
}

function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 1_000) / 1_000
}

const result = {
  bench: 'index',
  objects,
  machine: { cpu: cpus()[0]?.model, cores: cpus().length, node: process.version, load: loadavg()[0] },
  cpuMsPerGet: { source: rounded(get.source), index: rounded(get.index) },
  cpuMsPerList: { source: rounded(list.source), index: rounded(list.index) },
  getsPerSourceGet: rounded(get.source / get.index),
  listsPerSourceList: rounded(list.source / list.index),
  cpuMsPerPageOf20: Object.fromEntries(Object.entries(pages).map(([name, ms]) => [name, rounded(ms)])),
}
direct.close()
indexed.close()
host.end()
process.stdout.write(`${JSON.stringify(result, null, values.json ? 0 : 2)}\n`)
