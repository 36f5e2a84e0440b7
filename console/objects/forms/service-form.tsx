import { Group, Select, TextInput } from '@mantine/core'
import { useRefusal } from '../../editor/refusals.js'
import { setting } from '../../forms/changes.js'
import { KeyValues } from '../../forms/key-values.js'
import { isServiceName, isSubdomain } from '../../forms/names.js'
import { at, entries, text } from '../../forms/reading.js'
import { useObjectFormWords } from '../../words/object-forms.js'
import type { FieldsProps } from './form-props.js'
import type { KindForm } from './object-form.js'
import { Ports } from './service-ports.js'

const TYPES = ['ClusterIP', 'NodePort', 'LoadBalancer', 'ExternalName'] as const
const AFFINITIES = ['None', 'ClientIP'] as const
function ServiceFields({ object: { object }, apply }: FieldsProps) {
  const words = useObjectFormWords()
  const { service } = words
  const spec = at(object, 'spec')
  const type = text(at(spec, 'type')) || 'ClusterIP'
  const externalName = text(at(spec, 'externalName'))
  const refused = useRefusal('spec.externalName')
  return (
    <>
      <Group grow align="flex-start">
        <Select
          label={service.type}
          description={service.types[type as keyof typeof service.types]}
          allowDeselect={false}
          data={[...new Set([...TYPES, type])]}
          value={type}
          onChange={next => apply(setting(['spec', 'type'], next ?? undefined))}
        />
        {type === 'ExternalName' ? (
          <TextInput
            label={service.externalName}
            description={service.externalNameHelp}
            required
            value={externalName}
            error={(externalName !== '' && !isSubdomain(externalName) && words.hostWrong) || refused}
            onChange={event => apply(setting(['spec', 'externalName'], event.currentTarget.value))}
          />
        ) : (
          <Select
            label={service.affinity}
            description={service.affinityHelp}
            allowDeselect={false}
            data={AFFINITIES.map(value => ({ value, label: service.affinities[value] }))}
            value={text(at(spec, 'sessionAffinity')) || 'None'}
            onChange={next =>
              apply(setting(['spec', 'sessionAffinity'], next === 'None' || next === null ? undefined : next))
            }
          />
        )}
      </Group>
      <Ports spec={spec} type={type} apply={apply} />
      {type !== 'ExternalName' && (
        <KeyValues
          legend={service.selector}
          help={service.selectorHelp}
          add={service.addLabel}
          path={['spec', 'selector']}
          entries={entries(at(spec, 'selector'))}
          apply={apply}
        />
      )}
    </>
  )
}

export const serviceForm: KindForm = {
  shape: { spec: { selector: {}, ports: [{}] } },
  Fields: ServiceFields,
  isName: isServiceName,
}
