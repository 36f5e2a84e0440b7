/** The program of a worker (`--workers`): the parent starts it, and speaks to it over a pipe. Its parts are in `http/workers/`. */
import { Socket } from 'node:net'
import { allocateYoung, bindYoung } from './actors/fleet/young-objects.js'
import { UpstreamOnDemand } from './actors/instance/impersonation/upstream-on-demand.js'
import { kubeConnector } from './actors/kube/connector.js'
import { WORKER_PIPE } from './http/workers/channel.js'
import { runWorker } from './http/workers/worker.js'

if (!process.connected) {
  process.stderr.write(
    'error: this program is started by `kairship apiserver --workers`, and by nothing else\n',
  )
  process.exit(2)
}
// A terminal sends them to the whole group of processes. The parent is one of it, and says when to end.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
process.on('disconnect', () => process.exit(1))

// A worker serves nothing but requests, which are what it is about.
allocateYoung()
bindYoung()
const { connectAs } = kubeConnector()
runWorker({
  pipe: new Socket({ fd: WORKER_PIPE, readable: true, writable: true }),
  onSocket: take => process.on('message', take),
  connect: (server, kubeconfig, tokens) =>
    new UpstreamOnDemand(server, () => {
      if (!connectAs) throw new Error('this connector knows no accounts')
      return connectAs(kubeconfig, tokens)
    }),
  exit: code => process.exit(code),
})
