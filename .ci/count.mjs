// Prints what a CI run says at its end. Fails when anything failed, or when no test ran.
// Usage: node .ci/count.mjs FOLDER, with the results of suites in *.json and the output of other failed steps in *.failed
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { summary } from './summary.mjs'

const folder = process.argv[2]
const read = ending =>
  readdirSync(folder)
    .filter(file => file.endsWith(ending))
    .sort()
    .map(file => ({ file: basename(file, ending), text: readFileSync(join(folder, file), 'utf8') }))
const { text, isGood } = summary(
  read('.json').map(({ text }) => JSON.parse(text)),
  read('.failed').map(({ file, text }) => ({ name: file, output: text })),
)
console.log(text)
process.exitCode = isGood ? 0 : 1
