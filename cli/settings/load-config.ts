import { parse, YAMLParseError } from 'yaml'
import {
  type CommandName,
  type Config,
  contradictions,
  defaults,
  type Setting,
  type SettingName,
  type Source,
  settings,
} from '../../config.js'

/** The settings cannot be used. Each problem names the setting as it was given and what is allowed; exit code 2. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  constructor(
    readonly problems: readonly string[],
    options?: ErrorOptions,
  ) {
    super(problems.join('\n'), options)
  }
}

/** Where settings are looked for. The process's own arguments, environment and disk, or a test's. */
export interface Sources {
  /** Flags as given, by the name of the setting; only those really given. */
  readonly flags: Readonly<Record<string, unknown>>
  readonly environment: Readonly<Record<string, string | undefined>>
  /** @throws when the file cannot be read */
  readonly readFile: (path: string) => string
}

/** `leaseDurationMs` → `--lease-duration-ms`, or the flag that the setting names. */
export const flagOf = (name: SettingName): string => {
  const { flag = name }: Setting = settings[name]
  return `--${flag.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`
}

/** `leaseDurationMs` → `KAIRSHIP_LEASE_DURATION_MS` */
export const variableOf = (name: string): string =>
  `KAIRSHIP_${name.replace(/[A-Z]/g, letter => `_${letter}`).toUpperCase()}`

/** Whether a setting may come from a source. */
export const settableFrom = (name: SettingName, source: Source): boolean =>
  settings[name].from?.includes(source) ?? true

/** The settings of a command, in the order of `config.ts`. */
export const settingsOf = (command: CommandName): readonly SettingName[] =>
  (Object.keys(settings) as SettingName[]).filter(name => settings[name].commands.includes(command))

/**
 * All settings of a command: flags beat environment variables, which beat the config file, which beats the defaults.
 * Settings of other commands keep their defaults, so that one file and one environment can serve all of them.
 * @throws ConfigError with every problem found, not only the first
 */
export function loadConfig(command: CommandName, sources: Sources): Config {
  const problems: string[] = []
  const own = settingsOf(command)
  const file = readConfigFile(sources, problems)
  const values: Record<string, unknown> = { ...defaults(command) }
  for (const name of own) {
    const found = lookUp(name, sources, file)
    if (!found) continue
    const parsed = settings[name].kind.schema.safeParse(found.value)
    if (parsed.success) values[name] = parsed.data
    else problems.push(`${found.from} must be ${settings[name].kind.allowed}, got ${shown(found.value)}`)
  }
  if (problems.length === 0) problems.push(...contradictions(values as unknown as Config))
  if (problems.length > 0) throw new ConfigError(problems)
  return Object.freeze(values) as unknown as Config
}

interface ConfigFile {
  readonly path: string
  readonly settings: Readonly<Record<string, unknown>>
}

function lookUp(
  name: SettingName,
  { flags, environment }: Sources,
  file: ConfigFile | undefined,
): { from: string; value: unknown } | undefined {
  if (flags[name] !== undefined) return { from: flagOf(name), value: flags[name] }
  const variable = variableOf(name)
  // An empty variable counts as unset: that is what `env: [{name: X, value: ""}]` and `X= kairship` mean to say.
  if (environment[variable] && settableFrom(name, 'environment'))
    return { from: variable, value: environment[variable] }
  if (file?.settings[name] !== undefined) return { from: `${file.path}: ${name}`, value: file.settings[name] }
  return undefined
}

function readConfigFile(sources: Sources, problems: string[]): ConfigFile | undefined {
  const path = sources.flags.config ?? sources.environment[variableOf('config')]
  if (typeof path !== 'string' || path === '') return undefined
  const settings = parseSettings(path, sources.readFile, problems)
  for (const key of Object.keys(settings)) {
    const problem = refusal(key)
    if (problem) problems.push(`${path}: ${problem}`)
  }
  return { path, settings }
}

function parseSettings(
  path: string,
  readFile: Sources['readFile'],
  problems: string[],
): Readonly<Record<string, unknown>> {
  try {
    const document: unknown = parse(readFile(path))
    if (document === null) return {}
    if (typeof document === 'object' && !Array.isArray(document)) return document as Record<string, unknown>
    problems.push(`${path} must hold settings as "name: value" lines`)
  } catch (error) {
    const why =
      error instanceof YAMLParseError ? `is not YAML: ${error.message.split('\n')[0]}` : reason(error)
    problems.push(`${path} ${why}`)
  }
  return {}
}

const reason = (error: unknown): string =>
  `cannot be read: ${error instanceof Error ? error.message : String(error)}`

/** Why a key may not stand in the config file. */
function refusal(key: string): string | undefined {
  const inFile = (Object.keys(settings) as SettingName[]).filter(name => settableFrom(name, 'file'))
  if (inFile.includes(key as SettingName)) return undefined
  if (key in settings) return `${key} cannot be set in a file; use ${elsewhere(key as SettingName)}`
  return `unknown setting ${shown(key)}; known are ${inFile.join(', ')}`
}

const elsewhere = (name: SettingName): string =>
  [
    ...(settableFrom(name, 'flag') ? [flagOf(name)] : []),
    ...(settableFrom(name, 'environment') ? [variableOf(name)] : []),
  ].join(' or ')

/** A value as the user wrote it, cut short. */
function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 80 ? `${text.slice(0, 77)}...` : text
}
