import { parse } from 'yaml'
import type { z } from 'zod'
import { fieldPath } from '../../../ports/field-path.js'
import { ServiceSettingError } from '../../../ports/service-error.js'
import { problemsOfRules } from './configuration-rules.js'
import { type AuthenticationConfiguration, document, type Problem } from './configuration-schema.js'

/**
 * Reads an AuthenticationConfiguration: YAML or JSON, as kube-apiserver takes it in `--authentication-config`.
 * @param where names the file in errors
 * @throws ServiceSettingError with every problem, each with its field
 */
export function parseAuthentication(text: string, where: string): AuthenticationConfiguration {
  let value: unknown
  try {
    value = parse(text)
  } catch (cause) {
    const [line = ''] = (cause instanceof Error ? cause.message : String(cause)).split('\n')
    throw new ServiceSettingError(`${where} is neither YAML nor JSON: ${line.replace(/:$/, '')}`, { cause })
  }
  const { success, data, error } = document.safeParse(value)
  const problems = success ? problemsOfRules(data) : error.issues.flatMap(problemsOfShape)
  if (problems.length > 0)
    throw new ServiceSettingError(
      `${where}: ${problems.map(({ field, message }) => `${field}: ${message}`).join('; ')}`,
    )
  return data as AuthenticationConfiguration
}

function problemsOfShape({ code, path, message, ...issue }: z.core.$ZodIssue): Problem[] {
  if (code === 'unrecognized_keys' && 'keys' in issue)
    return issue.keys.map(key => ({
      field: fieldPath([...path, key]),
      message: path.at(-1) === 'issuer' && key === 'egressSelectorType' ? NO_EGRESS_SELECTOR : 'is no field',
    }))
  const field = fieldPath(path)
  return [
    {
      field,
      message:
        code === 'invalid_type' && message.startsWith('Invalid') ? 'is missing or of a wrong type' : message,
    },
  ]
}

const NO_EGRESS_SELECTOR = 'Kairship has no egress selectors: leave it out'
