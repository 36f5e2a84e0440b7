import type { CommandName } from '../config.js'
import { type Knob, knobs } from '../config.js'
import { CommandError, ExitCode } from './exit-code.js'
import { flagOf, knobsOf, settableFrom } from './load-config.js'

/** Commands that take names of instances. */
const named: readonly CommandName[] = [
  'get instances',
  'describe instance',
  'inspect instance',
  'delete instance',
  'kubeconfig',
]

const commands: readonly CommandName[] = knobs.config.commands

/** Prints the names of instances, or nothing where no Kairship answers. */
const askNames = "kairship get instances -o 'custom-columns=N:.metadata.name' --no-headers 2>/dev/null"

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
  for (const shell of Object.keys(scripts)) add('completion', shell)
  return new Map([...found].map(([before, after]) => [before, [...after].sort()]))
}

const flags = (command: CommandName): readonly string[] => [
  ...knobsOf(command)
    .filter(name => settableFrom(name, 'flag'))
    .map(flagOf),
  '--help',
]

/** Flags that take a value, which is not completed. */
const valued = (): readonly string[] => [
  ...new Set(
    (Object.keys(knobs) as (keyof typeof knobs)[])
      .filter(name => settableFrom(name, 'flag') && (knobs[name] as Knob).kind.placeholder !== undefined)
      .flatMap(name => {
        const { short } = knobs[name] as Knob
        return [flagOf(name), ...(short ? [`-${short}`] : [])]
      }),
  ),
]

/** The words that lead to a command, as a pattern of a shell's `case`. */
const cases = (line: (command: CommandName) => string): string => commands.map(line).join('\n')

function bash(): string {
  return `# kairship completion for bash. Load it with: source <(kairship completion bash)
_kairship() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" path="" word i
  COMPREPLY=()
  case "$previous" in
    ${valued().join('|')}) return ;;
  esac
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    case "$word" in
      -*) ;;
      *) path="\${path:+$path }$word" ;;
    esac
  done
  local choices=""
  case "$path" in
${[...words()].map(([before, after]) => `    '${before}') choices='${after.join(' ')}' ;;`).join('\n')}
${named.map(command => `    '${command}'|'${command} '*) [[ $current == -* ]] || choices="$(${askNames})" ;;`).join('\n')}
  esac
  if [[ $current == -* ]]; then
    case "$path" in
${cases(command => `      '${command}'|'${command} '*) choices='${flags(command).join(' ')}' ;;`)}
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
autoload -U +X compinit && compinit
autoload -U +X bashcompinit && bashcompinit
${bash()}`
}

function fish(): string {
  const under = (path: string): string =>
    path === '' ? '__fish_use_subcommand' : `test (string join ' ' (__kairship_words)) = '${path}'`
  const below = (command: string): string =>
    `string match -q -- '${command}*' (string join ' ' (__kairship_words))`
  const lines = [
    '# kairship completion for fish. Load it with: kairship completion fish | source',
    'function __kairship_words',
    "  string match -v -- '-*' (commandline -opc)[2..-1]",
    'end',
    'complete -c kairship -f',
    ...[...words()].map(
      ([before, after]) => `complete -c kairship -n "${under(before)}" -a '${after.join(' ')}'`,
    ),
    ...named.map(command => `complete -c kairship -n "${below(command)}" -a "(${askNames})"`),
    ...commands.flatMap(command =>
      knobsOf(command)
        .filter(name => settableFrom(name, 'flag'))
        .map(name => {
          const { help, kind, short } = knobs[name] as Knob
          const value = kind.placeholder === undefined ? '' : ' -r'
          return `complete -c kairship -n "${below(command)}" -l ${flagOf(name).slice(2)}${short ? ` -s ${short}` : ''}${value} -d '${help.replaceAll("'", '’')}'`
        }),
    ),
  ]
  return `${lines.join('\n')}\n`
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
