/** Scripts that show what Karmada's Lua does: each is the rule of `InterpretStatus`. */

/** The statements of a function that prints into the status with `p`; `o` is the object. */
const prints = (statements: string): string => `function ReflectStatus(o)
local r = {}
local function p(...) for i = 1, select('#', ...) do r[#r+1] = tostring((select(i, ...))) end end
${statements}
return {out = r}
end`

/** The object that the scripts read. */
export const SUBJECT = {
  apiVersion: 'example.com/v1',
  kind: 'Thing',
  metadata: { name: 'n', namespace: 'ns' },
  spec: {
    ...{ replicas: 3, list: [1, 2, 3], empty: {}, none: [], s: 'héllo', f: 1.5 },
    ...{ big: 2 ** 53 + 2, nul: null, mix: [null, 1, null, 2] },
  },
  status: { a: 1, b: 'x' },
}

export const LUA_SCRIPTS: readonly string[] = [
  prints(`local a, b = 1, 2 a, b = b, a p(a, b)`),
  prints(`local a, b, c = 1, 2, 3 a, b, c = c, a, b p(a, b, c)`),
  prints(`local a, b = 1, 2 a, b = a + b, a p(a, b)`),
  prints(`local a, b = 1, 2 a, b = {}, a p(type(a), type(b))`),
  prints(`local a, b = 1, 2 a, b = a and 5, a p(a, b)`),
  prints(`local a, b = 1, 2 a, b = tostring(7), a p(a, b)`),
  prints(`local a, b = 1, 2 a, b = function() end, type(a) p(type(a), b)`),
  prints(`local b b, b = {}, 5 p(type(b))`),
  prints(`local b b, b = 1, {} p(type(b))`),
  prints(`local b b, b = tostring(1), 5 p(b)`),
  prints(`local b b, b = 5, tostring(1) p(b)`),
  prints(`local b b, b = 5, (function() end) p(type(b))`),
  prints(`local b, c = 1, 2 b, b = c, 5 p(b)`),
  prints(`local b, c = 1, 2 b, b = {c}, {5} p(b[1])`),
  prints(`local b, c = 1, 2 b, b = c or 7, {5} p(type(b))`),
  prints(`local b, c = 1, 2 b, b = {5}, c or 7 p(type(b))`),
  prints(`local b, c = {}, 2 c, b.x = b, c p(type(c), type(b.x))`),
  prints(`local b, c = {}, 2 c, b.x = 5, c p(c, b.x)`),
  prints(
    `p(1, 1.5, 0.1, 1e15, 1e20, 1e21, 1e100, 123456.789, 1234567.5, 12345678.5, 1/3, 1e-5, 0.0001, 0.00001234, -0, 0/1, 2^53, 2^63, -2^63, 2^62, 1/0, -1/0, 0/0)`,
  ),
  prints(
    `p(10/2, 7%3, -7%3, 7%-3, 7.5%2, 2^0.5, "10"+5, "0x10"+0, " 5 "*2, "1e2"+0, 10 .. 20, 1.5 .. "x", "010"+0)`,
  ),
  prints(`p(1 < 2, "a" < "b", "a" < "B", "" < "a", 1 == 1.0, "1" == 1, nil == false, not nil, not 0)`),
  prints(
    `p(#o.spec.list, #"héllo", #o.spec.s, o.spec.nul, #o.spec.mix, o.spec.mix[1], o.spec.mix[2], o.spec.big, o.spec.f)`,
  ),
  prints(
    `p(o.spec.s:upper(), o.spec.s:len(), o.spec.s:sub(1,2), ("x"):byte(), string.char(72,105), ("hello"):reverse())`,
  ),
  prints(
    `p(string.format("%d %5d %-5d| %05d %+d %x %X %o %s %q %f %.2f %5.1f %e %g %c %%", 42, 42, 42, 42, 42, 255, 255, 8, "str", "q\\"uo", 1.5, 1.005, 2.25, 12345.678, 0.1, 65))`,
  ),
  prints(
    `p(string.format("%g %g %g %g %g", 100000, 1000000, 1e20, 1e21, 1e-5), string.format("%.3g %.10g %.1g", 123456, 123456, 0.00012345))`,
  ),
  prints(
    `p(string.format("%s %s %s %s", nil, true, 1, 1.5), string.format("%d", 3.7), string.format("%d", -3.7), string.format("%5s|%-5s|%.2s", "a","b","abc"))`,
  ),
  prints(
    `p(string.format("%d"), string.format("%s %s", "a"), string.format("x", 1), string.format("%i", 5), string.format("%d", "10"), string.format("%x", "hi"))`,
  ),
  prints(
    `p(string.find("hello world", "wor"), string.find("hello", "l+"), string.find("a.b", ".", 1, true), string.find("abc", "b", -1), string.find("abc", "", 10))`,
  ),
  prints(
    `p(string.match("key=value", "(%w+)=(%w+)"), string.match("2024-01-02", "(%d+)-(%d+)-(%d+)"), string.match("  trim  ", "^%s*(.-)%s*$"), string.match("abc", "()b()"))`,
  ),
  prints(
    `for k, v in string.gmatch("a=1, b=2", "(%w+)=(%w+)") do p(k, v) end for w in ("one two"):gmatch("%a+") do p(w) end`,
  ),
  prints(
    `p(string.match("[[x]]", "%[%[(.-)%]%]"), string.match("f(a(b)c)d", "%b()"), string.match("hello", "[a-f]+"), string.match("x-y", "[%w-]+"), string.match("x]y", "[]]"), string.match("abc", "[^b]+"))`,
  ),
  prints(
    `p(string.match("abab", "(ab)%1"), string.find("abc$", "c$"), string.find("abc", "^b"), string.find("a+b", "a+b"), string.match("aaa", "a-$"), string.match("hello.world", "^(.-)%.(.*)$"))`,
  ),
  prints(
    `p(tonumber("10"), tonumber("0x1F"), tonumber("1e3"), tonumber("1.5e3"), tonumber("  12  "), tonumber("abc"), tonumber("z", 36), tonumber("11", 2), tonumber(""), tonumber("1.5"), tonumber("5."), tonumber(nil), tonumber("-7"), tonumber("+7"))`,
  ),
  prints(
    `p(tostring(nil), tostring(true), tostring(12), tostring("x"), type(p), type(o), type(nil), type("x"), type(1))`,
  ),
  prints(
    `p(math.floor(3.7), math.ceil(3.2), math.max(1,5,3), math.min(4,2), math.abs(-3), math.huge, math.pi, math.fmod(7,3), math.fmod(-7,3), math.sqrt(16), math.pow(2,10), math.modf(3.7), math.mod(-7,3))`,
  ),
  prints(
    `local t = {5,3,8,1} table.sort(t) p(table.concat(t, ",")) table.sort(t, function(a,b) return a > b end) p(table.concat(t, ",", 2, 3)) table.insert(t, 9) table.insert(t, 1, 0) p(#t, t[1], t[#t]) p(table.remove(t), table.remove(t, 1), #t, table.getn(t), table.maxn(t))`,
  ),
  prints(
    `p(type(table.concat({0})), type(table.concat({0, 1})), type(table.concat({"a"})), type(table.concat({})), type(table.concat({0, 1}, ",", 2)))`,
  ),
  prints(
    `local t = {} t[3] = 'c' p(#t, t[3]) t[1] = 'a' p(#t) t[2]='b' p(#t) t[3] = nil p(#t) t[2]=nil p(#t) t.x = 1 t[1.5] = 2 t[true]=3 for k,v in pairs(t) do p(k,v) end`,
  ),
  prints(
    `local t = {1,2,nil,4} p(#t) t[#t+1] = 5 p(#t, t[5]) local u = {nil,nil,3} p(#u) local v = {nil} p(#v) local w = {n=1, 10, 20, [2]=30, 40} p(w[1], w[2], w[3], w.n)`,
  ),
  prints(
    `local t = {a=1,b=2,c=3} for k in pairs(t) do t[k] = nil end p(next(t)) t = {10,20,30} for i,v in ipairs(t) do p(i,v) if i==2 then break end end`,
  ),
  prints(
    `local function f(...) local a, b = ... return select('#', ...), a, b, ... end p(f(1,nil,3)) p((f(1,2))) p(unpack({1,2,3})) p(unpack({1,2,3}, 2)) p(unpack({1,2,3}, 2, 5))`,
  ),
  prints(
    `p(pcall(function() error("boom") end)) p(pcall(function() error({}) end) ) p(pcall(error, "x", 0)) p(select(2, pcall(function() local x = nil; return x.y end)))`,
  ),
  prints(
    `p(select(2, pcall(function() return 1 + nil end)), select(2, pcall(function() return {} .. "x" end)), select(2, pcall(function() return 1 < "2" end)), select(2, pcall(function() return {} < {} end)), select(2, pcall(function() return {} <= {} end)), select(2, pcall(function() return nil > 1 end)), select(2, pcall(function() return #nil end)), select(2, pcall(function() return -{} end)), select(2, pcall(function() return ("x")() end)))`,
  ),
  prints(
    `p(select(2, pcall(function() string.rep("x", 3) end))) p(select(2, pcall(function() setmetatable({}, {}) end))) p(select(2, pcall(string.gsub, "x", "y", "z"))) p(select(2, pcall(function() string.format() end))) p(select(2, pcall(function() ("x"):bad() end)))`,
  ),
  prints(
    `p(select(2, pcall(function() ipairs(nil) end)), select(2, pcall(function() pairs(5) end)), select(2, pcall(function() table.insert(nil, 1) end)), select(2, pcall(function() table.concat({{}}) end)), select(2, pcall(function() math.floor("x") end)), select(2, pcall(function() tostring() end)), select(2, pcall(function() local t = {} t[nil] = 1 end)), select(2, pcall(function() local t = {} t[0/0] = 1 end)))`,
  ),
  prints(
    `local s = 0 for i = 10, 1, -3 do s = s + i p(i) end for i = 1, 0 do p('no') end for i = 0.1, 0.5, 0.1 do p(i) end p(select(2, pcall(function() for i = 'a', 2 do end end)), select(2, pcall(function() for i = 1, {} do end end)))`,
  ),
  prints(`for i = 1, 5 do if i % 2 == 0 then goto continue end p(i) ::continue:: end`),
  prints(
    `local fs = {} for i = 1, 3 do fs[i] = function() i = i + 1 return i end end p(fs[1](), fs[1](), fs[2]())`,
  ),
  prints(
    `local function fib(n) if n < 2 then return n end return fib(n-1) + fib(n-2) end p(fib(15)) local function loop(n) if n == 0 then return 'done' end return loop(n-1) end p(loop(5000))`,
  ),
  prints(
    `local function deep(n) if n == 0 then return 0 end return 1 + deep(n-1) end p(deep(100)) p(select(2, pcall(deep, 1000)))`,
  ),
  prints(
    `local t = {f = function(self, x) return self.v + x end, v = 10} p(t:f(5)) function t.g(a) return a * 2 end function t:h() return self.v end p(t.g(4), t:h())`,
  ),
  prints(`p("a\\65\\066b\\n\\t\\\\\\"\\'", [[long
string]], [==[a]]b]==], 'x\\
y', "\\z")`),
  prints(`local a, b, c = (function() return 1, 2 end)() p(a, b, c) a, b = b, a p(a, b) local x <const> = 1`),
  prints(`p(0x10, 0xFF, 1e2, .5, 3., 1e-2, 010, 0b1)`),
  prints(
    `p(2^3^2, -2^2, not 1 == 2, 1 .. 2 .. 3, "a" .. 1 + 2, 1 + 2 < 4 and "yes" or "no", #"abc" + 1, -3 % 5, (2+3)*4, 7 - 3 - 2, 2 * 3 % 4)`,
  ),
  prints(
    `local kube = require("kube") p(kube.getResourceQuantity("100m"), kube.getResourceQuantity("1Gi"), kube.getResourceQuantity("2"), kube.resourceAdd("100m", "1"), kube.resourceAdd("1Gi", "512Mi"), kube.resourceAdd(nil, "1k"), kube.resourceAdd())`,
  ),
  prints(
    `local kube = require("kube") local r = kube.accuratePodRequirements({spec={nodeSelector={a="b"}, tolerations={{key="k", operator="Exists"}}, containers={{name="c", resources={limits={cpu="1", memory="1.5Gi"}, requests={cpu="500m"}}}}}}) r2 = r p(r.resourceRequest.cpu, r.resourceRequest.memory, r.nodeClaim.nodeSelector.a, r.nodeClaim.tolerations[1].key) p(kube.accuratePodRequirements({spec={containers={{name="c"}}}}))`,
  ),
  prints(
    `local kube = require("kube") local d = kube.getPodDependencies({spec={serviceAccountName="sa", volumes={{name="v", configMap={name="cm"}}}}}, "ns1") table.sort(d, function(a,b) return a.kind < b.kind end) for _, x in ipairs(d) do p(x.apiVersion, x.kind, x.namespace, x.name) end`,
  ),
  prints(
    `p(select(2, pcall(require, "nothing"))) p(require("string") == string, _G.string == string, _VERSION)`,
  ),
  prints(
    `p(select(2, pcall(function() local kube = require("kube"); kube.getResourceQuantity("abc") end)), select(2, pcall(function() require("kube").getResourceQuantity({}) end)), select(2, pcall(function() require("kube").getResourceQuantity() end)))`,
  ),
  prints(
    `p(os.date("!%Y-%m-%d %H:%M:%S", 86400), os.date("%F %X", 0), os.time({year=2024, month=1, day=2, hour=3}), os.date("*t", 0).year, io, coroutine, debug, os.getenv, os.exit)`,
  ),
  prints(`p(("%d items"):format(3), ("abc"):find("b"), #("abc"), ("x"):rep)`),
  `function ReflectStatus(o)
  return o.status.
end`,
  `function ReflectStatus(o) x y end`,
  `function ReflectStatus(o`,
  `function ReflectStatus(o) if true then return {} end`,
  `function ReflectStatus(o) local s = "abc
end`,
  `function ReflectStatus(o) x end`,
  `function ReflectStatus(o) return 1 return 2 end`,
  `break`,
  `function ReflectStatus(o) return ... end`,
  `function ReflectStatus(o) goto nowhere end`,
  `function ReflectStatus(o) local x = ~1 end`,
  `function ReflectStatus(o) local x = 1 // 2 end`,
  `function ReflectStatus(o) local x = @ end`,
  `function ReflectStatus(o) for i = 1 do end end`,
  `function ReflectStatus(o) f() = 1 end`,
  `function ReflectStatus(o) --[[ unfinished end`,
  `function ReflectStatus(o) local t = {1, 2 end`,
  `function ReflectStatus(o) return end end`,
  `function Other(o) return o end`,
  `ReflectStatus = 5`,
  `function ReflectStatus(o) return nil end`,
  `function ReflectStatus(o) return "x" end`,
  `function ReflectStatus(o) return {} end`,
  `function ReflectStatus(o) return {a={}, b={1}, c={{}}, d={x={}}} end`,
  `function ReflectStatus(o) return o.spec end`,
  `function ReflectStatus(o) return {1,2,3} end`,
  `function ReflectStatus(o) return {1,2,x=3} end`,
  `function ReflectStatus(o) local t = {} t[1]=1 t[3]=3 return {t=t} end`,
  `function ReflectStatus(o) local t = {1} return {a=t, b=t} end`,
  `function ReflectStatus(o) return {a=0/0} end`,
  `function ReflectStatus(o) return {a={b=print}} end`,
  `function ReflectStatus(o) return {[true]=1} end`,
  `function ReflectStatus(o) return {a=1e21, b=1e-7, c=123456789012345680, d=0.1, e=100, f=-0.0, g=2^53+1} end`,
  `return 7`,
  `function ReflectStatus(o) return {r=o.status.x.y} end`,
  `function ReflectStatus(o)
  local a = o.spec
    .missing
    .deeper
  return a
end`,
  `function ReflectStatus(o)
  local a = 1
  a = a +
    o.spec
  return a
end`,
  `function ReflectStatus(o)
  undefinedFunction(o,
     1)
  return {}
end`,
  `function ReflectStatus(o)
  error("custom " .. o.metadata.name)
end`,
  `function ReflectStatus(o)
  error({code = 1})
end`,
  `function ReflectStatus(o)
  assert(o.spec.nothing, "no spec")
end`,
  `function ReflectStatus(o)
  assert(false)
end`,
  `function ReflectStatus(o) o.status.new.deep = 1 return o.status end`,
  prints(`local a = 1; a = (o.missing and o) p(a)`),
  prints(`local a = 1; a = o.missing and o p(a)`),
  prints(`local a, b = 1, nil; a = b and o p(a)`),
  prints(`local a, b = 1, 5; a = (b or 3) and a p(a)`),
  prints(`local a, b = 1, 5; a = (b or 3) and o.missing and 7 p(a)`),
  prints(`local a = 1; a = not o and 5 p(a)`),
  prints(`local a = 1; a = (1 == 2) and 5 p(a)`),
  prints(`local a = 1; a = o.missing and o or 9 p(a)`),
  prints(`local a = 1; a = o.missing or o.spec.none2 p(a)`),
  prints(`local a = 1; a = o.missing or (o.spec.none2 and 5) p(a)`),
  prints(`local a, b, c = 1, "x", 3 if b then b = nil end local d = nil p(a, b, c, d)`),
  prints(`local a, b = 1, 2 a, b = o.missing and 5, 7 p(a, b)`),
  prints(`local a, b = 1, 2 a, b = (o.missing and 5), a p(a, b)`),
  prints(`local a, b = 1, 2 b, a = 7, o.missing and 5 p(a, b)`),
  prints(`g = 1 g = o.missing and 5 p(g)`),
  prints(`local a = 1 local function f() a = o.missing and 5 end f() p(a)`),
  prints(`local a, b = 1, 2 local function f() a = 10 return 1 end p(a + f())`),
  prints(`local a, b = {}, 2 local function f() a = {5} return 1 end p(a[f()])`),
  prints(`local b = {} b, b.x = {}, 5 p(b.x)`),
  prints(`local b, c = {}, {} c = b b, b.x = {}, 5 p(b.x, c.x)`),
  prints(`local b, c = {}, {} c = b local function f() b = {} return 1 end b.x = f() p(b.x, c.x)`),
  prints(`local a, b = 1, 2 local function f() a = 10 return 1 end p(a == f(), a < f())`),
  prints(`local a, b = 1, 2 local function f() a = 10 return 1 end p(a .. f())`),
  prints(
    `local a, b = 1, 2 local function f() a = 10 return 1 end local function g(...) p(...) end g(a, f())`,
  ),
  prints(`local a, b = 1, 2 a = (a == 2) and 5 p(a)`),
  prints(`local a, b = 1, 2 a = (a == 2 or b == 3) and 5 p(a)`),
  prints(`local a, b = 1, 2 a = (a == 2 and o.missing or nil) and 5 p(a)`),
  prints(`local a, b = 1, 2 a = (b and nil) or (false and 5) or (o.missing) p(a)`),
  prints(`local a, b = 1, 2 a = (o and b) and o.missing and a p(a)`),
  prints(`local a, b = 1, 2 a = ((o or 5) and a) or 7 p(type(a))`),
  prints(`local a, b = 1, 2 a = (not (o.missing or nil)) and not o and 3 p(a)`),
  prints(`local a, b = 1, 2 a = -a and #o.spec.list == 2 and 6 p(a)`),
  prints(`local a, b = 1, 2 a = (function() return a end)() and nil p(a)`),
  prints(`local a, b = 1, nil a = b and 5 p(a)`),
  prints(`local a, b = 1, nil a = (b and 5) and 6 p(a)`),
  prints(`local a, b = 1, nil a = (b or o.missing) and 6 p(a)`),
  prints(`local a, b = 1, 3 a = (b or o.missing) and o.missing and 6 p(a)`),
  prints(`local a, b = 1, 3 a = (a and b) or a p(a)`),
  prints(`local a, b = 1, 3 a = a and a or b p(a)`),
  prints(`local a, b = false, 3 a = a and 5 p(a)`),
  prints(`local a, b = 7, 3 a = o.missing and a or (o.spec.zz and a) p(a)`),
  prints(`local a, b = 7, 3 a = o.missing and 5, p(a) p(a)`),
  prints(
    `local a, b = 1, 2 local f = function() local c = 3 c = a and o.missing and 4 p(c) c = g or (a and g) p(c) end f()`,
  ),
  prints(`local a = 1 for i = 1, 2 do i = o.missing and 5 p(i) end`),
  prints(`local a, b = 1, 2 a = (b == 2 and o.spec.f and a) or a p(a)`),
  prints(`local function f(x) p(x) return x end p(f(1) + f(2), f(3) < f(4), ({f(5)})[f(1)])`),
]
