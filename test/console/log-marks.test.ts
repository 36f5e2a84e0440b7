import { expect, it } from 'vitest'
import { piecesOf } from '../../console/logs/marks.js'

const marked = (text: string, find: string) =>
  piecesOf(text, find).map(({ text: piece, isMatch }) => (isMatch ? `[${piece}]` : piece))

it.each<[string, string, string, string[]]>([
  ['in either case', 'GET /get', 'get', ['[GET]', ' /', '[get]']],
  ['as it is, and not as a pattern', 'a.b axb (a+', '.', ['a', '[.]', 'b axb (a+']],
  ['after letters that are longer in lower case', 'İİ error', 'error', ['İİ ', '[error]']],
  ['nowhere where nothing is searched for', 'text', '', ['text']],
])('highlights a text in a line %s', (_, text, find, pieces) => {
  expect(marked(text, find)).toEqual(pieces)
})

it.each([
  ['one beside the other', 'e'],
  ['with something between', 'e '],
  ['after something', ' e'],
])('highlights the first 200 matches %s, and keeps every character of the line', (_, part) => {
  const line = part.repeat(10_000)
  const pieces = piecesOf(line, 'e')
  expect(pieces.filter(({ isMatch }) => isMatch)).toHaveLength(200)
  expect(pieces.map(({ text }) => text).join('')).toBe(line)
})
