import type { Group } from '../behaviour.js'
import { access } from './access.js'
import { apply } from './apply.js'
import { coordination } from './coordination.js'
import { create } from './create.js'
import { custom } from './custom.js'
import { customSchema } from './custom-schema.js'
import { details } from './details.js'
import { discovery } from './discovery.js'
import { dryRun } from './dry-run.js'
import { list } from './list.js'
import { patch } from './patch.js'
import { rbacWalk } from './rbac-walk.js'
import { read } from './read.js'
import { remove } from './remove.js'
import { tables } from './table.js'
import { update } from './update.js'
import { watch } from './watch.js'

/** The whole suite, in reading order. */
export const groups: readonly Group[] = [
  create,
  read,
  list,
  update,
  patch,
  apply,
  dryRun,
  details,
  remove,
  watch,
  tables,
  custom,
  customSchema,
  access,
  rbacWalk,
  discovery,
  coordination,
]
