/** Versions that the body of an eviction may have: clients that were made for older or newer releases drain nodes, too. */
import { startControlPlane } from '../../../src/testing/index.ts';

const pods = '/api/v1/namespaces/default/pods';

test.each(['1.21', '1.25', '1.36'])('release %s takes v1 and v1beta1, and no other', async (release) => {
  await using plane = await startControlPlane({ release });
  const { admin } = plane;
  const evict = (version: string): Promise<unknown> =>
    admin.request({
      method: 'POST',
      path: `${pods}/web/eviction`,
      body: { apiVersion: `policy/${version}`, kind: 'Eviction', metadata: { name: 'web' } },
    });
  for (const version of ['v1', 'v1beta1']) {
    const spec = { containers: [{ name: 'c', image: 'i' }] };
    await admin.request({ method: 'POST', path: pods, body: { metadata: { name: 'web' }, spec } });
    await expect(evict('v2')).rejects.toMatchObject({ status: { code: 400 } });
    expect(await evict(version)).toMatchObject({ kind: 'Status', status: 'Success' });
  }
});
