/**
 * What callers of one instance notice while a fleet comes up beside it: answers of the proxy alone, and while the others converge.
 *
 *     npm run bench:beside -- [--instances 3000] [--apart] [--per-second 100] [--alone-seconds 20] [--give-up-seconds 400] [--json]
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import type { CallersOrder, CallersReport } from './beside/callers.js'
import { instanceEndpoint } from './beside/instance.js'
import { ASKED, IMPERSONATED, startKairship } from './beside/kairship.js'
import { PlaygroundProcess } from './playground-process.js'
import { CORES, pinThisProcess } from './proxy/process.js'

const { values } = parseArgs({
  options: {
    instances: { type: 'string', default: '3000' },
    apart: { type: 'boolean', default: false },
    'per-second': { type: 'string', default: '100' },
    'alone-seconds': { type: 'string', default: '20' },
    'give-up-seconds': { type: 'string', default: '400' },
    json: { type: 'boolean', default: false },
  },
})
const instances = Number(values.instances)
const say = (line: string): void => void process.stderr.write(`${line}\n`)
/** Does not keep this process: its children do that while there is something to wait for. */
const pause = (ms: number): Promise<'late'> => new Promise(resolve => setTimeout(resolve, ms, 'late').unref())

// Everything that is started from here inherits it: the API server alone is put on the other core.
pinThisProcess(CORES.others)
const playground = new PlaygroundProcess({ instances, membersPerInstance: 0, standIn: true })
const closers: (() => Promise<void>)[] = [() => playground.stop()]
try {
  const { kubeconfig } = await playground.told('up')
  const kairship = await startKairship(kubeconfig, { apart: values.apart, core: CORES.proxy })
  closers.push(kairship.stop)
  playground.send({ kind: 'resize', to: 1 })
  await playground.told('resized')
  const callers = fork(new URL('./beside/callers.js', import.meta.url), { execArgv: [] })
  closers.push(async () => {
    const ended = once(callers, 'exit')
    if (callers.connected) callers.disconnect()
    await ended
  })
  /** What the callers saw since they were asked last. */
  const seen = async (): Promise<CallersReport> => {
    callers.send('report')
    return ((await once(callers, 'message')) as [CallersReport])[0]
  }
  callers.send({
    proxy: { url: `${kairship.url}${IMPERSONATED}`, token: 'bench' },
    direct: await instanceEndpoint(kubeconfig, ASKED),
    perSecond: Number(values['per-second']),
  } satisfies CallersOrder)
  // Compiled, connected and authenticated before it counts.
  await pause(5_000)
  await seen()
  await pause(Number(values['alone-seconds']) * 1_000)
  const alone = await seen()
  say(`alone: ${JSON.stringify(alone)}`)
  const stopSaying = playground.onProgress(async ready => say(`${ready} ready`))
  playground.send({ kind: 'resize', to: instances })
  const resized = await Promise.race([
    playground.told('resized'),
    pause(Number(values['give-up-seconds']) * 1_000),
  ])
  stopSaying()
  const beside = await seen()
  const result = {
    bench: 'beside',
    instances,
    processes: values.apart ? 'an API server and a controller manager' : 'one that leads and serves',
    cores:
      CORES.proxy === undefined ? 'shared' : 'the process that serves on one, everything else on the other',
    load: loadavg()[0],
    secondsToAllReady: resized === 'late' ? null : Math.round(resized.ms / 100) / 10,
    alone,
    beside,
    p99BesideToAlone: Math.round((beside.p99 / alone.p99) * 100) / 100,
  }
  process.stdout.write(`${JSON.stringify(result, null, values.json ? 0 : 2)}\n`)
} finally {
  for (const close of closers.reverse()) await close()
}
