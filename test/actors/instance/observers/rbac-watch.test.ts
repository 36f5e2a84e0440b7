import { BehaviorSubject } from 'rxjs'
import { expect, it, onTestFinished } from 'vitest'
import { createActor, createMachine } from 'xstate'
import { AskingBudget } from '../../../../actors/instance/asking-budget.js'
import type { InstanceDependencies } from '../../../../actors/instance/dependencies.js'
import { watchRoleBindings } from '../../../../actors/instance/observers/rbac-watch.js'
import type { InstanceRole } from '../../../../manifests/instance-role-binding.js'
import { unmetered } from '../../../silent.js'
import { instanceRoleBinding, roleBindingIndex } from '../../host/role-bindings/watched-roles.js'
import { scriptedApi } from '../../scripted-api.js'

const RBAC = '/apis/rbac.authorization.k8s.io/v1'
const LISTS_OF_RBAC = ['clusterrolebindings', 'rolebindings', 'clusterroles'].map(
  type => `GET ${RBAC}/${type}`,
)
const LIST_OF_NAMESPACES = 'GET /api/v1/namespaces'

/** The observer of `eu`, over bindings that a test sends. */
function watching({ inContact, large = false }: { inContact: boolean; large?: boolean }) {
  const { index, bindings } = roleBindingIndex()
  const lost = { reason: 'Unreachable', stage: 'role bindings', message: 'reset' } as const
  if (!inContact) bindings.contact.next(lost)
  let looks = 0
  const roleBindings = {
    changesOf: (name: string) => index.changesOf(name),
    of: (name: string) => {
      looks += 1
      return index.of(name)
    },
  }
  const inside = scriptedApi()
  const logic = watchRoleBindings({
    host: { roleBindings },
    connectionOf: () => ({ changes: new BehaviorSubject({ api: inside }) }),
    startupBurst: { large },
    asking: new AskingBudget(() => 1_000),
    meter: unmetered,
  } as unknown as InstanceDependencies)
  const actor = createActor(createMachine({ invoke: { src: logic, input: { name: 'eu' } } })).start()
  onTestFinished(() => void actor.stop())
  const change = (type: 'ADDED' | 'DELETED', name: string, role: InstanceRole = 'Viewer', instance = 'eu') =>
    type === 'DELETED' ? bindings.hide(name) : bindings.show(instanceRoleBinding(name, instance, role))
  return {
    change,
    listed: () => bindings.contact.next('made'),
    /** What it began to watch inside since it was asked before. */
    began: () => inside.lines.splice(0).toSorted(),
    looks: () => looks,
  }
}

it('the RBAC inside is watched from the first role binding on, anew after there was none, and not for those of another instance', () => {
  const { change, began } = watching({ inContact: true })
  change('ADDED', 'theirs', 'Viewer', 'us')
  expect(began()).toEqual([])
  change('ADDED', 'a')
  expect(began()).toEqual(LISTS_OF_RBAC.toSorted())
  change('ADDED', 'b')
  change('DELETED', 'a')
  expect(began()).toEqual([])
  change('DELETED', 'b')
  change('ADDED', 'a')
  expect(began()).toEqual(LISTS_OF_RBAC.toSorted())
})

it('new namespaces are watched for Editors of the whole instance, in a large fleet too', () => {
  const { change, began } = watching({ inContact: true, large: true })
  change('ADDED', 'a')
  expect(began()).toEqual([])
  change('ADDED', 'b', 'Editor')
  expect(began()).toEqual([LIST_OF_NAMESPACES])
})

it('role bindings of a list are looked at once, when it ends', () => {
  const { change, began, looks, listed } = watching({ inContact: false })
  const before = looks()
  for (let each = 0; each < 50; each++) change('ADDED', `${each}`)
  expect([looks() - before, began()]).toEqual([0, []])
  listed()
  expect([looks() - before, began()]).toEqual([1, LISTS_OF_RBAC.toSorted()])
})
