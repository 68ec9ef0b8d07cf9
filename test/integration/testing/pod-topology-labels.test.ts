/** A pod is labelled with the topology of its node where the release does so. */
import { startControlPlane } from '../../../src/testing/index.ts';

const labels = { 'topology.kubernetes.io/zone': 'z', 'topology.kubernetes.io/region': 'r' };

test.each([
  ['1.35', { app: 'a', ...labels }],
  ['1.34', { app: 'a' }],
])('at release %s', async (release, expected) => {
  const plane = await startControlPlane({ release });
  try {
    await plane.admin.create({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1', labels } });
    const spec = { containers: [{ name: 'main', image: 'busybox:1' }] };
    const metadata = { name: 'p', namespace: 'default', labels: { app: 'a' } };
    await plane.admin.create({ apiVersion: 'v1', kind: 'Pod', metadata, spec });
    const path = '/api/v1/namespaces/default/pods/p/binding';
    const target = { apiVersion: 'v1', kind: 'Node', name: 'n1' };
    await plane.admin.request({ method: 'POST', path, body: { metadata: { name: 'p' }, target } });
    const pod = await plane.admin.get({ apiVersion: 'v1', kind: 'Pod', metadata });
    expect(pod).toMatchObject({ metadata: { labels: expected }, spec: { nodeName: 'n1' } });
    expect(Object.keys(pod.metadata.labels ?? {})).toHaveLength(Object.keys(expected).length);
  } finally {
    await plane.stop();
  }
});
