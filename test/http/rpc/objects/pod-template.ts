/** A pod template as an API server returns it, with every field that the API shows and some that it does not. */
export const podTemplate = {
  metadata: {
    creationTimestamp: null,
    name: 'web',
    namespace: 'shop',
    labels: { app: 'web' },
    annotations: { 'kubectl.kubernetes.io/restartedAt': '2026-11-20T10:00:00Z' },
  },
  spec: {
    volumes: [
      { name: 'host', hostPath: { path: '/var/log', type: 'DirectoryOrCreate' } },
      { name: 'scratch', emptyDir: { medium: 'Memory', sizeLimit: '1500Mi' } },
      {
        name: 'tls',
        secret: {
          secretName: 'web-tls',
          items: [{ key: 'tls.crt', path: 'cert.pem', mode: 256 }],
          defaultMode: 420,
          optional: true,
        },
      },
      { name: 'data', persistentVolumeClaim: { claimName: 'data', readOnly: true } },
      {
        name: 'podinfo',
        downwardAPI: {
          items: [
            { path: 'labels', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.labels' }, mode: 420 },
            {
              path: 'cpu',
              resourceFieldRef: { containerName: 'main', resource: 'limits.cpu', divisor: '1m' },
            },
          ],
          defaultMode: 420,
        },
      },
      {
        name: 'settings',
        configMap: {
          name: 'web',
          items: [{ key: 'app.yaml', path: 'app.yaml' }],
          defaultMode: 420,
          optional: true,
        },
      },
      { name: 'token', projected: { sources: [{ serviceAccountToken: { path: 'token' } }] } },
    ],
    initContainers: [
      {
        name: 'migrate',
        image: 'web:1.2',
        args: ['migrate'],
        lifecycle: { postStart: { exec: { command: ['true'] } } },
      },
    ],
    containers: [
      {
        name: 'main',
        image: 'registry.test/web:1.2',
        command: ['/web'],
        args: ['--port', '8080'],
        workingDir: '/srv',
        ports: [{ containerPort: 8080, hostPort: 80, name: 'http', protocol: 'TCP' }],
        envFrom: [
          { prefix: 'APP_', configMapRef: { name: 'web', optional: true } },
          { secretRef: { name: 'web', optional: true } },
        ],
        env: [
          { name: 'MODE', value: 'production' },
          { name: 'POD', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } },
          {
            name: 'CPU',
            valueFrom: { resourceFieldRef: { containerName: 'main', resource: 'limits.cpu' } },
          },
          { name: 'COLOR', valueFrom: { configMapKeyRef: { name: 'web', key: 'color', optional: true } } },
          { name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'web', key: 'password', optional: true } } },
        ],
        resources: {
          limits: { cpu: '1500m', memory: '1Gi', 'ephemeral-storage': '2Gi' },
          requests: { cpu: '250m', memory: '512Mi', 'ephemeral-storage': '1Gi' },
        },
        volumeMounts: [
          { name: 'data', mountPath: '/data', readOnly: true, subPath: 'web', mountPropagation: 'None' },
          { name: 'scratch', mountPath: '/scratch', subPathExpr: '$(POD)' },
        ],
        livenessProbe: {
          httpGet: { path: '/healthz', port: 'http', host: 'localhost', scheme: 'HTTP' },
          initialDelaySeconds: 5,
          periodSeconds: 10,
          timeoutSeconds: 1,
          successThreshold: 1,
          failureThreshold: 3,
          terminationGracePeriodSeconds: 30,
        },
        readinessProbe: { tcpSocket: { port: 8080, host: '127.0.0.1' } },
        startupProbe: { exec: { command: ['cat', '/ready'] } },
        lifecycle: {
          postStart: { httpGet: { path: '/started', port: 8080 } },
          preStop: { tcpSocket: { port: 8080 } },
        },
        imagePullPolicy: 'IfNotPresent',
        securityContext: { privileged: true, runAsUser: 1000, capabilities: { drop: ['ALL'] } },
        terminationMessagePath: '/dev/termination-log',
      },
    ],
    restartPolicy: 'Always',
    nodeName: 'node-1',
    hostNetwork: true,
    dnsPolicy: 'ClusterFirst',
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [
            {
              matchExpressions: [{ key: 'disk', operator: 'In', values: ['ssd'] }],
              matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node-1'] }],
            },
          ],
        },
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 10, preference: { matchExpressions: [{ key: 'zone', operator: 'Exists' }] } },
        ],
      },
      podAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          {
            labelSelector: { matchLabels: { app: 'cache' } },
            namespaces: ['shop'],
            topologyKey: 'kubernetes.io/hostname',
            namespaceSelector: {
              matchExpressions: [{ key: 'team', operator: 'In', values: ['shop'] }],
            },
          },
        ],
      },
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          {
            weight: 100,
            podAffinityTerm: {
              labelSelector: { matchLabels: { app: 'web' } },
              topologyKey: 'kubernetes.io/hostname',
            },
          },
        ],
      },
    },
    tolerations: [
      {
        key: 'dedicated',
        operator: 'Equal',
        value: 'web',
        effect: 'NoExecute',
        tolerationSeconds: 300,
      },
    ],
  },
}
