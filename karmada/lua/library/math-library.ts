import { modulo } from '../arithmetic.js'
import type { LuaState } from '../state.js'
import type { Arguments, Body } from './arguments.js'

const plain: Readonly<Record<string, (value: number) => number>> = {
  abs: Math.abs,
  acos: Math.acos,
  asin: Math.asin,
  atan: Math.atan,
  ceil: Math.ceil,
  cos: Math.cos,
  cosh: Math.cosh,
  deg: value => (value * 180) / Math.PI,
  exp: Math.exp,
  floor: Math.floor,
  log: Math.log,
  log10: Math.log10,
  rad: value => (value * Math.PI) / 180,
  sin: Math.sin,
  sinh: Math.sinh,
  sqrt: Math.sqrt,
  tan: Math.tan,
  tanh: Math.tanh,
}

/** `math`. Random numbers are the same for each script: decisions do not depend on chance. */
export function mathFunctions(state: LuaState): Readonly<Record<string, Body>> {
  let seed = 1
  const random = () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
    return seed / 2 ** 32
  }
  const best = (args: Arguments, isBetter: (one: number, other: number) => boolean) => {
    if (args.count === 0) throw state.error('wrong number of arguments')
    let found = args.number(1)
    for (let at = 2; at <= args.count; at++) if (isBetter(args.number(at), found)) found = args.number(at)
    return [found]
  }
  return {
    ...Object.fromEntries(
      Object.entries(plain).map(([name, made]): [string, Body] => [name, args => [made(args.number(1))]]),
    ),
    atan2: args => [Math.atan2(args.number(1), args.number(2))],
    fmod: args => [args.number(1) % args.number(2)],
    frexp: args => frexp(args.number(1)),
    ldexp: args => [args.number(1) * 2 ** args.whole(2)],
    max: args => best(args, (one, other) => one > other),
    min: args => best(args, (one, other) => one < other),
    mod: args => [modulo(args.whole(1), args.whole(2))],
    modf: args => {
      const value = args.number(1)
      return [Math.trunc(value), value - Math.trunc(value)]
    },
    pow: args => [args.number(1) ** args.number(2)],
    random: args => {
      if (args.count === 0) return [random()]
      const [low, high] = args.count === 1 ? [1, args.whole(1)] : [args.whole(1), args.whole(2)]
      if (high < low) throw state.error('invalid argument to Intn')
      return [low + Math.floor(random() * (high - low + 1))]
    },
    randomseed: args => {
      seed = args.whole(1) >>> 0
      return []
    },
  }
}

function frexp(value: number): readonly [number, number] {
  if (value === 0 || !Number.isFinite(value)) return [value, 0]
  let exponent = Math.max(-1_023, Math.floor(Math.log2(Math.abs(value))) + 1)
  let fraction = value * 2 ** -exponent
  while (Math.abs(fraction) < 0.5) {
    fraction *= 2
    exponent--
  }
  while (Math.abs(fraction) >= 1) {
    fraction /= 2
    exponent++
  }
  return [fraction, exponent]
}
