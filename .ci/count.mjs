// Adds up vitest's JSON reports and says so in one line. Fails when any test failed, or when none ran.
import { readFileSync } from 'node:fs'

const total = { passed: 0, failed: 0, skipped: 0 }
for (const file of process.argv.slice(2)) {
  const report = JSON.parse(readFileSync(file, 'utf8'))
  total.passed += report.numPassedTests
  // A suite that could not even be loaded has no failed tests, but is a failure.
  total.failed += Math.max(report.numFailedTests, report.success ? 0 : 1)
  total.skipped += report.numPendingTests + report.numTodoTests
}
const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : ''
console.log(`${total.passed} passed, ${total.failed} failed${skipped}`)
process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0
