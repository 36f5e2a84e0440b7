import { randomUUID } from 'node:crypto'
import { isAlreadyExists } from '../../../manifests/status-error.js'
import { applyPatch } from '../../apimachinery/apply/apply-patch.js'
import { applyUpdate } from '../../apimachinery/apply/apply-update.js'
import { type JsonObject, objectAt, stringAt } from '../../apimachinery/json.js'
import { timestamp } from '../../objects/timestamp.js'
import { admitCreate, admitWrite } from '../admission/admission.js'
import { alreadyExists, badRequest, customStatus, internalError } from '../api-status.js'
import type { StoredObject } from '../store/stored-object.js'
import { generatedName, NAME_ATTEMPTS } from './generated-name.js'
import { checkBody, readFields, validateObject, without } from './object-rules.js'
import {
  type Answer,
  answerWith,
  inStorageVersion,
  inVersion,
  keyOf,
  type Target,
  type WriteOptions,
} from './target.js'

/**
 * Creates an object. A taken generated name is replaced by another, up to eight times.
 * @throws StatusError AlreadyExists, Invalid, BadRequest, NotFound (no such namespace), Forbidden (namespace terminating)
 */
export async function create(target: Target, body: JsonObject, options: WriteOptions): Promise<Answer> {
  const read = readFields(target.definition, checkBody(target, body), options)
  const metadata = objectAt(read, 'metadata')
  if (target.name !== '' && stringAt(metadata, 'name') !== target.name) {
    throw badRequest(
      `the name of the object (${stringAt(metadata, 'name')}) does not match the name on the URL (${target.name})`,
    )
  }
  const generate = stringAt(metadata, 'name') === '' && stringAt(metadata, 'generateName') !== ''
  for (let attempt = 1; ; attempt += 1) {
    const name = generate ? generatedName(stringAt(metadata, 'generateName')) : stringAt(metadata, 'name')
    try {
      const named = { ...read, metadata: { ...metadata, name } }
      return await createNamed(target, named, options, object =>
        applyUpdate({
          definition: target.definition,
          object,
          manager: options.fieldManager,
          now: now(target),
        }),
      )
    } catch (error) {
      if (!generate || !isAlreadyExists(error) || attempt === NAME_ATTEMPTS) throw error
    }
  }
}

const now = ({ cluster }: Target): Date => new Date(cluster.now())

/** Creates what a server-side apply describes. */
export async function createApplied(
  target: Target,
  config: JsonObject,
  options: WriteOptions,
): Promise<Answer> {
  const { definition } = target
  const applied = applyPatch({
    definition,
    config,
    manager: options.fieldManager,
    force: options.force,
    now: now(target),
  })
  const read = readFields(definition, checkBody(target, applied), options)
  const named = { ...read, metadata: { ...objectAt(read, 'metadata'), name: target.name } }
  const { resourceVersion: _, ...metadata } = objectAt(named, 'metadata')
  // Apply creates by an update, which ignores the resourceVersion of an object that does not exist.
  return createNamed(target, { ...named, metadata }, options, object => object)
}

/** @param keepBooks notes who owns what, unless that is done already */
async function createNamed(
  target: Target,
  named: JsonObject,
  options: WriteOptions,
  keepBooks: (object: JsonObject) => JsonObject,
): Promise<Answer> {
  const { cluster, type, definition, collection } = target
  // What admission and the registry add belongs to no manager.
  const object = prepare(target, admitCreate(target, keepBooks(named), options))
  validateObject(definition, object)
  admitWrite(target, object)
  const name = stringAt(object, 'metadata', 'name')
  const key = keyOf(target.namespace, name)
  const versioned = stringAt(named, 'metadata', 'resourceVersion') !== ''
  const transaction = (current: StoredObject | undefined) => {
    if (versioned && !options.dryRun)
      throw customStatus(500, '', 'resourceVersion should not be set on objects to be created')
    if (current) throw alreadyExists(target.qualified, name, current.isTerminating)
    return { put: inStorageVersion(type, object) }
  }
  if (options.dryRun) {
    transaction(collection.get(key))
    return { code: 201, object: inVersion(type, object) }
  }
  const { stored } = await cluster.store.write(collection, key, transaction)
  if (!stored) throw internalError('a created object was not stored')
  return answerWith(type, 201, stored)
}

/** What the server alone decides about a new object. */
function prepare({ cluster, definition }: Target, object: JsonObject): JsonObject {
  const prepared = definition.strategy?.prepareForCreate?.(object) ?? withoutStatus(definition, object)
  const { name, generateName, namespace, ...rest } = without(
    objectAt(prepared, 'metadata'),
    'uid',
    'selfLink',
    'resourceVersion',
    'generation',
    'creationTimestamp',
    'deletionTimestamp',
    'deletionGracePeriodSeconds',
  )
  const metadata = {
    ...(name === undefined ? {} : { name }),
    ...(generateName === undefined ? {} : { generateName }),
    ...(namespace === undefined ? {} : { namespace }),
    uid: randomUUID(),
    ...(definition.strategy?.withoutGeneration ? {} : { generation: 1 }),
    creationTimestamp: timestamp(cluster.now()),
    ...rest,
  }
  const made = { ...prepared, metadata }
  return definition.strategy?.settleCreate?.(made) ?? made
}

const withoutStatus = ({ custom, subresources }: Target['definition'], object: JsonObject): JsonObject =>
  custom && subresources.status ? without(object, 'status') : object
