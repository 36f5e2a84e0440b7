import type { MessageInitShape } from '@bufbuild/protobuf'
import type { KubeObject } from '../../../manifests/kube.js'
import { type IngressSchema, Protocol } from '../../../proto/gen/kairship/networking_pb.js'
import type { Place } from '../../objects/object-type.js'
import { clusterSummaries, type Distribution } from '../distribution/distribution.js'
import { DISTRIBUTED } from '../distribution/follow-distributed.js'
import type { Kind } from '../kind/kind-handlers.js'
import { objectMeta } from '../kind/object-meta.js'

/** networking.k8s.io/v1 Ingress, as far as the API shows it. */
export interface Ingress extends KubeObject {
  readonly spec?: {
    readonly ingressClassName?: string
    readonly defaultBackend?: Backend
    readonly tls?: readonly { readonly hosts?: readonly string[]; readonly secretName?: string }[]
    readonly rules?: readonly {
      readonly host?: string
      readonly http?: {
        readonly paths?: readonly {
          readonly path?: string
          readonly pathType?: string
          readonly backend?: Backend
        }[]
      }
    }[]
  }
  readonly status?: {
    readonly loadBalancer?: {
      readonly ingress?: readonly {
        readonly ip?: string
        readonly hostname?: string
        readonly ports?: readonly {
          readonly port: number
          readonly error?: string
          readonly protocol?: string
        }[]
      }[]
    }
  }
}

interface Backend {
  readonly service?: {
    readonly name: string
    readonly port?: { readonly name?: string; readonly number?: number }
  }
  readonly resource?: { readonly name: string; readonly kind: string; readonly apiGroup?: string }
}

type IngressMessage = MessageInitShape<typeof IngressSchema>

/** Ingresses. */
export const ingresses: Kind<Ingress, IngressMessage, Distribution | undefined> = {
  type: {
    ...{ group: 'networking.k8s.io', version: 'v1', resource: 'ingresses' },
    ...{ kind: 'Ingress', namespaced: true },
  },
  message: ingressMessage,
  ...DISTRIBUTED,
}

/** @param distribution absent for an Ingress of a member */
export function ingressMessage(ingress: Ingress, place: Place, distribution?: Distribution): IngressMessage {
  const { ingressClassName = '', tls = [], rules = [], defaultBackend } = ingress.spec ?? {}
  const { ingress: points = [] } = ingress.status?.loadBalancer ?? {}
  return {
    metadata: objectMeta(ingress, place),
    spec: {
      ingressClassName,
      ...(defaultBackend && { defaultBackend: backendMessage(defaultBackend) }),
      tls: tls.map(({ hosts = [], secretName = '' }) => ({ hosts: [...hosts], secretName })),
      rules: rules.map(({ host = '', http }) => ({
        host,
        ...(http && {
          http: {
            paths: (http.paths ?? []).map(({ path = '', pathType = '', backend }) => ({
              path,
              pathType,
              ...(backend && { backend: backendMessage(backend) }),
            })),
          },
        }),
      })),
    },
    status: {
      loadBalancer: {
        ingress: points.map(({ ip = '', hostname = '', ports = [] }) => ({
          ip,
          hostname,
          ports: ports.map(({ port, error = '', protocol }) => ({
            port,
            error,
            protocol: PROTOCOLS[protocol ?? ''] ?? Protocol.PROTOCOL_UNSPECIFIED,
          })),
        })),
      },
      clusters: distribution ? clusterSummaries(distribution) : [],
    },
  }
}

function backendMessage({ service, resource }: Backend) {
  return {
    ...(service && {
      service: {
        name: service.name,
        ...(service.port && {
          port: { name: service.port.name ?? '', number: service.port.number ?? 0 },
        }),
      },
    }),
    ...(resource && {
      resource: { name: resource.name, kind: resource.kind, apiGroup: resource.apiGroup ?? '' },
    }),
  }
}

const PROTOCOLS: Readonly<Record<string, Protocol>> = {
  TCP: Protocol.TCP,
  UDP: Protocol.UDP,
  SCTP: Protocol.SCTP,
}
