import type { CommandName } from '../../config.js'
import { type Setting, type SettingName, settings } from '../../config.js'
import { chaosActions } from '../../ports/chaos.js'
import { CommandError, ExitCode } from '../exit-code.js'
import { flagOf, settableFrom, settingsOf } from '../settings/load-config.js'
import { instanceNouns } from './program.js'

/** Commands that take one name of an instance. */
const takesName: readonly CommandName[] = [
  'describe instance',
  'inspect instance',
  'kubeconfig',
  'clusters',
  'workloads',
  'policies',
  'trace',
  'explain',
  'preview',
  'can-i',
  'who-can',
  'rollback',
  'logs',
]

/** Commands that take names of instances. */
const takesNames: readonly CommandName[] = ['get instances', 'delete instance']

/** Those of more words first: a shell takes the first that fits. */
const commands: readonly CommandName[] = [...settings.config.commands].sort(
  (one, other) => other.split(' ').length - one.split(' ').length,
)

/** Prints the names of instances, or nothing where no Kairship answers. */
const printNames = "kairship get instances -o 'custom-columns=N:.metadata.name' --no-headers 2>/dev/null"

/** Words after which others may come, and those words: `get` → `instances`. */
function words(): Map<string, readonly string[]> {
  const found = new Map<string, Set<string>>()
  const add = (before: string, word: string): unknown =>
    found.set(before, (found.get(before) ?? new Set()).add(word))
  for (const command of commands) {
    const [first = '', second] = command.split(' ')
    add('', first)
    if (second) add(first, second)
  }
  for (const action of [...chaosActions, 'list']) add('playground chaos', action)
  for (const shell of Object.keys(scripts)) add('completion', shell)
  return new Map([...found].map(([before, after]) => [before, [...after].sort()]))
}

const flags = (command: CommandName): readonly string[] => [
  ...settingsOf(command)
    .filter(name => settableFrom(name, 'flag'))
    .map(flagOf),
  '--help',
]

/** Flags that take a value, which is not completed. */
const valued = (): readonly string[] => [
  ...new Set(
    (Object.keys(settings) as (keyof typeof settings)[])
      .filter(
        name => settableFrom(name, 'flag') && (settings[name] as Setting).kind.placeholder !== undefined,
      )
      .flatMap(name => {
        const { short } = settings[name] as Setting
        return [flagOf(name), ...(short ? [`-${short}`] : [])]
      }),
  ),
]

const isInstanceNoun = (noun: string | undefined): boolean =>
  (instanceNouns as readonly (string | undefined)[]).includes(noun)

/** A command with each noun that it accepts: `get instance`, `get instances`, `get inst`. */
const spellings = (command: CommandName): readonly string[] => {
  const [verb, noun] = command.split(' ')
  return !isInstanceNoun(noun) ? [command] : instanceNouns.map(each => `${verb} ${each}`)
}

/** A pattern of a shell's `case`: the command, and where `more`, the command with arguments. */
const pattern = (command: CommandName, more: boolean): string =>
  spellings(command)
    .flatMap(each => (more ? [`'${each}'`, `'${each} '*`] : [`'${each}'`]))
    .join('|')

// No variable may be called `path`: in zsh that is PATH, and the program would not be found.
function bash(): string {
  const withValue = valued().join('|')
  const named = [
    ...takesName.map(command => pattern(command, false)),
    ...takesNames.map(command => pattern(command, true)),
  ]
  return `# kairship completion for bash. Load it with: source <(kairship completion bash)
_kairship() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local typed="" word="" before="" choices="" i
  COMPREPLY=()
  case "$previous" in
    ${withValue}) return ;;
  esac
  for ((i = 1; i < COMP_CWORD; i++)); do
    before="$word"
    word="\${COMP_WORDS[i]}"
    case "$before" in
      ${withValue}) continue ;;
    esac
    case "$word" in
      -*) ;;
      *) typed="\${typed:+$typed }$word" ;;
    esac
  done
  if [[ $current == -* ]]; then
    case "$typed" in
${commands.map(command => `      ${pattern(command, true)}) choices='${flags(command).join(' ')}' ;;`).join('\n')}
    esac
  else
    case "$typed" in
${[...words()].map(([before, after]) => `      '${before}') choices='${after.join(' ')}' ;;`).join('\n')}
      ${named.join('|')}) choices="$(${printNames})" ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$choices" -- "$current"))
}
complete -o default -F _kairship kairship
`
}

/** zsh runs bash's completion by bashcompinit, which comes with it. */
function zsh(): string {
  return `#compdef kairship
# kairship completion for zsh. Load it with: source <(kairship completion zsh)
(( \${+functions[compdef]} )) || { autoload -U +X compinit && compinit; }
autoload -U +X bashcompinit && bashcompinit
${bash()}`
}

function fish(): string {
  const typed = (command: CommandName): string =>
    spellings(command)
      .map(each => `'${each}'`)
      .join(' ')
  const lines = [
    '# kairship completion for fish. Load it with: kairship completion fish | source',
    '# True where the words typed so far, flags left out, are one of the arguments.',
    'function __kairship_typed',
    "  set -l words (string match -v -- '-*' (commandline -opc)[2..-1])",
    '  contains -- "$words" $argv',
    'end',
    '# The same, also where more words follow.',
    'function __kairship_below',
    "  set -l words (string match -v -- '-*' (commandline -opc)[2..-1])",
    '  for each in $argv',
    '    string match -q -- "$each *" "$words "; and return 0',
    '  end',
    '  return 1',
    'end',
    'complete -c kairship -f',
    ...[...words()].map(
      ([before, after]) => `complete -c kairship -n "__kairship_typed '${before}'" -a '${after.join(' ')}'`,
    ),
    ...takesName.map(
      command => `complete -c kairship -n "__kairship_typed ${typed(command)}" -a "(${printNames})"`,
    ),
    ...takesNames.map(
      command => `complete -c kairship -n "__kairship_below ${typed(command)}" -a "(${printNames})"`,
    ),
    ...commands.flatMap(command =>
      settingsOf(command)
        .filter(name => settableFrom(name, 'flag'))
        .map(name => `complete -c kairship -n "__kairship_below ${typed(command)}" ${fishFlag(name)}`),
    ),
  ]
  return `${lines.join('\n')}\n`
}

/** Files are offered for the flags that take one, and choices where there are some. */
function fishFlag(name: SettingName): string {
  const { help, kind, short } = settings[name] as Setting
  const value =
    kind.placeholder === undefined
      ? ''
      : kind.placeholder === 'path' || kind.placeholder === 'folder'
        ? ' -r -F'
        : kind.placeholder.includes('|')
          ? ` -x -a '${kind.placeholder.replaceAll('|', ' ')}'`
          : ' -x'
  return `-l ${flagOf(name).slice(2)}${short ? ` -s ${short}` : ''}${value} -d '${help.replaceAll("'", '’')}'`
}

const scripts: Readonly<Record<string, () => string>> = { bash, zsh, fish }

/** `kairship completion bash|zsh|fish`. @throws CommandError for another shell */
export function completion(shell: string): string {
  const script = scripts[shell]
  if (script) return script()
  throw new CommandError(
    `no completion for ${shell}: there is one for ${Object.keys(scripts).join(', ')}`,
    ExitCode.usage,
  )
}
