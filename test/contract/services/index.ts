import type { ServiceScenarios } from '../scenario.js'
import { aggregation } from './aggregation.js'
import { apiextensions } from './apiextensions.js'
import { apps } from './apps.js'
import { autoscaling } from './autoscaling.js'
import { batch } from './batch.js'
import { cloudShell } from './cloud-shell.js'
import { cluster } from './cluster.js'
import { core } from './core.js'
import { image } from './image.js'
import { insight } from './insight.js'
import { instance } from './instance.js'
import { networking } from './networking.js'
import { policy } from './policy.js'
import { workspace } from './workspace.js'

/** The scenarios of every service that has some. */
export const services: readonly ServiceScenarios[] = [
  ...[aggregation, apiextensions, apps, autoscaling, batch],
  ...[cloudShell, cluster],
  ...[core, image, insight, instance, networking, policy, workspace],
]
