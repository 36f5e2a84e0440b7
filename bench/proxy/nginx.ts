import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { Measured } from './process.js'

/** Certificates of one server, as PEM files, and the authority that vouches for it. */
export interface TlsFiles {
  readonly certificate: string
  readonly key: string
  readonly authority: string
}

/** A running nginx and where it is. */
export interface Nginx {
  readonly process: Measured
  readonly url: string
}

interface Common {
  readonly program: string
  readonly folder: string
  readonly tls: TlsFiles
  readonly core: number | undefined
}

/**
 * Serves these texts over TLS from memory: as fast an upstream as there is.
 * @param options.answers texts by path that no file can be: its path is a folder, or it is posted to; without a single quote
 */
export async function nginxServing(
  options: Common & {
    readonly files: Readonly<Record<string, string>>
    readonly answers: Readonly<Record<string, string>>
  },
) {
  const root = join(options.folder, 'www')
  for (const [path, text] of Object.entries(options.files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  const answers = Object.entries(options.answers)
    .map(([path, text]) => `location = ${path} { return 200 '${text}'; }`)
    .join('\n    ')
  return start(
    'the upstream',
    options,
    `root ${root}; open_file_cache max=100 inactive=1h; default_type application/json;
    ${answers}`,
  )
}

/** Does what the proxy does at the least: TLS on both sides, a credential of its own, kept-alive connections. */
export async function nginxProxying(
  options: Common & { readonly upstream: string; readonly upstreamAuthority: string; readonly token: string },
) {
  const { host } = new URL(options.upstream)
  return start(
    'nginx',
    options,
    `location / {
      proxy_pass https://behind;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host ${host};
      proxy_set_header Authorization "Bearer ${options.token}";
      # nginx checks names only, no addresses; the certificate has both.
      proxy_ssl_name localhost;
      proxy_ssl_protocols TLSv1.2 TLSv1.3;
      proxy_ssl_verify on;
      proxy_ssl_trusted_certificate ${options.upstreamAuthority};
      proxy_max_temp_file_size 0;
      location /apis/bench { proxy_pass https://behind; proxy_buffering off; }
    }`,
    `upstream behind { server ${host}; keepalive 256; keepalive_requests 1000000000; }`,
  )
}

async function start(
  name: string,
  { program, folder, tls, core }: Common,
  server: string,
  http = '',
): Promise<Nginx> {
  mkdirSync(folder, { recursive: true })
  const port = await freePort()
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map(kind => `${kind}_temp_path ${join(folder, kind)};`)
    .join(' ')
  const file = join(folder, 'nginx.conf')
  writeFileSync(
    file,
    `daemon off; master_process off; pid ${join(folder, 'pid')}; error_log stderr notice;
events { worker_connections 16384; }
http {
  access_log off; ${temporary}
  keepalive_requests 1000000000;
  ${http}
  server {
    listen 127.0.0.1:${port} ssl;
    ssl_certificate ${tls.certificate}; ssl_certificate_key ${tls.key};
    # What Node.js speaks, too. This nginx would stop at TLS 1.2 by itself, and choose a shorter key.
    ssl_protocols TLSv1.2 TLSv1.3;
    ${server}
  }
}
`,
  )
  // master_process off: one process, whose CPU is that of the whole.
  const process = new Measured(
    name,
    program,
    ['-c', file, '-p', folder, '-e', 'stderr'],
    core === undefined ? {} : { core },
  )
  await process.says(/using the "epoll" event method/)
  return { process, url: `https://127.0.0.1:${port}` }
}

/** nginx cannot choose a port itself. Another process could take it in between; then nginx does not start, and the error says so. */
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise(resolve => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no free port')
  return address.port
}
