import { Command, CommanderError, Option } from 'commander'
import {
  type CommandName,
  type Config,
  defaults,
  type Setting,
  type SettingName,
  settings,
} from '../../config.js'
import { KubeconfigError } from '../../ports/kube-api.js'
import { ServiceSettingError } from '../../ports/service-error.js'
import { CommandError, ExitCode } from '../exit-code.js'
import { listenProblem } from '../settings/listen-problem.js'
import {
  ConfigError,
  flagOf,
  loadConfig,
  type Sources,
  settableFrom,
  settingsOf,
} from '../settings/load-config.js'
import { addAccessCommands } from './access-commands.js'
import { chaosHelp } from './chaos-help.js'
import { addElsewhere } from './elsewhere.js'
import { versionText } from './version.js'

/** What a command does once its settings are parsed. Returns the exit code. */
export type Action = (config: Config, ...names: readonly string[]) => Promise<ExitCode>

/** One action per command. */
export type Actions = Readonly<Record<CommandName, Action>>
/** The commands that run something; `commands.ts` provides them. The others ask a running Kairship, and `cli/` has them. */
export type ServerActions = Pick<Actions, 'playground' | 'serve' | 'apiserver' | 'controller-manager'>

/** What `get`, `describe`, `inspect` and `delete` accept for Instances, as kubectl does. */
export const instanceNouns = ['instance', 'instances', 'inst'] as const

/** What a command line touches of the outside: the process's own, or a test's. */
export interface Terminal {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
}

/** What an action gets of its process. */
export interface ProcessContext {
  readonly terminal: Terminal
  /** Aborts at the first signal to stop. */
  readonly interrupted: AbortSignal
}

/**
 * Runs one command line.
 * @param args without the interpreter and the script
 * @returns the exit code; never throws for anything a user can cause
 */
export async function run(
  args: readonly string[],
  actions: Actions,
  sources: Omit<Sources, 'flags'>,
  terminal: Terminal,
): Promise<ExitCode> {
  let exitCode: ExitCode = ExitCode.ok
  const program = describeProgram(terminal, async (name, command, names) => {
    const config = loadConfig(name, { ...sources, flags: command.opts() })
    try {
      exitCode = await actions[name](config, ...names)
    } catch (error) {
      throw listenProblem(error, config)
    }
  })
  try {
    await program.parseAsync(args, { from: 'user' })
    return exitCode
  } catch (error) {
    // Commander has already written its own message (or the help text).
    if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.ok : ExitCode.usage
    if (error instanceof ConfigError) {
      for (const problem of error.problems) terminal.err(`error: ${problem}\n`)
      return ExitCode.usage
    }
    if (error instanceof CommandError) {
      terminal.err(`error: ${error.message}\n`)
      return error.exitCode
    }
    // Errors that a user can fix are one line; anything else is a defect and shows its stack.
    if (error instanceof KubeconfigError || error instanceof ServiceSettingError) {
      terminal.err(`error: ${error.message}\n`)
      return ExitCode.usage
    }
    throw error
  }
}

type Started = (name: CommandName, command: Command, names: readonly string[]) => Promise<void>

function describeProgram(terminal: Terminal, started: Started): Command {
  const program = new Command('kairship')
    .description('Runs a fleet of Karmada control planes, with one API and one proxy for all of them.')
    .version(versionText(), '-V, --version', 'print the version')
    .helpCommand('help [command]', 'print help for a command')
    .addHelpText('after', afterHelp)
    .exitOverride()
    // A setting belongs to the command that it follows: `playground` and `playground chaos` share one.
    .enablePositionalOptions()
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.err })
    .showSuggestionAfterError()
  const add = (parent: Command, name: CommandName, usage: string, summary: string): Command => {
    const command = parent.command(usage).description(summary)
    const noun = instanceNouns.find(each => each === command.name())
    if (noun) command.aliases(instanceNouns.filter(each => each !== noun))
    for (const setting of settingsOf(name))
      if (settableFrom(setting, 'flag')) command.addOption(optionOf(setting, name))
    return command.action((...given: unknown[]) => started(name, command, namesIn(given)))
  }
  const playground = add(
    program,
    'playground',
    'playground',
    'start a whole fleet on this machine, Kairship included, and print what to try',
  )
  add(
    playground,
    'playground chaos',
    'chaos <action> [member]',
    'make a member of a running playground fail on purpose, or heal it',
  ).addHelpText('after', chaosHelp)
  add(program, 'serve', 'serve', 'run the controllers and serve the API in one process')
  add(program, 'apiserver', 'apiserver', 'serve the API without the controllers')
  add(
    program,
    'controller-manager',
    'controller-manager',
    'run the controllers; they act while this replica holds the lease',
  )
  const get = program.command('get').description('list what a running Kairship manages')
  add(get, 'get instances', 'instances [name...]', 'list instances and their state')
  addElsewhere(get)
  const describe = program.command('describe').description('explain one thing a running Kairship manages')
  add(describe, 'describe instance', 'instance <name>', 'print the state of an instance and its cause')
  const inspect = program.command('inspect').description('follow one thing a running Kairship manages')
  add(
    inspect,
    'inspect instance',
    'instance <name>',
    'print the events, transitions and effects of its state machine as they happen',
  )
  add(
    program,
    'adopt',
    'adopt <name>',
    'manage a running Karmada control plane; a Secret on the host cluster has its kubeconfig',
  )
  const remove = program.command('delete').description('remove what a running Kairship manages')
  add(
    remove,
    'delete instance',
    'instance <name...>',
    'take instances out of management; one that Kairship installed is uninstalled where its deletionPolicy says so',
  )
  add(
    program,
    'kubeconfig',
    'kubeconfig <instance>',
    'print a kubeconfig for an instance through Kairship, which holds your token, or with --role one with a token of its own',
  )
  add(
    program,
    'console',
    'console',
    'print a link that opens the console, the web page of a running Kairship, signed in as you',
  )
  add(
    program,
    'login',
    'login',
    'log in with your own account, and write a kubeconfig with a context for each instance you may see',
  )
  add(program, 'logout', 'logout', 'end your login: withdraw its tokens at the issuer, and forget them here')
  add(
    program,
    'credential',
    'credential',
    'print the credential of a login, for kubectl: a credential plugin, which a kubeconfig of "kairship login" names',
  )
  add(
    program,
    'clusters',
    'clusters <instance> [name...]',
    'list the member clusters of an instance: whether they are ready, their nodes, and the part of CPU and memory that is requested',
  )
  add(
    program,
    'workloads',
    'workloads <instance> [name...]',
    'list the Deployments, StatefulSets and DaemonSets of an instance with their replicas over all clusters',
  )
  add(
    program,
    'policies',
    'policies <instance> [name...]',
    'list the propagation and override policies of an instance: what they select, and what they do with it',
  )
  add(
    program,
    'trace',
    'trace <instance> <type> [object]',
    'follow a template into its member clusters and name the first step that is broken, with what helps; for example: trace eu-west deployment shop/web, or trace eu-west deployment/web -n shop',
  )
  add(
    program,
    'explain',
    'explain <instance> <type> [object]',
    'say for each member cluster why a template runs there or does not',
  )
  add(
    program,
    'preview',
    'preview <instance> [file]',
    'say what a policy or a role binding in a file (- for standard input) would do, before it is applied; a role binding names its instance or workspace itself: preview shop-team.yaml',
  )
  addAccessCommands(program, add)
  add(
    program,
    'rollback',
    'rollback <instance> <type> [object]',
    'give a workload the pod template of its revision before, or of --to; --list prints its revisions. For example: rollback eu-west deployment/web -n shop',
  )
  add(
    program,
    'logs',
    'logs <instance> <type> [object]',
    'print what the pods of a workload write in all member clusters, by time',
  )
  add(
    program,
    'completion',
    'completion <shell>',
    'print the completion script of a shell: bash, zsh or fish',
  )
  add(program, 'version', 'version', 'print the version of this program')
  return program
}

/** Commander hands over the arguments, then the options and the command itself. A variadic argument is one array. */
const namesIn = (given: readonly unknown[]): readonly string[] =>
  given
    .slice(0, -2)
    .flat()
    .filter((name): name is string => typeof name === 'string')

function optionOf(name: SettingName, command: CommandName): Option {
  const { kind, short, help, group }: Setting = settings[name]
  const flags = `${short ? `-${short}, ` : ''}${flagOf(name)}${kind.placeholder ? ` <${kind.placeholder}>` : ''}`
  const value = defaults(command)[name]
  const note = value === undefined || value === false || value === '' ? '' : ` (default: ${value})`
  const option = new Option(flags, `${help}${note}`).helpGroup(`${group}:`)
  // Commander takes `--no-headers` for the opposite of a flag `--headers`, which does not exist.
  option.negate = false
  // A flag may be called otherwise than its setting.
  option.attributeName = () => name
  return option
}

const afterHelp = `
Every flag is also an environment variable (--lease-duration-ms is KAIRSHIP_LEASE_DURATION_MS) and a line in the
file named by --config (leaseDurationMs: 15000). Flags win over variables, variables over the file.
docs/configuration.md lists every setting with the reason for its default.

Exit codes: ${Object.entries(ExitCode)
  .map(([name, code]) => `${code} ${name}`)
  .join(', ')}.

Start with: kairship playground`
