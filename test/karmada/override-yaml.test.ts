import { expect, it } from 'vitest'
import { readYaml, writeYaml } from '../../karmada/overrides/yaml-text.js'

// Recorded from Karmada's own function (`overrides` of the oracle, v1.18.2), by a field overrider that changes nothing else.
it.each([
  ['b: yes\n', 'b: true\n'],
  ['b: "yes"\n', 'b: "yes"\n'],
  ['b: "n"\ny: 1\n', 'b: "n"\n"true": 1\n'],
  ['c: 012\nd: 0x1f\n', 'c: 10\nd: 31\n'],
  ['d: 2020-01-01\n', 'd: "2020-01-01"\n'],
  ['s: 12:30:45\n', 's: "12:30:45"\n'],
  ['u: 1_000\nv: "1_000"\n', 'u: 1000\nv: "1_000"\n'],
  ['e: "1e3"\nf: 1e3\n', 'e: "1e3"\nf: 1000\n'],
  ['x: "x: y # z"\nh: "#a"\n', "h: '#a'\nx: 'x: y # z'\n"],
  ['m: "<<"\ne: "="\n', 'e: =\nm: <<\n'],
  ['t: "~"\nn: ~\n', '"false": null\nt: "~"\n'],
  ['a: [yes, no, on, off, Y]\n', 'a:\n- true\n- false\n- true\n- false\n- true\n'],
  ['a: &x 1\nb: *x\n', 'a: 1\nb: 1\n'],
  ['tab: "\\t"\ncr: "a\\r\\nb"\n', 'cr: "a\\r\\nb"\ntab: "\\t"\n'],
])('reads %j, and writes it, as Karmada does', (text, karmadas) => {
  expect(writeYaml(readYaml(text))).toBe(karmadas)
})

it.each([' \n', '\n', ' \n \n', ' a\n', 'a\n\n', '\ta\n'])(
  'writes %j so that it is read as the same text',
  text => {
    expect(readYaml(writeYaml({ text }))).toEqual({ text })
  },
)

// As Karmada's own function writes them (oracle, 2026-11-29); encode.go of go.yaml.in/yaml/v2 has the rule in `stringv`.
it.each([
  '',
  '.5',
  '.inf',
  '-1',
  '+1',
  '~',
  'null',
  'NULL',
  'y',
  'N',
  'yes',
  'no',
  'on',
  'Off',
  'true',
  'False',
])('writes the text %j in double quotes', text => {
  expect(writeYaml({ text })).toBe(`text: "${text}"\n`)
})

it.each(['a\x07b', 'a\x07\nb', '\x1b[31m\n', 'a\tb\nc'])(
  'writes no control character of %j as it is',
  text => {
    const written = writeYaml({ text })
    // biome-ignore lint/suspicious/noControlCharactersInRegex: such characters are looked for
    expect(written).not.toMatch(/[\x00-\x09\x0b-\x1f]/)
    expect(readYaml(written)).toEqual({ text })
  },
)

it('folds a long text, and writes nothing before the object', () => {
  const text = 'word '.repeat(40).trim()
  const written = writeYaml({ text })
  expect(written).toMatch(/^text: word/)
  expect(Math.max(...written.split('\n').map(line => line.length))).toBeLessThanOrEqual(85)
  expect(readYaml(written)).toEqual({ text })
})
