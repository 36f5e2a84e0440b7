import { ScriptError } from '../../lua/run.js'
import type { Dependency } from '../dependencies.js'

/** Refuses dependencies that name nothing (`validation.VerifyDependencies` of Karmada). @throws ScriptError */
export function verifyDependencies(dependencies: readonly Dependency[]): void {
  const problems = dependencies.flatMap((dependency, at) => {
    const path = `dependencies[${at}]`
    const { apiVersion, kind, name, labelSelector } = dependency
    return [
      ...(apiVersion === '' ? [`${path}.apiVersion: Invalid value: "": missing required apiVersion`] : []),
      ...(kind === '' ? [`${path}.kind: Invalid value: "": missing required kind`] : []),
      ...(!name && !labelSelector
        ? [
            `${path}: Invalid value: ${JSON.stringify(dependency)}: dependency can not leave name and labelSelector all empty`,
          ]
        : []),
    ]
  })
  if (problems.length > 0)
    throw new ScriptError(problems.length === 1 ? (problems[0] ?? '') : `[${problems.join(', ')}]`)
}
