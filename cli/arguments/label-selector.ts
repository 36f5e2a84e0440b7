import { CommandError, ExitCode } from '../exit-code.js'

type Labels = Readonly<Record<string, string>>

/** One requirement of a selector: whether labels meet it. */
type Requirement = (labels: Labels) => boolean

const name = '[A-Za-z0-9](?:[A-Za-z0-9_./-]*[A-Za-z0-9])?'
const value = '(?:[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?)?'
const forms: readonly (readonly [RegExp, (key: string, values: string) => Requirement])[] = [
  [new RegExp(`^(${name})$`), key => labels => key in labels],
  [new RegExp(`^!\\s*(${name})$`), key => labels => !(key in labels)],
  [new RegExp(`^(${name})\\s*==?\\s*(${value})$`), (key, wanted) => labels => labels[key] === wanted],
  // As in Kubernetes, what lacks the label is not equal, and not in a set.
  [new RegExp(`^(${name})\\s*!=\\s*(${value})$`), (key, wanted) => labels => labels[key] !== wanted],
  [
    new RegExp(`^(${name})\\s+in\\s*\\(([^()]*)\\)$`),
    (key, set) => labels => key in labels && listed(set).includes(labels[key] ?? ''),
  ],
  [
    new RegExp(`^(${name})\\s+notin\\s*\\(([^()]*)\\)$`),
    (key, set) => labels => !(key in labels && listed(set).includes(labels[key] ?? '')),
  ],
]

const listed = (set: string): readonly string[] => set.split(',').map(item => item.trim())

/**
 * Reads a label selector as `kubectl -l` takes it: `a=b`, `a!=b`, `a`, `!a`, `a in (b,c)`, `a notin (b,c)`, joined by commas.
 * @throws CommandError for one that cannot be read
 */
export function labelSelector(text: string): Requirement {
  const requirements = text
    .split(/,(?![^(]*\))/)
    .map(part => part.trim())
    .filter(part => part !== '')
    .map(requirementOf)
  return labels => requirements.every(requirement => requirement(labels))
}

function requirementOf(part: string): Requirement {
  for (const [form, make] of forms) {
    const [, key, values = ''] = form.exec(part) ?? []
    if (key !== undefined) return make(key, values)
  }
  throw new CommandError(
    `--selector: ${JSON.stringify(part)} is none of KEY, !KEY, KEY=VALUE, KEY!=VALUE, KEY in (A,B), KEY notin (A,B)`,
    ExitCode.usage,
  )
}
