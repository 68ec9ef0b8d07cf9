/** The pod that benches store: about 5 KB once the service has filled in its defaults. */
import { sentMark } from './load-types.ts';

const variables = Array.from({ length: 3 }, (_unused, index) => ({
  name: `SETTING_${index}`,
  value: `https://service-${index}.example.internal:8443/path/${index}`,
}));

const probe = { httpGet: { path: '/healthz', port: 8080, scheme: 'HTTPS' }, initialDelaySeconds: 5 };

function container(name: string): object {
  return {
    name,
    image: `registry.example.internal/team/${name}:1.24.3`,
    args: ['--listen=:8080', '--verbosity=2', `--name=${name}`],
    ports: [{ name: 'https', containerPort: 8080 }],
    env: variables,
    resources: { limits: { cpu: '500m', memory: '256Mi' }, requests: { cpu: '100m', memory: '128Mi' } },
    livenessProbe: probe,
    volumeMounts: [{ name: 'settings', mountPath: '/etc/settings', readOnly: true }],
  };
}

const metadata = {
  name: '@@',
  labels: { app: 'bench', tier: 'backend', 'example.internal/team': 'storage', slot: '%%' },
  annotations: {
    'example.internal/checksum': '0123456789abcdef'.repeat(4),
    'example.internal/owner': 'team-storage',
  },
};

const spec = {
  // Without a volume of their account's token all pods are alike, so that one body replaces any of them.
  automountServiceAccountToken: false,
  containers: [container('main'), container('sidecar')],
  volumes: [{ name: 'settings', configMap: { name: 'settings' } }],
  nodeSelector: { 'example.internal/pool': 'general' },
  tolerations: [{ key: 'example.internal/reserved', operator: 'Exists', effect: 'NoSchedule' }],
};

/** A creation's body, with `@@` for the name, `%%` for one of a hundred slots and `##` for the time of sending. */
export const podTemplate = JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata, spec }).replace(
  '"annotations":{',
  `"annotations":{${sentMark}##",`,
);

/** The body of one creation. */
export function podNamed(name: string): string {
  return podTemplate.replace('@@', name).replace('%%', '0').replace('##', '0');
}
