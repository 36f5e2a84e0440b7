import fc from 'fast-check'

/** Random programs of Lua: what they print shows how an interpreter computes, compares, calls and fails. */

const NAMES = ['a', 'b', 'c'] as const
const name = fc.constantFrom(...NAMES)
const number = fc.constantFrom(
  ...['0', '1', '2', '3', '7', '-1', '-3', '0.5', '1.5', '2.25', '1e3', '0x1F', '100000', '1234567.5'],
  ...['1e15', '1e21', '1/0', '-1/0', '0/0', '2^53', '1e-5'],
)
const text = fc.constantFrom(
  ...[
    '""',
    '"a"',
    '"abc"',
    '"10"',
    '" 7 "',
    '"0x1F"',
    '"1e2"',
    '"1.5"',
    '"x-y.z"',
    '"k=v, l=w"',
    '"(a(b)c)"',
  ],
  ...['"h\\195\\169"', "'it''s'", '[[long]]', '"A1 b2"'],
)
const field = fc.constantFrom(
  ...[
    'o',
    'o.spec',
    'o.spec.replicas',
    'o.spec.list',
    'o.spec.list[1]',
    'o.spec.mix',
    'o.spec.none',
    'o.spec.s',
  ],
  ...[
    'o.missing',
    'o.missing.field',
    'o.spec["f"]',
    'o.spec.replicas.deeper',
    'o.metadata.name',
    '#o.spec.list',
  ],
)
const pattern = fc.constantFrom(
  ...[
    '"a"',
    '"%a+"',
    '"%d"',
    '"(%w+)=(%w+)"',
    '"^a"',
    '"c$"',
    '"."',
    '"[a-c]+"',
    '"[^a]"',
    '"%b()"',
    '"()b()"',
  ],
  ...['"a-"', '"a*"', '"%s*(.-)%s*$"', '"(a)%1"', '"%."', '"[%w-]+"', '"x?y"', '"("', '"[a"', '"%"', '""'],
)
const format = fc.constantFrom(
  ...[
    '"%d"',
    '"%5d"',
    '"%-5d|"',
    '"%05d"',
    '"%+d"',

    '"%s"',
    '"%10s"',
    '"%.2s"',
    '"%q"',
    '"%f"',
  ],
  ...['"%.2f"', '"%8.3f"', '"%e"', '"%g"', '"%d %s"', '"%i"', '"%o"', '"%c"'],
)
const binary = fc.constantFrom(
  ...['+', '-', '*', '/', '%', '..', '==', '~=', '<', '>', '<=', '>=', 'and', 'or'],
)

const { expression } = fc.letrec<{ expression: string; list: string; call: string }>(tie => ({
  list: fc.array(tie('expression'), { maxLength: 3 }).map(items => items.join(', ')),
  call: fc.oneof(
    fc
      .tuple(
        fc.constantFrom(
          ...[
            'tostring',
            'tonumber',
            'type',
            'math.floor',
            'math.abs',
            'math.ceil',
            'math.sqrt',
            'string.len',
          ],
          ...[
            'string.upper',
            'string.lower',
            'string.reverse',
            'string.byte',
            '#',
            'not',
            '-',
            'table.concat',
          ],
        ),
        tie('expression'),
      )
      .map(([callee, arg]) => (/^[#n-]/.test(callee) ? `(${callee} ${arg})` : `${callee}(${arg})`)),
    fc
      .tuple(
        fc.constantFrom('math.max', 'math.min', 'math.fmod', 'select', 'unpack', 'undefined'),
        tie('list'),
      )
      .map(([callee, args]) => `${callee}(${args})`),
    fc
      .tuple(
        fc.constantFrom('find', 'match'),
        tie('expression'),
        pattern,
        fc.constantFrom('', ', 2', ', -2', ', 9'),
      )
      .map(([callee, subject, found, from]) => `string.${callee}(${subject}, ${found}${from})`),
    fc
      .tuple(tie('expression'), fc.integer({ min: -5, max: 5 }), fc.integer({ min: -5, max: 5 }))
      .map(([subject, from, to]) => `string.sub(${subject}, ${from}, ${to})`),
    fc.tuple(format, tie('list')).map(([as, args]) => `string.format(${as}${args && `, ${args}`})`),
    fc
      .tuple(text, fc.constantFrom('upper', 'len', 'reverse', 'nothing'))
      .map(([of, method]) => `(${of}):${method}()`),
    tie('expression').map(inner => `(function(...) local a = ... return a, ${inner} end)(1, 2)`),
  ),
  expression: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    number,
    text,
    field,
    name,
    fc.constantFrom('nil', 'true', 'false', '{}', '{1, 2, 3}', '{x = 1}', '{1, nil, 3}'),
    fc
      .tuple(tie('expression'), binary, tie('expression'))
      .map(([left, sign, right]) => `(${left} ${sign} ${right})`),
    tie('call'),
    tie('list').map(items => `{${items}}`),
    tie('expression').map(inner => `select(2, pcall(function() return ${inner} end))`),
  ),
}))

/** Not constant: Karmada's Lua compiles a constant condition in a loop so that the loop goes on after its end. */
const condition = fc.oneof(
  name,
  field,
  fc
    .tuple(name, fc.constantFrom('==', '~='), expression)
    .map(([left, sign, right]) => `${left} ${sign} ${right}`),
)

/**
 * Karmada's Lua makes one instruction of `a = nil` and of a nil in the next place that it counts on from the first, and sets also the
 * variables between them to nil (karmada/README.md).
 */
const assigned = expression.filter(value => value !== 'nil')
/** Once Karmada's Lua has caught an error, functions that were made before have variables of their own (karmada/README.md). */
const withoutErrors = assigned.filter(value => !value.includes('pcall'))

const statement: fc.Arbitrary<string> = fc.letrec<{ statement: string; block: string }>(tie => ({
  block: fc.array(tie('statement'), { maxLength: 2 }).map(lines => lines.join('\n')),
  statement: fc.oneof(
    { maxDepth: 2, depthSize: 'small' },
    expression.map(value => `p(${value})`),
    fc.tuple(name, assigned).map(([to, value]) => `${to} = ${value}`),
    fc.tuple(name, expression).map(([to, value]) => `local ${to} = ${value}`),
    fc.tuple(name, assigned, assigned).map(([to, one, other]) => `${to}, b = ${one}, ${other}`),
    fc
      .tuple(name, withoutErrors, name, binary)
      .map(
        ([to, value, of, sign]) =>
          `local function g() ${to} = ${value} return 1 end ${of} = ${to} ${sign} g() p(${of})`,
      ),
    fc
      .tuple(condition, tie('block'), tie('block'))
      .map(([asked, yes, no]) => `if ${asked} then\n${yes}\nelse\n${no}\nend`),
    fc.tuple(name, tie('block')).map(([as, body]) => `for ${as} = 1, 3 do\n${body}\nend`),
    fc.tuple(expression, tie('block')).map(([of, body]) => `for a, b in ipairs(${of}) do\n${body}\nend`),
    fc.tuple(name, expression).map(([as, value]) => `local function f(${as}) return ${value} end p(f(b))`),
    fc
      .tuple(name, expression, expression)
      .map(([of, key, value]) => `${of} = {} ${of}[${key}] = ${value} p(#${of})`),
  ),
})).statement

/** A rule of `InterpretStatus` that reports what a random program prints. */
export const luaPrograms: fc.Arbitrary<string> = fc.array(statement, { minLength: 1, maxLength: 5 }).map(
  lines => `function ReflectStatus(o)
local r = {}
local function p(...) for i = 1, select('#', ...) do r[#r+1] = tostring((select(i, ...))) end end
local a, b, c = 1, "x", {1, 2}
${lines.join('\n')}
return {out = r}
end`,
)
