/** Tokens of Secrets: when they were last used is noted, and those that are marked as invalid count no more, by release. */
import { startControlPlane, type ControlPlane } from '../../../src/testing/index.ts';

const label = 'kubernetes.io/legacy-token';
const about = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'token', namespace: 'default' } };
const tracking = {
  ...{ apiVersion: 'v1', kind: 'ConfigMap' },
  metadata: { name: 'kube-apiserver-legacy-service-account-token-tracking', namespace: 'kube-system' },
};

async function tokenIn(plane: ControlPlane): Promise<string> {
  const annotations = { 'kubernetes.io/service-account.name': 'default' };
  const metadata = { ...about.metadata, annotations };
  await plane.admin.create({ ...about, metadata, type: 'kubernetes.io/service-account-token' });
  const secret = await plane.until(about, (found) => found?.['data'] !== undefined);
  return Buffer.from((secret?.['data'] as { token: string }).token, 'base64').toString();
}

async function status(plane: ControlPlane, token: string): Promise<number> {
  const { default: https } = await import('node:https');
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const headers = { authorization: `Bearer ${token}` };
  https
    .get(
      { port: plane.port, host: '127.0.0.1', path: '/api', headers, rejectUnauthorized: false },
      (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      },
    )
    .on('error', reject);
  return promise;
}

test('at release 1.29 a use is noted, and a label ends the token', async () => {
  const plane = await startControlPlane({ release: '1.29' });
  try {
    const token = await tokenIn(plane);
    expect(await status(plane, token)).toBe(200);
    const day = new Date().toISOString().slice(0, 10);
    await plane.until(about, (found) => found?.metadata.labels?.[`${label}-last-used`] === day);
    const { data } = await plane.admin.get<{ data?: { since?: string } }>(tracking);
    expect(data?.since).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    const labels = { [`${label}-invalid-since`]: day };
    await plane.admin.patch(about, { metadata: { labels } });
    await plane.until(about, (found) => found?.metadata.labels?.[`${label}-invalid-since`] === day);
    expect(await status(plane, token)).toBe(401);
  } finally {
    await plane.stop();
  }
});

test('at release 1.25 nothing is noted', async () => {
  const plane = await startControlPlane({ release: '1.25' });
  try {
    expect(await status(plane, await tokenIn(plane))).toBe(200);
    await expect(plane.admin.get(tracking)).rejects.toThrow('not found');
    expect((await plane.admin.get(about)).metadata.labels).toBeUndefined();
  } finally {
    await plane.stop();
  }
});
