const template = (name: string) => ({
  metadata: { labels: { app: name } },
  spec: { containers: [{ name: 'main', image: 'nginx:1.27', resources: { requests: { cpu: '100m' } } }] },
})
const ending = { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox:1.37' }] } }

/** A Deployment of one pod. */
export const deployment = (name: string) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: { replicas: 1, selector: { matchLabels: { app: name } }, template: template(name) },
})

/** A Job of two pods, which starts none while it is suspended. */
export const job = (name: string) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name },
  spec: { suspend: true, completions: 2, template: ending },
})

/** A CronJob that runs every five minutes. */
export const cronJob = (name: string) => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name },
  spec: { schedule: '*/5 * * * *', jobTemplate: { spec: { template: ending } } },
})
