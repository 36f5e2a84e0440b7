import { Autocomplete, Fieldset, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { useRefusal } from '../../editor/refusals.js'
import { adding, type Path, removing, setting } from '../../forms/changes.js'
import { isHost, isPort } from '../../forms/names.js'
import { at, list, text, textOrNumber } from '../../forms/reading.js'
import { RemoveRow } from '../../forms/remove-row.js'
import { Rows } from '../../forms/rows.js'
import { useObjectFormWords } from '../../words/object-forms.js'
import type { FieldsProps } from './form-props.js'

const TYPES = ['Prefix', 'Exact', 'ImplementationSpecific'] as const
export const RULES = ['spec', 'rules']
/** The most rules, and paths of a rule, that are shown as fields. */
export const MOST_ROWS = 30

/** The first content of a new path. @param service that it leads to */
export const newPath = (service: string) => ({
  path: '/',
  pathType: 'Prefix',
  backend: { service: { name: service, port: { number: 80 } } },
})

/** Fields for a rule of an Ingress: a host, and the Services of its paths. */
export function Rule({
  index,
  rule,
  services,
  apply,
}: {
  readonly index: number
  readonly rule: unknown
  readonly services: readonly string[]
  readonly apply: FieldsProps['apply']
}) {
  const words = useObjectFormWords()
  const { ingress } = words
  const host = text(at(rule, 'host'))
  const refused = useRefusal(`spec.rules[${index}].host`)
  const where = [...RULES, index, 'http', 'paths']
  const paths = list(at(rule, 'http', 'paths'))
  return (
    <Fieldset legend={ingress.rule(index + 1)}>
      <Stack gap="xs">
        <Group align="flex-start" wrap="nowrap">
          <TextInput
            label={ingress.host}
            placeholder={ingress.anyHost}
            style={{ flex: 1 }}
            value={host}
            error={(host !== '' && !isHost(host) && words.hostWrong) || refused}
            onChange={event => apply(setting([...RULES, index, 'host'], event.currentTarget.value))}
          />
          <RemoveRow
            label={ingress.removeRule(index + 1)}
            remove={() => apply(removing([...RULES, index]))}
          />
        </Group>
        <Rows
          items={paths}
          most={MOST_ROWS}
          add={() => apply(adding(where, newPath(text(at(paths.at(-1), 'backend', 'service', 'name')))))}
          addLabel={ingress.addPath}
          row={(path, row) => (
            <PathRow
              at={[...where, row]}
              field={`spec.rules[${index}].http.paths[${row}]`}
              label={ingress.pathRow(index + 1, row + 1)}
              path={path}
              services={services}
              apply={apply}
            />
          )}
        />
      </Stack>
    </Fieldset>
  )
}

function PathRow({
  at: where,
  field,
  label,
  path,
  services,
  apply,
}: {
  readonly at: Path
  readonly field: string
  readonly label: string
  readonly path: unknown
  readonly services: readonly string[]
  readonly apply: FieldsProps['apply']
}) {
  const { ingress } = useObjectFormWords()
  const service = at(path, 'backend', 'service')
  const port = textOrNumber(at(service, 'port', 'number')) || text(at(service, 'port', 'name'))
  const given = text(at(path, 'path'))
  const type = text(at(path, 'pathType'))
  const isOfResource = service === undefined && at(path, 'backend', 'resource') !== undefined
  const refusal = {
    path: useRefusal(`${field}.path`),
    service: useRefusal(`${field}.backend.service.name`),
    port: useRefusal(`${field}.backend.service.port`),
    number: useRefusal(`${field}.backend.service.port.number`),
  }
  const needsSlash = type !== 'ImplementationSpecific' && !given.startsWith('/')
  return (
    <Group align="flex-start" role="group" aria-label={label}>
      <TextInput
        label={ingress.path}
        w={160}
        value={given}
        error={(needsSlash && ingress.pathWrong) || refusal.path}
        onChange={event => apply(setting([...where, 'path'], event.currentTarget.value))}
      />
      <Select
        label={ingress.pathType}
        w={170}
        allowDeselect={false}
        data={TYPES.map(value => ({ value, label: ingress.pathTypes[value] }))}
        value={type}
        onChange={next => apply(setting([...where, 'pathType'], next ?? undefined))}
      />
      {isOfResource ? (
        <Text size="sm" mt={32}>
          {ingress.resource}
        </Text>
      ) : (
        <>
          <Autocomplete
            label={ingress.service}
            w={180}
            data={[...services]}
            value={text(at(service, 'name'))}
            error={(text(at(service, 'name')) === '' && ingress.serviceMissing) || refusal.service}
            onChange={next => apply(setting([...where, 'backend', 'service', 'name'], next))}
          />
          <TextInput
            label={ingress.port}
            w={110}
            value={port}
            error={(!isPort(port) && ingress.portWrong) || refusal.port || refusal.number}
            onChange={event => {
              const { value } = event.currentTarget
              const of = [...where, 'backend', 'service', 'port']
              // A port has either a number or a name.
              if (/^[1-9]\d*$/.test(value))
                apply(removing([...of, 'name']), setting([...of, 'number'], Number(value)))
              else apply(removing([...of, 'number']), setting([...of, 'name'], value))
            }}
          />
        </>
      )}
      <RemoveRow label={ingress.removePath(label)} remove={() => apply(removing(where))} />
    </Group>
  )
}
