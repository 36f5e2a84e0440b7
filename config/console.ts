import { optional, path, text, toggle } from './kinds.js'
import { answering, setting } from './setting.js'

/** Settings of the console, and of how people sign in there. */
export const consoleSettings = {
  noConsole: setting({
    kind: toggle,
    default: false,
    group: 'API',
    commands: answering,
    help: 'do not serve the console, the web page at / of REST',
    why: 'it is a part of the server: it needs nothing besides, and shows its users what they may read anyway',
  }),
  consoleClientId: setting({
    kind: optional(text('id', 'the id of a client, without blanks', /^[\x21-\x7e]{1,256}$/)),
    default: undefined,
    group: 'API',
    commands: answering,
    help: 'the client as which the console comes to the issuer, so that people sign in there in their browser; among the audiences of one issuer of authenticationConfig, with the redirect URI <externalUrl>/console/sign-in/callback; it asks for loginScopes, with loginPrompt',
    why: 'without it people open the link of "kairship console", or paste a token',
  }),
  consoleClientCredentialFile: setting({
    kind: path,
    default: undefined,
    group: 'API',
    commands: answering,
    help: 'file with the secret of consoleClientId; read again when it changes',
    why: 'without it the client is a public one, which PKCE protects; a file, because others can read a process’s arguments',
  }),
} as const
