import { startMember } from '../../../playground/member/member.js'
import { silent } from '../../silent.js'
import { identityOf } from '../credentials.js'
import { workloadConformance } from './suite.js'

/** The embedded member is held to what the real controllers do. */
workloadConformance(async () => {
  const { server, close } = await startMember({
    name: 'member',
    log: silent,
    podStartMs: 20,
    podRunMs: 20,
    podStopMs: 20,
  })
  const as = async (name: string, group: string) =>
    identityOf(await server.kubeconfig({ name, groups: [group] }))
  return {
    name: 'embedded member',
    url: server.url,
    ca: server.certificateAuthority,
    administrator: await as('kubernetes-admin', 'system:masters'),
    alice: await as('alice', 'developers'),
    close,
  }
})
