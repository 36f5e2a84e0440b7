/**
 * What a run says at its end, so short that the end of a cut-off log still holds it.
 * @typedef {import('./second-run.mjs').Judged} Judged
 */

/** Logs are cut off from above; about 125 lines are known to be kept. */
const MOST_LINES = 100
/** Lines of each failure's message, if there are so few failures that all fit. */
const LINES_EACH = 15
const LINE_LENGTH = 240

const shortened = line => (line.length > LINE_LENGTH ? `${line.slice(0, LINE_LENGTH)}…` : line)

/** The lines for some failures: as much of each message as all have room for, and how many are left out at the end. */
function listed(failures, room) {
  const shown = failures.slice(0, Math.floor(room / 2))
  const each = Math.min(LINES_EACH, Math.floor(room / Math.max(1, shown.length)) - 1)
  const lines = shown.flatMap(({ suite, file, name, message }) => [
    shortened(`[${suite}] ${[file, name].filter(part => part !== '').join(' > ')}`),
    ...message
      .split('\n')
      .filter(line => line.trim() !== '')
      .slice(0, each)
      .map(line => `    ${shortened(line)}`),
  ])
  const left = failures.length - shown.length
  return left > 0 ? [...lines, `… and ${left} more`] : lines
}

/**
 * The text and the verdict of a whole CI run.
 * @param {{ name: string, seed: string, results: Judged[] }[]} suites
 * @param {{ name: string, output: string }[]} steps what failed and is no suite
 */
export function summary(suites, steps) {
  const all = suites.flatMap(({ name, seed, results }) =>
    results.map(result => ({ ...result, suite: `${name}, seed ${seed}` })),
  )
  const count = state => all.filter(result => result.isTest && result.state === state).length
  const failed = [
    ...steps.map(({ name, output }) => ({
      suite: 'step',
      file: '',
      name,
      message: output.trimEnd().split('\n').slice(-LINES_EACH).join('\n'),
    })),
    ...all.filter(({ state }) => state === 'failed'),
  ]
  const once = all.filter(({ failedOnce }) => failedOnce !== undefined)
  const lines = []
  const isBoth = failed.length > 0 && once.length > 0
  const room = isBoth ? MOST_LINES / 2 : MOST_LINES
  if (failed.length > 0) lines.push('== failed', ...listed(failed, room))
  if (once.length > 0) {
    const first = once.filter(({ failedOnce }) => failedOnce === 'first')
    const second = once.filter(({ failedOnce }) => failedOnce === 'second')
    const part = Math.max(2, Math.floor(room / (first.length > 0 && second.length > 0 ? 2 : 1)))
    if (second.length > 0)
      lines.push('== passed only in the first run: to be mended', ...listed(second, part))
    if (first.length > 0) lines.push('== passed only in the second run: to be mended', ...listed(first, part))
  }
  const passed = count('passed')
  const skipped = count('skipped')
  lines.push(`${passed} passed, ${failed.length} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
  return { text: lines.join('\n'), isGood: failed.length === 0 && passed > 0 }
}
