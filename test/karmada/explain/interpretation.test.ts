import { describe, expect, it } from 'vitest'
import { Interpretation, type InterpreterRules } from '../../../karmada/explain/interpretation.js'
import type { RuleName } from '../../../karmada/interpreter/customized/customization.js'
import { customizationOf } from '../customized.js'
import { deployment } from './world.js'

const DEPLOYMENT = { apiVersion: 'apps/v1', kind: 'Deployment' }
const ENDLESS = 'function GetReplicas(obj) while true do end end'
const having = (
  scripts: Partial<Record<RuleName, string>>,
  webhooks: InterpreterRules['webhooks'] = [],
): Interpretation =>
  new Interpretation({ customizations: [customizationOf(DEPLOYMENT, scripts)], webhooks }, () => 7_000)
const webhookFor = (...operations: readonly string[]) => ({
  ...{ apiVersion: 'config.karmada.io/v1alpha1', kind: 'ResourceInterpreterWebhookConfiguration' },
  metadata: { name: 'hooks' },
  webhooks: [
    {
      name: 'workloads.example.io',
      rules: [{ operations, apiGroups: ['apps'], apiVersions: ['*'], kinds: ['*'] }],
      clientConfig: { url: 'https://127.0.0.1' },
      interpreterContextVersions: ['v1alpha1'],
    },
  ],
})

describe('the interpretation of a template for a preview', () => {
  it('counts by the script of its kind, which may know the time', () => {
    const rules = having({
      replicaResource: 'function GetReplicas(obj) return os.time() + obj.spec.replicas, nil end',
    })
    expect(rules.counted(deployment(2))).toEqual({ replicas: { replicas: 9 } })
  })

  it('takes components before replicas', () => {
    const rules = having({
      componentResource: 'function GetComponents(obj) return { { name = "a", replicas = 3 } } end',
      replicaResource: ENDLESS,
    })
    expect(rules.counted(deployment())).toMatchObject({ components: [{ name: 'a', replicas: 3 }] })
  })

  it('is by Karmada’s own rules where no script is', () => {
    const rules = having({ healthInterpretation: 'function InterpretHealth(obj) return true end' })
    expect(rules.counted(deployment(4)).replicas?.replicas).toBe(4)
    expect(rules.revised(deployment(4), 1).spec?.replicas).toBe(1)
  })

  it('ends a script that has no end, and says that Karmada may run it', () => {
    expect(() => having({ replicaResource: ENDLESS }).counted(deployment())).toThrow(
      /takes more than the 1000000 steps that are spent here: Karmada may run it/,
    )
  })

  it('ends a script that makes a text without end', () => {
    const script = 'function ReviseReplica(obj, n) local s = "x" while true do s = s .. s end end'
    expect(() => having({ replicaRevision: script }).revised(deployment(), 1)).toThrow(/steps/)
  })

  it('repeats what Karmada would say of a script that fails', () => {
    const script = 'function GetReplicas(obj) return obj.spec.nothing.there, nil end'
    expect(() => having({ replicaResource: script }).counted(deployment())).toThrow(
      /^Karmada’s interpreter fails: <string>:1: attempt to index/,
    )
  })

  it('fails for a quantity that cannot be read', () => {
    const job = (memory: string) => ({
      ...{ apiVersion: 'flink.apache.org/v1beta1', kind: 'FlinkDeployment', metadata: { name: 'f' } },
      spec: { taskManager: { resource: { memory } } },
    })
    expect(() => having({}).counted(job('much'))).toThrow(/^Karmada’s interpreter fails: .*much/)
    expect(having({}).counted(job('1Gi')).components).toHaveLength(2)
  })

  it('names a webhook that Karmada would ask, where no script answers before it', () => {
    const script = 'function GetReplicas(obj) return 1, nil end'
    expect(having({}, [webhookFor('InterpretReplica')]).noteOf(deployment())).toMatch(
      /asks the interpreter webhook hooks\/workloads.example.io about each Deployment, which is not called/,
    )
    expect(
      having({ replicaResource: script }, [webhookFor('InterpretReplica')]).noteOf(deployment()),
    ).toBeUndefined()
    expect(having({}, [webhookFor('InterpretHealth')]).noteOf(deployment())).toBeUndefined()
  })
})
