import { ClusterService } from '../../../proto/gen/kairship/cluster_pb.js'
import { ManagedWorld } from '../support/managed-world.js'
import { candidateWatchCases } from './clusters/candidates-watch.js'
import { changeCases } from './clusters/changes.js'
import { ClusterWorld } from './clusters/cluster-world.js'
import { credentialCases } from './clusters/credentials.js'
import { dryRunCases } from './clusters/dry-runs.js'
import { joinCases } from './clusters/joins.js'
import { memberCases } from './clusters/members.js'

const clusters = new ClusterWorld(new ManagedWorld(ClusterService))

memberCases(clusters)
changeCases(clusters)
dryRunCases(clusters)
joinCases(clusters)
credentialCases(clusters)
candidateWatchCases(clusters)
