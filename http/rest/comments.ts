import { comments as accessReview } from '../../proto/gen/comments/access_review.js'
import { comments as accesslock } from '../../proto/gen/comments/accesslock.js'
import { comments as aggregation } from '../../proto/gen/comments/aggregation.js'
import { comments as apiextensions } from '../../proto/gen/comments/apiextensions.js'
import { comments as apps } from '../../proto/gen/comments/apps.js'
import { comments as audit } from '../../proto/gen/comments/audit.js'
import { comments as autoscaling } from '../../proto/gen/comments/autoscaling.js'
import { comments as batch } from '../../proto/gen/comments/batch.js'
import { comments as cloudshell } from '../../proto/gen/comments/cloudshell.js'
import { comments as cluster } from '../../proto/gen/comments/cluster.js'
import { comments as core } from '../../proto/gen/comments/core.js'
import { comments as fleet } from '../../proto/gen/comments/fleet.js'
import { comments as image } from '../../proto/gen/comments/image.js'
import { comments as insight } from '../../proto/gen/comments/insight.js'
import { comments as instance } from '../../proto/gen/comments/instance.js'
import { comments as networking } from '../../proto/gen/comments/networking.js'
import { comments as placement } from '../../proto/gen/comments/placement.js'
import { comments as pod } from '../../proto/gen/comments/pod.js'
import { comments as policy } from '../../proto/gen/comments/policy.js'
import { comments as policySpec } from '../../proto/gen/comments/policy_spec.js'
import { comments as propagation } from '../../proto/gen/comments/propagation.js'
import { comments as revision } from '../../proto/gen/comments/revision.js'
import { comments as roleBinding } from '../../proto/gen/comments/rolebinding.js'
import { comments as types } from '../../proto/gen/comments/types.js'
import { comments as workload } from '../../proto/gen/comments/workload.js'
import { comments as workloadPods } from '../../proto/gen/comments/workload_pods.js'
import { comments as workspace } from '../../proto/gen/comments/workspace.js'

/**
 * The comments of the .proto files by full name, for the OpenAPI document. Only those of served services and of the files that
 * they import: a service that is not served costs nothing at start.
 */
export const comments: Readonly<Record<string, string>> = {
  ...types,
  ...pod,
  ...revision,
  ...accessReview,
  ...accesslock,
  ...aggregation,
  ...apiextensions,
  ...apps,
  ...audit,
  ...autoscaling,
  ...batch,
  ...cloudshell,
  ...cluster,
  ...core,
  ...fleet,
  ...image,
  ...insight,
  ...instance,
  ...networking,
  ...placement,
  ...workload,
  ...workspace,
  ...policySpec,
  ...policy,
  ...propagation,
  ...roleBinding,
  ...workloadPods,
}
