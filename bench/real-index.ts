/** The embedded index of `bench/real.ts`, in a process of its own so that its CPU is not the load generator's. */
import { kubeConnector } from '../actors/kube/connector.js'
import { startApiServer } from '../playground/apiserver/server.js'
import { startContainerManagement } from '../playground/container-management/container-management.js'
import { silent } from '../test/silent.js'

const host = await startApiServer({ name: 'bench' })
const management = await startContainerManagement({ host, connector: kubeConnector(), log: silent })
const administrator = { name: 'bench', groups: ['system:masters'] }
process.send?.({
  url: host.url,
  ca: host.certificateAuthority,
  token: await host.issueToken(administrator, 86_400),
})
process.once('disconnect', () => {
  void management
    .close()
    .then(() => host.close())
    .then(() => process.exit(0))
})
