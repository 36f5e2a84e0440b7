import { startApiServer } from '../../../playground/apiserver/server.js'
import { identityOf } from '../credentials.js'
import { differences } from './differences.js'
import { apiServerConformance } from './suite.js'
import type { Target } from './target.js'

/** The embedded server is held to what the real one does. */
apiServerConformance(async (): Promise<Target> => {
  const server = await startApiServer({ name: 'conformance' })
  return {
    name: 'embedded',
    url: server.url,
    ca: server.certificateAuthority,
    administrator: identityOf(
      await server.kubeconfig({ name: 'kubernetes-admin', groups: ['system:masters'] }),
    ),
    alice: identityOf(await server.kubeconfig({ name: 'alice', groups: ['developers'] })),
    compact: async () => {
      server.interrupt({ kind: 'compact' })
    },
    close: () => server.close(),
  }
}, differences)
