import fc from 'fast-check'
import { type CustomizedScenario, customizationOf, METHODS, RULE_OF } from './customized.js'
import { reportedResources } from './interpreter-scenarios.js'
import { luaPrograms } from './lua-programs.js'
import { SUBJECT } from './lua-scripts.js'

/** Rules as people write them, for each method; some fail for some objects. */
const SCRIPTS: Readonly<Record<CustomizedScenario['method'], readonly string[]>> = {
  replicas: [
    `function GetReplicas(obj)
  local replica = obj.spec.replicas
  local requirement = { nodeClaim = {} }
  requirement.nodeClaim.nodeSelector = obj.spec.template.spec.nodeSelector
  requirement.nodeClaim.tolerations = obj.spec.template.spec.tolerations
  requirement.resourceRequest = obj.spec.template.spec.containers[1].resources.limits
  return replica, requirement
end`,
    `local kube = require("kube")
function GetReplicas(obj)
  local replica = 1
  if obj.spec.replicas ~= nil then replica = obj.spec.replicas end
  return replica, kube.accuratePodRequirements(obj.spec.template)
end`,
    'function GetReplicas(obj) return obj.spec.replicas * 1.7 end',
    'function GetReplicas(obj) return "3", {} end',
    'function GetReplicas(obj) return 2, { resourceRequest = { cpu = "0.5", memory = 1024, x = "1500m" }, namespace = "n" } end',
    'function GetReplicas(obj) return 2, { resourceRequest = { cpu = "many" } } end',
  ],
  components: [
    `local kube = require("kube")
function GetComponents(obj)
  local components = {}
  for i, container in ipairs(obj.spec.template.spec.containers) do
    table.insert(components, {
      name = container.name .. "-" .. i,
      replicas = obj.spec.replicas,
      replicaRequirements = kube.accuratePodRequirements({ spec = { containers = { container } } }),
    })
  end
  return components
end`,
    'function GetComponents(obj) return nil end',
    'function GetComponents(obj) return {} end',
    'function GetComponents(obj) return "no" end',
    'function GetComponents(obj) return { { name = "a", replicas = "x" } } end',
    'function GetComponents(obj) return obj.nothing.there end',
  ],
  revise: [
    'function ReviseReplica(obj, replica) obj.spec.replicas = replica return obj end',
    'function ReviseReplica(obj, replica) obj.spec.parallelism = replica + 0.5 obj.spec.empty = {} return obj end',
    'function ReviseReplica(obj, replica) obj.kind = nil return obj end',
    'function ReviseReplica(obj, replica) return replica end',
  ],
  retain: [
    `function Retain(desired, observed)
  desired.spec.paused = observed.spec.paused
  desired.spec.replicas = observed.spec.replicas
  desired.status = observed.status
  return desired
end`,
    `function Retain(desired, observed)
  for i = 1, #desired.spec.template.spec.containers do
    local container = observed.spec.template.spec.containers[i]
    if container ~= nil then desired.spec.template.spec.containers[i].resources = container.resources end
  end
  return desired
end`,
    'function Retain(desired, observed) return observed end',
  ],
  aggregate: [
    `function AggregateStatus(obj, items)
  if obj.status == nil then obj.status = {} end
  local replicas, conditions = 0, {}
  for i = 1, #items do
    local status = items[i].status
    if status ~= nil then
      replicas = replicas + (status.replicas or 0)
      table.insert(conditions, { type = items[i].clusterName, status = tostring(status.generation) })
    end
  end
  obj.status.replicas = replicas
  obj.status.conditions = conditions
  return obj
end`,
    `function AggregateStatus(obj, items)
  obj.status = { members = {} }
  for i, item in ipairs(items) do obj.status.members[item.clusterName] = item.status end
  return obj
end`,
    'function AggregateStatus(obj, items) obj.status.readyReplicas = obj.status.readyReplicas + items[1].status.readyReplicas return obj end',
  ],
  dependencies: [
    `local kube = require("kube")
function GetDependencies(obj)
  return kube.getPodDependencies(obj.spec.template, obj.metadata.namespace)
end`,
    `function GetDependencies(obj)
  local list = {}
  for _, name in ipairs({ "b", "a", "b" }) do
    list[#list + 1] = { apiVersion = "v1", kind = "ConfigMap", namespace = obj.metadata.namespace, name = name }
  end
  return list
end`,
    'function GetDependencies(obj) return {} end',
    'function GetDependencies(obj) return { { apiVersion = "v1", kind = "Secret" } } end',
    'function GetDependencies(obj) return { { apiVersion = "v1", kind = "Pod", labelSelector = { matchLabels = { app = "web" } } } } end',
  ],
  status: [
    'function ReflectStatus(obj) if obj.status == nil then return nil end return obj.status end',
    'function ReflectStatus(obj) return { replicas = obj.status.replicas, list = {}, nested = { deep = {} } } end',
    'function ReflectStatus(obj) local s = obj.status s.generation = obj.metadata.generation return s end',
  ],
  health: [
    'function InterpretHealth(obj) return obj.status.readyReplicas == obj.spec.replicas end',
    'function InterpretHealth(obj) return (obj.status.updatedReplicas == obj.spec.replicas) and (obj.metadata.generation == obj.status.observedGeneration) end',
    'function InterpretHealth(obj) return obj.status.readyReplicas and obj.status.readyReplicas >= 1 end',
  ],
}

const templates = reportedResources('apps/v1 Deployment', 'apps/v1 StatefulSet', 'batch/v1 Job')

/** Rules for random objects. */
const ruled: fc.Arbitrary<CustomizedScenario> = fc
  .constantFrom(...METHODS)
  .chain(method =>
    fc.tuple(
      fc.constant(method),
      fc.subarray([...SCRIPTS[method]], { minLength: 1, maxLength: 2 }),
      templates,
      templates,
      fc.nat(9),
    ),
  )
  .map(([method, scripts, { object, items }, { object: observed }, replicas]) => ({
    method,
    object,
    observed,
    replicas,
    items,
    customizations: scripts.map((script, at) =>
      customizationOf(object, { [RULE_OF[method]]: script }, `rules-${at}`),
    ),
  }))

/** Programs that print. */
const printed: fc.Arbitrary<CustomizedScenario> = luaPrograms.map(script => ({
  method: 'status',
  object: SUBJECT,
  customizations: [customizationOf(SUBJECT, { statusReflection: script })],
}))

/** Questions to customizations. */
export const customizationScenarios: fc.Arbitrary<CustomizedScenario> = fc.oneof(
  // Of two empty parts of one list, Karmada takes away one or both: it walks a Go map.
  ruled.filter(({ object }) => !JSON.stringify(object).includes('{},{}')),
  printed,
)
