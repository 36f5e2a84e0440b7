import type { Grant } from '../global-management/global-management.js'
import { NAME_PREFIX } from '../issuer/people.js'
import { PEOPLE } from './host.js'

const NAMES = ['eu-west', 'us-east', 'ap-south', 'sa-east', 'af-north'] as const

/** The workspaces of Global Management. */
export const WORKSPACE_NAMES = ['platform', 'shop'] as const

const group = (name: string) => ({ kind: 'Group', name: `${NAME_PREFIX}${name}` }) as const

/** The roles of the playground's users on every instance, and of the groups of its issuer. */
export const GRANTS: readonly Grant[] = [
  { key: 'admin', role: 'Admin', subjects: [{ kind: 'User', name: PEOPLE.admin.name }, group('admins')] },
  { key: 'editor', role: 'Editor', subjects: [group('editors')] },
  { key: 'viewer', role: 'Viewer', subjects: [{ kind: 'User', name: PEOPLE.viewer.name }, group('viewers')] },
]

/** `eu-west`, `us-east`, …, then `instance-0006`. @param index from 0 */
export const instanceName = (index: number): string =>
  NAMES[index] ?? `instance-${String(index + 1).padStart(4, '0')}`

/** `eu-west-a`, …, `eu-west-z`, then `eu-west-27`. @param index from 0 */
export const memberName = (instance: string, index: number): string =>
  `${instance}-${index < 26 ? String.fromCharCode(97 + index) : index + 1}`
