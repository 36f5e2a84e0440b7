import { randomUUID } from 'node:crypto'
import type { Operation } from '../../../karmada/interpreter/customized/customization.js'
import {
  componentsIn,
  dependenciesIn,
  requirementsIn,
} from '../../../karmada/interpreter/customized/results.js'
import { verifyDependencies } from '../../../karmada/interpreter/customized/verify-dependencies.js'
import {
  type Hook,
  hookFor,
  type WebhookConfiguration,
} from '../../../karmada/interpreter/customized/webhook-configuration.js'
import type { Dependency } from '../../../karmada/interpreter/dependencies.js'
import type { Replicas } from '../../../karmada/interpreter/replicas.js'
import type { Answer, ResourceInterpreter } from '../../../karmada/interpreter/resource-interpreter.js'
import type { Resource } from '../../../karmada/interpreter/workload.js'
import type { Component } from '../../../karmada/objects/binding.js'
import type { MemberStatus, Status } from '../../../karmada/objects/member-status.js'
import type { JsonObject } from '../../apimachinery/json.js'
import { jsonPatch } from '../../apimachinery/patch/json-patch.js'
import { callWebhook } from './call-webhook.js'
import { responseIn, type WebhookResponse } from './webhook-response.js'

/** What a request has beside the object. */
interface Question {
  readonly observedObject?: Resource
  readonly replicas?: number
  readonly aggregatedStatus?: readonly MemberStatus[]
}

/** An interpreter webhook failed. The message is Karmada's. */
export class InterpreterWebhookError extends Error {
  override readonly name = 'InterpreterWebhookError'
}

/**
 * Asks the webhooks of ResourceInterpreterWebhookConfigurations. Each method throws InterpreterWebhookError where the webhook for the kind
 * fails, and ScriptError where it answers with what is not of Karmada's types.
 */
export class WebhookInterpreter implements ResourceInterpreter {
  /**
   * @param configurations as they are now
   * @param call sends a body to a webhook, and returns what it answers
   */
  constructor(
    private readonly configurations: () => readonly WebhookConfiguration[],
    private readonly call: (hook: Hook, body: unknown) => Promise<unknown> = callWebhook,
  ) {}

  replicas(resource: Resource): Promise<Answer<Replicas> | undefined> {
    return this.#ask('InterpretReplica', resource, {}, ({ replicas = 0, replicaRequirements }) => ({
      replicas,
      ...(replicaRequirements !== undefined &&
        replicaRequirements !== null && { requirements: requirementsIn(replicaRequirements) }),
    }))
  }

  components(resource: Resource): Promise<Answer<readonly Component[]> | undefined> {
    return this.#ask('InterpretComponent', resource, {}, ({ components = null }) => componentsIn(components))
  }

  revise(resource: Resource, replicas: number): Promise<Answer<Resource> | undefined> {
    return this.#ask('ReviseReplica', resource, { replicas }, response => patched(resource, response))
  }

  retain(desired: Resource, observedObject: Resource): Promise<Answer<Resource> | undefined> {
    return this.#ask('Retain', desired, { observedObject }, response => patched(desired, response))
  }

  aggregate(
    template: Resource,
    aggregatedStatus: readonly MemberStatus[],
  ): Promise<Answer<Status | undefined> | undefined> {
    return this.#ask(
      'AggregateStatus',
      template,
      { aggregatedStatus },
      response => patched(template, response).status,
    )
  }

  dependencies(resource: Resource): Promise<Answer<readonly Dependency[]> | undefined> {
    return this.#ask('InterpretDependency', resource, {}, ({ dependencies = null }) => {
      const found = dependenciesIn(dependencies)
      verifyDependencies(found)
      return found
    })
  }

  reflect(resource: Resource): Promise<Answer<Status | undefined> | undefined> {
    return this.#ask('InterpretStatus', resource, {}, ({ rawStatus }) => rawStatus as Status)
  }

  health(resource: Resource): Promise<Answer<boolean> | undefined> {
    return this.#ask('InterpretHealth', resource, {}, ({ healthy = false }) => healthy)
  }

  knowsHealth(kind: { readonly apiVersion: string; readonly kind: string }): boolean {
    return hookFor(this.configurations(), kind, 'InterpretHealth') !== undefined
  }

  async #ask<T>(
    operation: Operation,
    object: Resource,
    { replicas = 0, ...question }: Question,
    read: (response: WebhookResponse) => T,
  ): Promise<Answer<T> | undefined> {
    const hook = hookFor(this.configurations(), object, operation)
    if (!hook) return undefined
    const uid = randomUUID()
    const [version = '', group = ''] = object.apiVersion.split('/').reverse()
    const { name, namespace } = object.metadata
    const request = {
      uid,
      kind: { group, version, kind: object.kind },
      name,
      ...(namespace !== undefined && { namespace }),
      operation,
      object,
      replicas,
      ...question,
    }
    try {
      if (!hook.interpreterContextVersions.includes('v1alpha1'))
        throw new Error(
          'could not create ResourceInterpreterContext objects: webhook does not accept known ResourceInterpreterContext versions (v1alpha1)',
        )
      const body = { apiVersion: 'config.karmada.io/v1alpha1', kind: 'ResourceInterpreterContext', request }
      const answer = await this.call(hook, body)
      return { value: read(responseIn(answer, uid, operation)) }
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      throw new InterpreterWebhookError(
        `Internal error occurred: failed calling webhook "${hook.id}": ${why}`,
        { cause: error },
      )
    }
  }
}

function patched(object: Resource, { patch }: WebhookResponse): Resource {
  if (patch === '') return object
  const operations: unknown = JSON.parse(Buffer.from(patch, 'base64').toString('utf8'))
  return jsonPatch(object as unknown as JsonObject, operations) as unknown as Resource
}
