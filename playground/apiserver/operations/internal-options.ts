import { LOCAL_ADMIN } from '../access/user.js'
import type { WriteOptions } from './target.js'

/** How the control plane's own loops write. */
export const INTERNAL_WRITE: WriteOptions = {
  user: LOCAL_ADMIN,
  dryRun: false,
  fieldManager: 'kube-controller-manager',
  fieldValidation: 'Ignore',
  force: false,
  warn: () => undefined,
}
