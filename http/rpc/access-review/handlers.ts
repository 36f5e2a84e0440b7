import type { AccessReviewService } from '../../../proto/gen/kairship/access_review_pb.js'
import type { Call } from '../../call/call.js'
import { requireRight } from '../../identity/authorize.js'
import type { Caller } from '../../identity/caller.js'
import type { ServiceHandlers } from '../../operation/operation.js'
import { accessSubjects, UNKNOWN_HERE } from './access-subjects.js'
import { explainAccess } from './explain.js'
import { reviewHostAccess } from './host-review.js'
import { explanationMessage, grantMessage, subjectMessage } from './messages.js'
import { type PreviewDependencies, previewRoleBinding } from './preview.js'
import { accessOf, isOfKairship, kairshipActionOf, subjectOf } from './question.js'
import { readRbac } from './rbac-reader.js'
import { ReviewLimits } from './review-limits.js'
import { type RolesOfCallers, whoAmI } from './who-am-i.js'
import { previewWorkspaceRoleBinding } from './workspace-preview.js'

/** Subjects in one answer. */
const MOST_SUBJECTS = 1_000

/** Who a caller is, explanations of access, and previews of role bindings. */
export function accessReviewHandlers(
  dependencies: PreviewDependencies & RolesOfCallers,
): ServiceHandlers<typeof AccessReviewService> {
  const { ownRequests, authorizer, roleBindings } = dependencies
  const limits = new ReviewLimits()
  const within = <T>({ caller }: Call, work: () => Promise<T>): Promise<T> => limits.within(caller.user, work)
  return {
    whoAmI: async (_, call) => whoAmI(dependencies, call),

    async explainAccess(message, call) {
      const { instance, cluster } = message
      const { subject, isOwn } = subjectOf(message, call.caller)
      if (!isOwn) await requireRight(authorizer, call, mayAskAboutOthers(instance))
      const request = accessOf(message)
      const explanation = await within(call, () =>
        explainAccess(dependencies, call, {
          ...{
            instance,
            subject,
            request,
            action: kairshipActionOf(message),
            ofKairship: isOfKairship(message),
          },
          ...(cluster !== '' && { cluster }),
        }),
      )
      const areGroupsMissing = !isOwn && message.groups.length === 0 && explanation.decision !== 'Allowed'
      const notes = [...explanation.notes, ...(areGroupsMissing ? [groupsMissing(subject)] : [])]
      return explanationMessage(subject, { ...explanation, notes })
    },

    async reviewAccess({ actions }, call) {
      return { reviews: [...(await reviewHostAccess(dependencies, call, actions))] }
    },

    async listAccessSubjects(message, call) {
      const { instance } = message
      const request = accessOf(message)
      const found = await within(call, async () => {
        const connection = await ownRequests.connect(call, instance)
        const rbac = await readRbac(connection, { prefix: '' }, 'path' in request ? '' : request.namespace)
        return accessSubjects(rbac, request, { instance, action: kairshipActionOf(message), roleBindings })
      })
      return {
        subjects: found.slice(0, MOST_SUBJECTS).map(({ subject, grants, passesKairship }) => ({
          subject: subjectMessage(subject),
          grants: grants.slice(0, 20).map(grantMessage),
          passesKairship,
        })),
        total: found.length,
        notes: [...UNKNOWN_HERE],
      }
    },

    previewRoleBinding: (message, call) =>
      within(call, () => previewRoleBinding(dependencies, call, message)),

    previewWorkspaceRoleBinding: (message, call) =>
      within(call, () => previewWorkspaceRoleBinding(dependencies, call, message)),
  }
}

/** Without it a refusal of somebody whose rights come by a group would be believed. */
const groupsMissing = ({ user }: Caller): string =>
  `no groups of ${user} were given (groups, or --groups), and only its issuer knows them: what it may do by a group is not counted`

/** Who administers the instance, or has this right on the host, may ask about others. */
const mayAskAboutOthers = (instance: string) => ({
  verb: 'get',
  resource: 'instances/access',
  name: instance,
})
