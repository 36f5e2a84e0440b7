import { duration, oneOf, optional, path, text, toggle } from './kinds.js'
import { setting } from './setting.js'

/** Settings of `kairship login` and of what uses a login. */
export const loginSettings = {
  device: setting({
    kind: toggle,
    default: false,
    group: 'Login',
    commands: ['login'],
    from: ['flag'],
    help: 'log in with a code that is typed in the browser of any other device',
    why: 'a browser on this machine needs no code to be typed; use it over SSH and in containers',
  }),
  noBrowser: setting({
    kind: toggle,
    default: false,
    group: 'Login',
    commands: ['login'],
    from: ['flag'],
    help: 'open no browser: only print the address to open on this machine',
    why: 'most people want the browser that they have; none is opened where there is no display',
  }),
  loginTimeout: setting({
    kind: optional(duration),
    default: undefined,
    group: 'Login',
    commands: ['login'],
    flag: 'timeout',
    help: 'give up when nobody has signed in after this time: 5m unless given',
    why: 'five minutes, which are enough to find a second factor',
  }),
  loginKubeconfig: setting({
    kind: path,
    default: undefined,
    group: 'Login',
    commands: ['login'],
    from: ['flag'],
    flag: 'kubeconfig',
    help: 'kubeconfig that gets a context for each instance you may see: your own unless given ($KUBECONFIG, else ~/.kube/config)',
    why: 'the one that kubectl writes to: the first of $KUBECONFIG, else ~/.kube/config',
  }),
  execApiVersion: setting({
    kind: oneOf('v1', 'v1beta1'),
    default: 'v1',
    group: 'Login',
    commands: ['login', 'kubeconfig', 'credential'],
    help: 'version of client.authentication.k8s.io by which kubectl asks for the credential',
    why: 'kubectl 1.22 and later know v1; for older ones take v1beta1',
  }),
  login: setting({
    kind: text(
      'id',
      'the id of a login, as a kubeconfig names it: 32 hexadecimal digits',
      /^([0-9a-f]{32})?$/,
    ),
    default: '',
    group: 'Login',
    commands: ['credential'],
    from: ['flag'],
    help: 'the login whose credential is asked for; "kairship login" writes it into the kubeconfig',
    why: 'a kubeconfig names one login, so that it never gets the credential of another user',
  }),
} as const
