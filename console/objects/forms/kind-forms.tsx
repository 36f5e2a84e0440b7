import type { ObjectEditorProps } from '../../editor/object-editor.js'
import type { ObjectKind } from '../object-kind.js'
import { autoscalerForm } from './autoscaler-form.js'
import { configMapForm, secretForm } from './data-form.js'
import { ingressForm } from './ingress-form.js'
import { namespaceForm } from './namespace-form.js'
import { type KindForm, ObjectForm } from './object-form.js'
import { serviceForm } from './service-form.js'

/** The forms by group and resource. Other kinds are written as YAML. */
const forms: Readonly<Record<string, KindForm>> = {
  '/services': serviceForm,
  '/configmaps': configMapForm,
  '/secrets': secretForm,
  '/namespaces': namespaceForm,
  'networking.k8s.io/ingresses': ingressForm,
  'autoscaling.karmada.io/federatedhpas': autoscalerForm,
}

/** The `form` prop of `ObjectEditor` for a kind; empty for kinds without a form. */
export function editorForm(
  instance: string,
  { type, isPlaced }: ObjectKind,
  isNew: boolean,
): Pick<ObjectEditorProps, 'form'> {
  const kind = forms[`${type.group}/${type.resource}`]
  if (!kind) return {}
  const given = { instance, type, kind, isNew, isPlaced }
  return { form: (text, change) => <ObjectForm {...given} text={text} change={change} /> }
}
