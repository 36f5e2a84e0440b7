import { readFileSync } from 'node:fs'
import { kubeConnector } from '../../actors/kube/connector.js'
import { join } from '../../playground/karmada/join.js'
import { type Member, startMember } from '../../playground/member/member.js'
import { silent } from '../silent.js'

/**
 * Starts members of these names and joins them to a control plane: some specs name the cluster that they mean.
 * @param kubeconfig a file whose current context is the control plane's administrator
 * @returns what ends them
 */
export async function joinNamedMembers(
  kubeconfig: string,
  names: readonly string[],
): Promise<() => Promise<void>> {
  const control = await kubeConnector().connect(readFileSync(kubeconfig, 'utf8'))
  const members: Member[] = []
  const close = async () => {
    for (const member of members) await member.close()
  }
  try {
    for (const name of names) {
      const member = await startMember({ name, log: silent })
      members.push(member)
      await join({ control, member: member.server.local, name, apiEndpoint: member.server.url })
    }
    return close
  } catch (error) {
    await close()
    throw error
  } finally {
    await control.close()
  }
}
