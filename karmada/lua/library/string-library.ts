import { bytesOf, textOfBytes } from '../bytes.js'
import type { LuaState } from '../state.js'
import type { Value } from '../table.js'
import { isTrue } from '../value.js'
import { type Arguments, type Body, functionOf } from './arguments.js'
import { findPattern, type Match } from './find-pattern.js'
import { formatted } from './format.js'
import { PatternError } from './pattern.js'

/** As long as Karmada lets strings be that its library gets. */
const MAX_LENGTH = 1_000_000

/** Text whose letters are one byte each, and stay so. */
const ASCII = /^[\0-\x7f]*$/

/** `string`, without what Karmada takes away from it. */
export function stringFunctions(state: LuaState): Readonly<Record<string, Body>> {
  const text = (args: Arguments, position: number): string => {
    const found = args.string(position)
    if (found.length > MAX_LENGTH)
      throw state.error(
        `string length ${found.length} exceeds the maximum allowed input string length ${MAX_LENGTH} in Karmada lua string lib, please check your lua script.`,
      )
    state.spend(found.length >> 6)
    return found
  }
  const find = (pattern: string, subject: string, from: number, most: number): readonly Match[] => {
    try {
      return findPattern(pattern, subject, from, most, () => state.spend())
    } catch (error) {
      throw error instanceof PatternError ? state.error(error.message) : error
    }
  }
  const unsupported =
    (name: string): Body =>
    () => {
      throw state.error(
        `The Lua function string.${name} is not supported by Karmada. If you believe this function is essential for your use case, please submit an issue to let us know why you need it.`,
      )
    }
  /** A text of which each letter is taken apart, which takes as long as a step for each. */
  const letters = (args: Arguments): string => {
    const found = text(args, 1)
    state.spend(found.length)
    return found
  }
  const changed = (args: Arguments, change: (letters: string) => string): string => {
    const found = text(args, 1)
    return ASCII.test(found) ? change(found) : eachLetter(letters(args), change)
  }
  const gmatch: Body = args => {
    const matches = find(text(args, 2), text(args, 1), 0, -1)
    let at = 0
    return [
      functionOf(state, () => {
        const match = matches[at++]
        return match ? capturesOf(match, text(args, 1)) : []
      }),
    ]
  }
  return {
    byte: args => {
      const codes = bytes(text(args, 1), args)
      state.spend(codes.length)
      return codes
    },
    char: args => [
      String.fromCharCode(...args.values.map((_, at) => ((args.whole(at + 1) % 256) + 256) % 256)),
    ],
    dump: unsupported('dump'),
    find: args => {
      const [subject, pattern] = [text(args, 1), text(args, 2)]
      if (pattern === '') return [1, 0]
      const from = startOf(subject, args.optionalWhole(3, 1))
      if (args.count === 4 && isTrue(args.at(4))) {
        const at = subject.indexOf(pattern, from)
        return at < 0 ? [undefined] : [at + 1, at + pattern.length]
      }
      const [match] = find(pattern, subject, from, 1)
      return match ? [match.start + 1, match.end, ...match.captures] : [undefined]
    },
    format: args => {
      const format = text(args, 1)
      for (const value of args.values) if (typeof value === 'string') state.spend(value.length)
      const made = formatted(format, args.values.slice(1))
      state.spend(made.length >> 4)
      return [made]
    },
    gmatch,
    gfind: gmatch,
    gsub: unsupported('gsub'),
    len: args => [args.string(1).length],
    lower: args => [changed(args, letters => letters.toLowerCase())],
    match: args => {
      const [subject, pattern] = [text(args, 1), text(args, 2)]
      const offset = args.optionalWhole(3, 1)
      const from = Math.max(0, (offset < 0 ? subject.length + offset + 1 : offset) - 1)
      const [match] = find(pattern, subject, from, 1)
      return match ? capturesOf(match, subject) : []
    },
    rep: unsupported('rep'),
    reverse: args => [[...letters(args)].reverse().join('')],
    sub: args => {
      const subject = text(args, 1)
      const from = startOf(subject, args.whole(2))
      const to = args.optionalWhole(3, -1)
      const end = Math.min(subject.length, Math.max(0, to < 0 ? subject.length + to + 1 : to))
      return [from >= subject.length || end < from ? '' : subject.slice(from, end)]
    },
    upper: args => [changed(args, letters => letters.toUpperCase())],
  }
}

/** Go changes a letter into one other letter, or leaves it. */
const eachLetter = (bytes: string, change: (letter: string) => string): string =>
  bytesOf(
    [...textOfBytes(bytes)]
      .map(letter => {
        const changed = change(letter)
        return [...changed].length === 1 ? changed : letter
      })
      .join(''),
  )

/** The captures of a match, or all of it. */
const capturesOf = ({ start, end, captures }: Match, text: string): readonly Value[] =>
  captures.length > 0 ? captures : [text.slice(start, end)]

/** An index of Lua, where a string is to begin, from 0 on. Karmada's Lua counts from the end differently than others. */
function startOf(text: string, index: number): number {
  const moved = index === 0 ? index : index - 1
  return Math.max(0, moved < 0 ? text.length + moved + 1 : moved)
}

function bytes(text: string, args: Arguments): readonly Value[] {
  const { length } = text
  const fromEnd = (index: number) => (index < 0 ? length + index + 1 : index)
  const start = fromEnd(args.optionalWhole(2, 1) - 1)
  const end = fromEnd(args.optionalWhole(3, -1))
  if (args.count === 2) return start < 0 || start >= length ? [] : [text.charCodeAt(start)]
  const codes: number[] = []
  for (let at = Math.max(start, 0); at < Math.min(end, length); at++) codes.push(text.charCodeAt(at))
  return codes
}
