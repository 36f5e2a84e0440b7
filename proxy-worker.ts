/** The program of a worker (`--workers`): the parent starts it, and speaks to it over a pipe. Its parts are in `http/workers/`. */
import { Socket } from 'node:net'
import { UpstreamOnDemand } from './actors/instance/impersonation/upstream-on-demand.js'
import { kubeConnector } from './actors/kube/connector.js'
import { runWorker } from './http/workers/worker.js'

/** As `http/workers/worker-process.ts` has it. */
const PIPE = 4

if (!process.connected) {
  process.stderr.write(
    'error: this program is started by `kairship apiserver --workers`, and by nothing else\n',
  )
  process.exit(2)
}
// A terminal sends them to the whole group of processes. The parent is one of it, and says when to end.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
process.on('disconnect', () => process.exit(1))

const { connectAs } = kubeConnector()
runWorker({
  pipe: new Socket({ fd: PIPE, readable: true, writable: true }),
  onSocket: take => process.on('message', take),
  connect: (kubeconfig, tokens) =>
    new UpstreamOnDemand(serverOf(kubeconfig), () => {
      if (!connectAs) throw new Error('this connector knows no accounts')
      return connectAs(kubeconfig, tokens)
    }),
  exit: code => process.exit(code),
})

/** For messages. The kubeconfig is written by the parent. */
function serverOf(kubeconfig: string): string {
  const { clusters } = JSON.parse(kubeconfig) as { clusters: readonly { cluster: { server: string } }[] }
  return clusters[0]?.cluster.server ?? 'the instance'
}
