import type { DescMessage, Message } from '@bufbuild/protobuf'
import { reflect } from '@bufbuild/protobuf/reflect'
import { ObjectMetaSchema } from '../../../proto/gen/kairship/types_pb.js'

/**
 * The fields of a message, and of all messages that it may hold, that are not set anywhere in it: `Container.image`.
 * ObjectMeta has tests of its own.
 */
export function unsetFields(schema: DescMessage, message: Message): string[] {
  const set = new Set(setFields(reflect(schema, message)))
  return declaredFields(schema, new Set()).filter(field => !set.has(field))
}

function declaredFields(message: DescMessage, seen: Set<string>): string[] {
  if (seen.has(message.typeName) || message.typeName === ObjectMetaSchema.typeName) return []
  seen.add(message.typeName)
  return message.fields.flatMap(field => [
    `${message.name}.${field.name}`,
    ...(field.message ? declaredFields(field.message, seen) : []),
  ])
}

type Reflected = ReturnType<typeof reflect>

const setFields = (message: Reflected): string[] =>
  message.fields
    .filter(field => message.isSet(field))
    .flatMap(field => {
      const inside =
        field.fieldKind === 'message'
          ? [message.get(field)]
          : field.fieldKind === 'list' && field.listKind === 'message'
            ? ([...message.get(field)] as Reflected[])
            : []
      return [`${message.desc.name}.${field.name}`, ...inside.flatMap(setFields)]
    })
