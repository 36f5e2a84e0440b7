import type { Command } from 'commander'
import type { CommandName } from '../../config.js'

/** Adds a command below another one: its name in the settings, what is typed, and what it does. */
export type AddCommand = (parent: Command, name: CommandName, usage: string, summary: string) => Command

/** The commands about who may do what, and why. */
export function addAccessCommands(program: Command, add: AddCommand): void {
  add(
    program,
    'whoami',
    'whoami',
    'say whom the server takes you for, by which credential, and your roles on instances',
  )
  add(
    program,
    'can-i',
    'can-i <instance> <verb> <resource> [name]',
    'say whether you, or --user, may do something, by which bindings, and the first missing link; for example: can-i eu-west create deployments.apps -n shop, or can-i eu-west get pods/log -n shop --cluster member1',
  )
  add(
    program,
    'who-can',
    'who-can <instance> <verb> <resource> [name]',
    'list the users, groups and service accounts that may do something in a control plane, and by which bindings',
  )
  add(
    program,
    'lock',
    'lock <target...>',
    'lock somebody out of Kairship, and end what they have open within a second; for example: lock user/ann --message "call security" --for 2h, or lock group/dev instance/eu-west, or lock token/<jti>',
  )
  add(program, 'unlock', 'unlock <name...>', 'lift locks')
  add(program, 'locks', 'locks', 'list who is locked out, by whom, and until when')
  add(
    program,
    'roles',
    'roles [place]',
    'list who was given which role, until when and why: on an instance, in a workspace as workspace/NAME, or everywhere',
  )
  add(
    program,
    'give-role',
    'give-role <role> <target...>',
    'give Admin, Editor or Viewer on an instance or in a workspace; for example: give-role Editor group/dev instance/eu-west -n shop --for 2h --reason INC-7, or give-role Viewer user/ann serviceaccount/ci/deployer workspace/shop',
  )
  add(
    program,
    'take-role',
    'take-role <name...>',
    'take roles away, by the names that "kairship roles" prints: NAME, or workspace/NAME',
  )
  const workspace = program
    .command('workspace')
    .description('list workspaces, and say which instances and namespaces belong to them')
  add(workspace, 'workspace list', 'list [name]', 'list workspaces, and what belongs to each')
  add(
    workspace,
    'workspace bind',
    'bind <workspace> <instance...>',
    'let instances, or with --namespace namespaces of them, belong to a workspace: its members have their roles there; for example: workspace bind shop instance/eu-west -n checkout',
  )
  add(
    workspace,
    'workspace unbind',
    'unbind <workspace> <instance...>',
    'let instances, or with --namespace namespaces of them, belong to a workspace no more; roles through it end',
  )
  add(
    program,
    'audit',
    'audit [instance]',
    'print who did what in the last hours, as far as the replica that answers has seen it',
  )
}
