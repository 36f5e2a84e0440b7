import { describe, expect, it } from 'vitest'
import { programFrom, quoted } from '../../../cli/playground/shell.js'

describe('a shell word', () => {
  it.each([
    ['plain/path-1.yaml', 'plain/path-1.yaml'],
    ['two words', "'two words'"],
    ["it's", "'it'\\''s'"],
    ['$(rm)', "'$(rm)'"],
    ['', "''"],
  ])('quotes %s as %s', (word, written) => expect(quoted(word)).toBe(written))
})

describe('the program name in printed commands', () => {
  it.each([
    ['node dist/kairship.js', 'in the folder of the package', '/src', '/src/dist/kairship.js'],
    ['kairship', 'when it was found on the path', '/home/me', '/usr/local/bin/kairship'],
    ['node /src/dist/kairship.js', 'from elsewhere', '/home/me', '/src/dist/kairship.js'],
    ['node src/dist/kairship.js', 'from above', '/home', '/home/src/dist/kairship.js'],
    ["node '/a b/dist/kairship.js'", 'where a folder has a blank', '/home', '/a b/dist/kairship.js'],
  ])('is %s %s', (program, _when, folder, script) => expect(programFrom(folder, script)).toBe(program))
})
