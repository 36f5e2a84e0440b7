import { html } from 'hono/html'
import type { Person } from './people.js'

type Html = ReturnType<typeof html>

/**
 * What its pages may load and where their forms may lead: after the last one the browser goes to the program that wants the login, or to the console.
 * @param console the console's URL, where there is one
 */
export const pagePolicy = (console: string | undefined): string =>
  `default-src 'none'; style-src 'unsafe-inline'; form-action 'self' http://127.0.0.1:*${console === undefined ? '' : ` ${new URL(console).origin}`}; frame-ancestors 'none'; base-uri 'none'`

const page = (title: string, body: Html | readonly Html[]): string =>
  String(html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 26rem; margin: 3rem auto; padding: 0 1rem }
label { display: block; margin: .4rem 0 } input[type=password] { font: inherit; width: 100%; box-sizing: border-box; padding: .4rem }
button { font: inherit; padding: .4rem 1rem; margin: .8rem .6rem 0 0 } small { opacity: .75 } code { font-size: 1.6rem; letter-spacing: .1em }
.problem { font-weight: 600 }
</style></head>
<body><h1>${title}</h1>${body}
<p><small>This issuer belongs to a Kairship playground: it is for trying on one machine, and never for anything else.</small></p></body></html>`)

/** What the page on which people sign in shows. */
export interface SignIn {
  /** Where the form leads. */
  readonly action: string
  /** Which program asks. */
  readonly client: string
  readonly people: readonly Person[]
  /** Who is signed in already, in this browser. */
  readonly current?: string | undefined
  readonly problem?: string | undefined
}

/** The page on which people sign in, or go on as whom they are. */
export const signInPage = ({ action, client, people, current, problem }: SignIn): string =>
  page('Sign in to the playground', [
    html`<p><strong>${client}</strong> wants to know who you are.</p>`,
    html`${problem === undefined ? '' : html`<p class="problem" role="alert">${problem}</p>`}`,
    html`${
      current === undefined
        ? ''
        : html`<form method="post" action="${action}"><input type="hidden" name="again" value="yes">
<button type="submit" id="go-on">Go on as ${current}</button></form><p>or sign in as somebody else:</p>`
    }`,
    html`<form method="post" action="${action}">${people.map(
      ({ name, says }) =>
        html`<label><input type="radio" name="name" value="${name}" required> ${name} <small>${says}</small></label>`,
    )}
<label>Password, which the terminal of the playground shows <input type="password" name="password" autocomplete="off" required></label>
<button type="submit" id="sign-in">Sign in</button></form>`,
  ])

/** What the page on which people type the code of a device shows. @param form the provider's, as HTML */
export const codePage = (form: Html, isWrong: boolean): string =>
  page('Log in on another device', [
    html`<p>${isWrong ? 'That code is not known, or it has expired.' : 'Type the code that the device shows.'}</p>`,
    form,
    html`<button type="submit" form="op.deviceInputForm" id="continue">Continue</button>`,
  ])

/** What a device's login is confirmed by. Who is sent a link by somebody else must see what it would do. */
export interface DeviceConfirmation {
  readonly form: Html
  readonly code: string
  readonly client: string
  /** From where the device asked. */
  readonly address: string
}

/** The page that asks whether the code is that of one's own device. */
export const confirmPage = ({ form, code, client, address }: DeviceConfirmation): string =>
  page('Is this your device?', [
    html`<p><strong>${client}</strong>, started at ${address}, shows this code:</p><p><code>${code}</code></p>`,
    html`<p>Whoever started it gets your rights. Go on only if that was you, and the codes are the same.</p>`,
    form,
    html`<button type="submit" form="op.deviceConfirmForm" id="continue">That is my device</button>
<button type="submit" form="op.deviceConfirmForm" value="yes" name="abort">Stop</button>`,
  ])

/** A page that says something and asks nothing. */
export const notePage = (title: string, text: string): string => page(title, html`<p>${text}</p>`)
