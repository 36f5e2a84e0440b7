import type { ObjectType } from '../../kube/object.js'
import { autoscalerForm } from './autoscaler-form.js'
import { configMapForm, secretForm } from './data-form.js'
import { ingressForm } from './ingress-form.js'
import { namespaceForm } from './namespace-form.js'
import type { KindForm } from './object-form.js'
import { serviceForm } from './service-form.js'

/** The forms, by group and resource. Other kinds are written as YAML. */
const forms: Readonly<Record<string, KindForm>> = {
  '/services': serviceForm,
  '/configmaps': configMapForm,
  '/secrets': secretForm,
  '/namespaces': namespaceForm,
  'networking.k8s.io/ingresses': ingressForm,
  'autoscaling.karmada.io/federatedhpas': autoscalerForm,
}

export const kindFormOf = ({ group, resource }: ObjectType): KindForm | undefined =>
  forms[`${group}/${resource}`]
