import { writeFileSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'

/**
 * What became of one test, or of a file beside its tests (it could not be loaded, a hook of it failed, an error had no
 * owner): then `isTest` is false, and it is here only because it failed.
 * @typedef {{ file: string, name: string, isTest: boolean, state: 'passed' | 'failed' | 'skipped', message: string }} Result
 */

/** The name of failures that belong to no test of their file. */
const outside = '(outside of its tests)'
const mostCauses = 3

/** An error as text: its message, the difference of what was compared, our lines of its stack, and its causes. */
function textOf(error, depth = 0) {
  const frames = (error.stack ?? '')
    .split('\n')
    .filter(line => /^\s+at /.test(line) && !/node_modules|node:internal/.test(line))
  const parts = [
    `${error.name ?? 'Error'}: ${error.message ?? error}`,
    error.diff ?? '',
    ...frames.slice(0, 3),
  ]
  if (error.cause && depth < mostCauses) parts.push(`caused by ${textOf(error.cause, depth + 1)}`)
  return stripVTControlCharacters(parts.filter(part => part !== '').join('\n'))
}

const messageOf = errors => errors.map(error => textOf(error)).join('\n')

/** @returns {Result} */
const failure = (file, name, message) => ({ file, name, isTest: false, state: 'failed', message })

/** @returns {Result[]} */
function resultsOf(module) {
  const file = module.relativeModuleId
  const tests = [...module.children.allTests()].map(test => {
    const { state, errors } = test.result()
    const hasEnded = state !== 'pending'
    return {
      file,
      name: test.fullName,
      isTest: true,
      state: hasEnded ? state : 'failed',
      message: hasEnded ? messageOf(errors ?? []) : 'The test had not ended when the run did.',
    }
  })
  const hooks = [...module.children.allSuites()]
    .filter(suite => suite.errors().length > 0)
    .map(suite => failure(file, `${suite.fullName} ${outside}`, messageOf(suite.errors())))
  const ofFile = module.errors().length > 0 ? [failure(file, outside, messageOf(module.errors()))] : []
  const hasEnded = !['queued', 'pending'].includes(module.state())
  const early = hasEnded ? [] : [failure(file, outside, 'The file had not ended when the run did.')]
  return [...tests, ...hooks, ...ofFile, ...early]
}

/**
 * A vitest reporter: writes every result of a run as JSON into the file that `KAIRSHIP_CI_RECORD` names. Vitest's own JSON
 * reporter leaves out errors that no test owns, and those of hooks.
 */
export default class Record {
  onTestRunEnd(modules, unhandledErrors) {
    const unowned = unhandledErrors.map(error => {
      const file = modules.find(({ moduleId }) => moduleId === error.VITEST_TEST_PATH)?.relativeModuleId ?? ''
      return failure(file, outside, textOf(error))
    })
    writeFileSync(process.env.KAIRSHIP_CI_RECORD, JSON.stringify([...modules.flatMap(resultsOf), ...unowned]))
  }
}
