/**
 * What one watch costs: memory of an idle one, CPU of one event. Over TLS, against an embedded API server in a process of
 * its own, so that the figures are those of the watching side alone.
 *
 *     node dist/bench/watch.js [--watches 1000] [--events 20000] [--json]
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Subscription } from 'rxjs'
import { connectKube } from '../actors/kube/connection.js'
import { parseKubeconfig } from '../actors/kube/kubeconfig.js'
import { type KubeObject, resourcePath } from '../manifests/kube.js'
import { startApiServer } from '../playground/apiserver/server.js'
import { keepWatching } from '../streams/keep-watching.js'
import { listWatch } from '../streams/list-watch.js'
import { ObjectStore } from '../streams/object-store.js'
import { reflectInto } from '../streams/reflect.js'

const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' }
const namespace = 'default'

/** The other process: an API server that changes one object of 2 KB as often as it is told. */
async function serve(): Promise<void> {
  const server = await startApiServer({ name: 'bench', defaultAccounts: false })
  const body = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'busy' },
    data: { text: 'x'.repeat(2_000) },
  }
  await server.local.request({ method: 'POST', path: resourcePath(CONFIG_MAPS, { namespace }), body })
  process.on('message', (changes: number) => {
    void (async () => {
      for (let change = 0; change < changes; change++)
        await server.local.request({
          method: 'PATCH',
          path: resourcePath(CONFIG_MAPS, { namespace, name: 'busy' }),
          body: { data: { change: String(change) } },
          contentType: 'application/merge-patch+json',
        })
    })()
  })
  process.on('disconnect', () => void server.close().finally(() => process.exit()))
  process.send?.(await server.kubeconfig({ name: 'bench', groups: ['system:masters'] }))
}

function memory(): { rss: number; heap: number } {
  for (let i = 0; i < 4; i++) globalThis.gc?.()
  const { rss, heapUsed } = process.memoryUsage()
  return { rss, heap: heapUsed }
}

async function measure(watches: number, events: number) {
  const child = fork(fileURLToPath(import.meta.url), ['--serve'], { execArgv: [] })
  const [kubeconfig] = (await once(child, 'message')) as [string]
  const api = await connectKube(parseKubeconfig(kubeconfig, { local: false }))
  await api.request({ method: 'GET', path: '/version' })
  const before = memory()
  const all = new Subscription()
  let synced = 0
  let changes = 0
  let wake = (): void => undefined
  const until = async (reached: () => boolean) => {
    while (!reached())
      await new Promise<void>(resolve => {
        wake = resolve
      })
  }
  const startedAt = performance.now()
  for (let i = 0; i < watches; i++) {
    const store = new ObjectStore<KubeObject>()
    const source = keepWatching(listWatch<KubeObject>(api, CONFIG_MAPS, { namespace }))
    all.add(
      source.pipe(reflectInto(store)).subscribe(change => {
        if (change.type === 'SYNCED') synced++
        else if (change.type === 'MODIFIED') changes++
        wake()
      }),
    )
  }
  await until(() => synced === watches)
  const seconds = (performance.now() - startedAt) / 1000
  await new Promise(resolve => setTimeout(resolve, 3_000)) // the sockets of the watches are still being opened
  const after = memory()

  const rounds = Math.max(1, Math.round(events / watches))
  const cpu = process.cpuUsage()
  child.send(rounds)
  await until(() => changes >= rounds * watches)
  const { user, system } = process.cpuUsage(cpu)
  all.unsubscribe()
  await api.close()
  child.disconnect()
  const perWatch = (a: number, b: number) => Math.round((a - b) / watches / 102.4) / 10
  return {
    bench: 'watch',
    watches,
    secondsUntilAllSynced: Math.round(seconds * 100) / 100,
    rssKiBPerIdleWatch: perWatch(after.rss, before.rss),
    heapKiBPerIdleWatch: perWatch(after.heap, before.heap),
    events: changes,
    cpuMicrosecondsPerEvent: Math.round((user + system) / changes),
  }
}

const { values } = parseArgs({
  options: {
    serve: { type: 'boolean' },
    watches: { type: 'string', default: '1000' },
    events: { type: 'string', default: '20000' },
    json: { type: 'boolean' },
  },
})
if (values.serve) await serve()
else {
  const result = await measure(Number(values.watches), Number(values.events))
  if (!values.json) console.table(result)
  else console.log(JSON.stringify(result))
}
