import { Code } from '../../transcoding/code.js'

/**
 * The reasons that Kairship gives, and when. Programs branch on them: one that is published keeps its name and its meaning.
 * docs/errors.md is made of this. What an API server refuses keeps the API server's own reason.
 */
export const REASONS = {
  AccessLocked: 'An AccessLock refuses the caller. The message is the lock’s, and the details name it.',
  AccessWithdrawn:
    'The right by which a stream was open is gone, or is less than it was. A new request is decided anew.',
  AlreadyExists: 'An object of that name exists; nothing was changed.',
  AlreadyManaged: 'Karmada manages the object of the member already, so it cannot be promoted.',
  AnswerMemory: 'Too many large lists are read at once. The message says when to try again.',
  AnswerTooLarge: 'The instance’s answer is larger than Kairship holds: ask for less at once.',
  AnswerTooSlow: 'The instance took too long to send its list.',
  BadAnswer: 'A server behind Kairship answered with what its protocol does not allow.',
  BadRequest: 'The request cannot be read: its body, its headers, or its deadline.',
  Bound: 'The instance or the namespace belongs to another workspace.',
  Cancelled: 'The caller gave the call up.',
  ClusterJoined:
    'The cluster is a member already: of this instance under another name, or of another instance under this one.',
  ClusterNotReady: 'The control plane of the given kubeconfig answers, but is not ready.',
  ClusterRefused: 'The cluster refused the credential of the given kubeconfig.',
  ClusterTerminating:
    'The Cluster is being deleted, and something keeps it. The message names the finalizer.',
  ClusterUnreachable: 'The cluster of the given kubeconfig cannot be reached.',
  Conflict: 'Another writer changed the object meanwhile: read it again.',
  CredentialEnded:
    'The credential by which a stream was open does not count any more: it has expired, or its issuer or account is gone.',
  Deleting: 'The object is being deleted.',
  Delivered: 'The role binding is delivered by Global Management, which would undo a change of it here.',
  Dependency: 'The template follows another one to its members, which places it.',
  DuplicateControlPlane:
    'An older Instance leads to the same control plane, which has the objects. The message names it.',
  DuplicateEndpoint:
    'An older Instance leads to the same endpoint, which has the objects. The message names it.',
  Expired: 'What the request continues is not known any more: start over.',
  FailedPrecondition: 'Something must be changed before the call can succeed. The message says what.',
  Finalizers: 'The Job has finalizers, so it cannot be restarted.',
  Forbidden: 'The caller may not do this.',
  ForeignRedirect: 'The instance sends the caller to another server, which the proxy does not pass on.',
  ImpersonationRefused:
    'The instance does not let Kairship act in the names of callers. The message says what its operator must do.',
  Incomplete: 'A place of a list over the fleet counted more objects than it sent.',
  InstanceAdopted: 'Kairship did not install the instance, so it cannot change its components.',
  InstanceCredentialRefused:
    'The instance refuses Kairship’s own credential: neither the caller nor a retry can help.',
  InstanceNotFound: 'There is no instance of that name.',
  InstanceTimeouts: 'Several members of one instance did not answer, so its others were left out.',
  InstanceUnreachable: 'The instance cannot be reached now. Its conditions say why.',
  InternalError: 'A bug in Kairship. The log has the error under the request id.',
  ForeignBinding: 'A role binding of that name is there and was not delivered.',
  Invalid: 'Fields of the request are wrong. The details name each.',
  IssuerUnavailable: 'The keys of the token’s issuer cannot be read now. A retry may help.',
  JobLost: 'The Job was deleted, but could not be created anew: create it from its manifest.',
  KairshipCredentialRefused:
    'An API server refuses Kairship’s own credential: neither the caller nor a retry can help.',
  KubeconfigInvalid:
    'The kubeconfig in the named Secret cannot be used. The message says why, and quotes nothing of it.',
  ListNotRead: 'The reader of a watch did not take its first list in time.',
  ListTimeout: 'A list over the fleet took too long to reach this place.',
  ListTooLarge: 'Too many objects match to be sorted here. The message says how to narrow the list.',
  LoginNotConfigured: 'This Kairship names no issuer at which people may log in.',
  MethodNotAllowed: 'The path is served, but not with this method.',
  NoClusterId: 'The cluster has no namespace kube-system, by whose uid clusters are told apart.',
  NoCloudShells: 'The host has no CloudTTY.',
  NoContainerManagement: 'The host has no Container Management.',
  NoCredential: 'Container Management has no kubeconfig of that cluster.',
  NoKarmadaOperator: 'The host has no karmada-operator, so no control plane can be installed.',
  NoMetrics: 'No metrics service is configured.',
  NoRegistries: 'No image registries are configured.',
  NoRevision: 'No member remembers that revision.',
  NoTokenKeys: 'The host has no Secret for the keys of instance tokens, or it holds something else.',
  NoToken: 'The cluster issued no token for Karmada’s account.',
  NoWorkspaces: 'The host has no Global Management.',
  NotBound: 'The instance or the namespace does not belong to that workspace.',
  NotEstablished: 'The CustomResourceDefinition is not established yet.',
  NotFound: 'There is no such object.',
  NotKarmada: 'The given kubeconfig leads to something that is no Karmada control plane.',
  NotPropagated: 'The template has no binding, so it is placed nowhere.',
  OnDelete: 'With the update strategy OnDelete a restart would replace no pod.',
  OtherSession: 'The browser is signed in as another user. The details name both; nothing was changed.',
  OutrankedPolicy: 'Another policy would place what is promoted. The message names it; nothing was changed.',
  Overridden: 'Only members with overridden pod templates remember that revision.',
  PathNotFound: 'Nothing is served at that path.',
  Paused: 'The workload is paused, so nothing would be rolled out.',
  PlaceTimeout: 'A place of a list over the fleet did not answer in time.',
  PullMember: 'The member is in Pull mode, and its agent would join it again.',
  SecretKeyMissing: 'The named Secret has no such key. The message says which keys it has.',
  SecretNotFound: 'The host has no Secret of that name in that namespace.',
  SecretUnreadable: 'Kairship may not read the Secrets of that namespace.',
  ServiceUnavailable: 'No answer is possible now. A retry may help.',
  TemplateNotFound: 'The control plane does not have the template.',
  Timeout: 'No answer came in time.',
  TooManyClusters: 'So many clusters are not followed at once. The message says how to choose.',
  TooManyContainers: 'The logs of so many containers are not read at once. The message says how to choose.',
  TooManyEvents: 'So many events are not followed at once. The message says how to choose.',
  TooManyRequests: 'The caller, or all callers together, have too many requests or streams open.',
  Unauthorized: 'The caller is not known.',
} as const satisfies Readonly<Record<string, string>>

/** A reason that Kairship gives. */
export type Reason = keyof typeof REASONS

/** The reason of a Failure that names none: the word that Kubernetes has for the same, where it has one. */
export const REASON_OF_CODE: Readonly<Record<Exclude<Code, 0>, Reason>> = {
  [Code.CANCELLED]: 'Cancelled',
  [Code.UNKNOWN]: 'InternalError',
  [Code.INVALID_ARGUMENT]: 'BadRequest',
  [Code.DEADLINE_EXCEEDED]: 'Timeout',
  [Code.NOT_FOUND]: 'NotFound',
  [Code.ALREADY_EXISTS]: 'AlreadyExists',
  [Code.PERMISSION_DENIED]: 'Forbidden',
  [Code.RESOURCE_EXHAUSTED]: 'TooManyRequests',
  [Code.FAILED_PRECONDITION]: 'FailedPrecondition',
  [Code.ABORTED]: 'Conflict',
  [Code.OUT_OF_RANGE]: 'Expired',
  [Code.UNIMPLEMENTED]: 'MethodNotAllowed',
  [Code.INTERNAL]: 'InternalError',
  [Code.UNAVAILABLE]: 'ServiceUnavailable',
  [Code.DATA_LOSS]: 'InternalError',
  [Code.UNAUTHENTICATED]: 'Unauthorized',
}
