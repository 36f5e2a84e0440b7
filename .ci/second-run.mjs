/**
 * What the second run of a file is for, see docs/adr/0030.
 * @typedef {import('./record.mjs').Result} Result
 * @typedef {Result & { failedOnce?: 'first' | 'second' }} Judged
 * `failedOnce` says which of two runs failed where the other one passed; `message` is then that failure's.
 */

/** More files than this do not fail by chance. */
export const MOST_FILES = 10

/**
 * The files to run again: those with a failure, or none if they are too many.
 * @param {Result[]} results
 */
export function filesToRepeat(results) {
  const files = new Set(results.filter(({ state }) => state === 'failed').map(({ file }) => file))
  files.delete('')
  return files.size > MOST_FILES ? [] : [...files]
}

/** Results by their test. Two tests of a file may have the same name, so each name is counted. */
function byTest(results) {
  const seen = new Map()
  return new Map(
    results.map(result => {
      const name = JSON.stringify([result.file, result.name, result.isTest])
      const count = (seen.get(name) ?? 0) + 1
      seen.set(name, count)
      return [`${name}${count}`, result]
    }),
  )
}

/**
 * One result of two. Failed is what failed whenever it ran; what failed in one run alone has passed, and says so.
 * A run has no result for what is outside of tests unless that failed: the run then passed in this respect.
 * @param {Result | undefined} first
 * @param {Result | undefined} second
 * @returns {Judged}
 */
function judged(first, second) {
  const present = first ?? second
  const states = [first, second].map(run => run?.state ?? (present.isTest ? 'skipped' : 'passed'))
  if (states.includes('failed')) {
    const failed = states[0] === 'failed' ? first : second
    if (!states.includes('passed')) return failed
    return { ...failed, state: 'passed', failedOnce: failed === first ? 'first' : 'second' }
  }
  return states[0] === 'passed' ? first : (second ?? first)
}

/**
 * The results of a run, and of the second run of some of its files, as one.
 * @param {Result[]} first
 * @param {Result[]} second
 * @param {string[]} repeated the files that the second run has run to its end
 * @returns {Judged[]}
 */
export function merged(first, second, repeated) {
  const once = first.filter(({ file }) => !repeated.includes(file))
  const firsts = byTest(first.filter(({ file }) => repeated.includes(file)))
  const seconds = byTest(second)
  const keys = new Set([...firsts.keys(), ...seconds.keys()])
  return [...once, ...[...keys].map(key => judged(firsts.get(key), seconds.get(key)))]
}
