import { type Setting, type SettingName, settings } from '../../config.js'
import { flagOf, settableFrom, variableOf } from './load-config.js'

/** docs/configuration.md: every setting, with the reason for its default. Derived, so that it cannot be out of date. */
export function configurationReference(): string {
  const names = Object.keys(settings) as SettingName[]
  const groups = [...new Set(names.map(name => settings[name].group))]
  const sections = groups.map(group => {
    const rows = names.filter(name => settings[name].group === group).map(section)
    return `## ${group}\n\n${rows.join('\n')}`
  })
  return `${intro}\n${sections.join('\n')}`
}

const intro = `# Settings

Derived from \`config.ts\`; a test keeps it current. A flag beats the environment variable, which beats the line in the
YAML file named by \`--config\`, which beats the default. An empty variable counts as unset. Wrong values are refused
together, by name, before anything starts.

\`\`\`yaml
# kairship.yaml
logLevel: debug
leaseDurationMs: 15000
\`\`\`
`

function section(name: SettingName): string {
  const { kind, default: value, defaultFor, help, why, commands }: Setting = settings[name]
  const ways = [
    ...(settableFrom(name, 'flag') ? [`\`${flagOf(name)}\``] : []),
    ...(settableFrom(name, 'environment') ? [`\`${variableOf(name)}\``] : []),
    ...(settableFrom(name, 'file') ? [] : ['not in the file']),
  ]
  const others = Object.entries(defaultFor ?? {}).map(([command, other]) => `; \`${other}\` for ${command}`)
  const shown =
    name === 'identity' ? 'host name and process id' : value === undefined ? 'unset' : `\`${value}\``
  return `**${name}** (${ways.join(', ')}): ${help}. Must be ${kind.allowed}.
Default: ${shown}${others.join('')}. Why: ${why}. Commands: ${commands.join(', ')}.
`
}
