import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import type { KubeList, KubeObject } from '../../../manifests/kube.js'
import type { ProxyClient } from '../../scenarios/support/proxy-client.js'
import { ApiClient } from '../api-client.js'
import { control } from '../control.js'
import { eventually } from '../probe.js'
import { type RealProxy, startRealProxy } from '../proxy.js'

const east = 'karmada-east'
const namespace = 'never-fewer'
const maps = `/api/v1/namespaces/${namespace}/configmaps?limit=500`
const policies = `/apis/policy.karmada.io/v1alpha1/namespaces/${namespace}/propagationpolicies?limit=500`
const clusters = '/apis/cluster.karmada.io/v1alpha1/clusters?limit=500'
/** How many objects each list has at least, all the time. */
const owned: Readonly<Record<string, number>> = { [maps]: 12, [policies]: 5, [clusters]: 2 }

/** A new read of each list so often; up to so many wait at once. */
const PAUSE_MS = 150
const MOST_WAITING = 40
/** Longer than Clusterpedia takes to notice (health every 5 to 7.5 s) and than an APIService takes to become unavailable. */
const AWAY_MS = 12_000

/** Reads the lists all the time, and keeps every answer that shows fewer objects than there are without saying so. */
class Readers {
  readonly liars: string[] = []
  readonly counts = new Map<string, number>()
  longestMs = 0
  #stopped = false
  readonly #waiting = new Set<Promise<void>>()
  readonly #loop: Promise<void>

  constructor(readonly client: ProxyClient) {
    this.#loop = this.#run()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.#loop
    await Promise.all(this.#waiting)
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      for (const path of Object.keys(owned)) {
        if (this.#waiting.size >= MOST_WAITING) continue
        const read = this.#read(path).finally(() => this.#waiting.delete(read))
        this.#waiting.add(read)
      }
      await new Promise(resolve => setTimeout(resolve, PAUSE_MS))
    }
  }

  async #read(path: string): Promise<void> {
    const started = performance.now()
    try {
      const { status, headers, text } = await this.client.ask('GET', path)
      const source = `${status} ${headers['kairship-source'] ?? '-'}/${headers['kairship-source-reason'] ?? '-'}`
      this.#count(`${source}${headers.warning === undefined ? '' : ' with a warning'}`)
      if (status !== 200 || headers.warning !== undefined) return
      const { items } = JSON.parse(text) as KubeList<KubeObject>
      if ((items ?? []).length < (owned[path] ?? 0))
        this.liars.push(`${path}: ${items?.length} from ${source}`)
    } catch (error) {
      // A connection that breaks is no answer.
      this.#count(`broken: ${(error as { code?: string }).code ?? (error as Error).message}`)
    } finally {
      this.longestMs = Math.max(this.longestMs, performance.now() - started)
    }
  }

  #count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1)
  }
}

const engines = [
  `${east}-aggregated-apiserver`,
  `${east}-kube-apiserver`,
  'clusterpedia-apiserver',
  'clusterpedia-clustersynchro-manager',
  'postgres',
]
const ways = ['is away', 'is frozen', 'crashes and is started again'] as const

describe('a list with fewer objects than its owner has carries a warning', () => {
  const stack = inject('stack')
  const home = mkdtempSync(join(tmpdir(), 'kairship-never-fewer-'))
  let proxy: RealProxy
  let client: ProxyClient

  beforeAll(async () => {
    proxy = await startRealProxy(stack, 'never-fewer')
    client = proxy.client()
    const { karmada } = proxy
    await karmada.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
    for (let index = 0; index < 12; index++)
      await karmada.must('POST', maps.replace(/\?.*/, ''), { metadata: { name: `map-${index}` } })
    for (let index = 0; index < 5; index++)
      await karmada.must('POST', policies.replace(/\?.*/, ''), {
        apiVersion: 'policy.karmada.io/v1alpha1',
        kind: 'PropagationPolicy',
        metadata: { name: `policy-${index}` },
        spec: { resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'none' }] },
      })
    await eventually(whole, 'all lists are whole, and the index answers')
  })
  afterAll(async () => {
    client?.close()
    if (proxy) {
      const karmada = new ApiClient(proxy.karmada.credentials)
      await karmada.send('DELETE', `/api/v1/namespaces/${namespace}`)
      await karmada.close()
      await proxy.close()
    }
    rmSync(home, { recursive: true })
  })

  /** Everything is in order again: all lists are whole, and the index answers what it answers. */
  async function whole(): Promise<boolean> {
    for (const [path, count] of Object.entries(owned)) {
      const { status, headers, text } = await client.ask('GET', path)
      if (status !== 200 || headers.warning !== undefined) return false
      if ((JSON.parse(text) as KubeList<KubeObject>).items.length < count) return false
      if (path !== clusters && headers['kairship-source'] !== 'index') return false
    }
    return true
  }

  async function breaks(engine: string, way: (typeof ways)[number]): Promise<void> {
    const pause = () => new Promise(resolve => setTimeout(resolve, AWAY_MS))
    if (way === 'is frozen') {
      await control(stack.control, engine, 'freeze')
      try {
        await pause()
      } finally {
        await control(stack.control, engine, 'thaw')
      }
      return
    }
    await control(stack.control, engine, way === 'is away' ? 'stop' : 'crash')
    try {
      if (way === 'is away') await pause()
    } finally {
      await control(stack.control, engine, 'start')
    }
  }

  it.each(engines.flatMap(engine => ways.map(way => [engine, way] as const)))(
    'while %s %s',
    async (engine, way) => {
      const readers = new Readers(client)
      try {
        await breaks(engine, way)
        await eventually(whole, 'everything in order again')
        // Clusterpedia's status may still be one report late.
        await new Promise(resolve => setTimeout(resolve, 3_000))
      } finally {
        await readers.stop()
      }
      console.log(
        `${engine} ${way}: the slowest answer took ${(readers.longestMs / 1000).toFixed(1)} s`,
        Object.fromEntries([...readers.counts].sort()),
      )
      expect(readers.liars).toEqual([])
      expect(readers.counts.size).toBeGreaterThan(0)
    },
  )
})
