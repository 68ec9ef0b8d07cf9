/**
 * A replica that loses sight of etcd goes on with the policy that it knew; when it comes back after a compaction, it
 * has that of now, whatever it missed.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { compact, openStage, quiet } from '../../support/read-path.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';
import { binding, rbac, role, rule, until } from '../../support/authorized-server.ts';

test('compaction while disconnected', async () => {
  await using stack = new AsyncDisposableStack();
  const folder = await makeTempFolder('policy');
  stack.defer(() => folder.remove());
  const tokens = join(folder.path, 'tokens.csv');
  writeFileSync(tokens, 'bob-token,bob,1\ncarl-token,carl,2\n');
  const stage = stack.use(await openStage([...quiet, `--token-auth-file=${tokens}`]));
  const { near, far, proxy } = stage;
  const clientOf = (name: string): ReturnType<typeof far.client> => {
    const client = far.client({ token: `${name}-token` });
    stack.defer(() => {
      client.close();
    });
    return client;
  };
  const [bob, carl] = [clientOf('bob'), clientOf('carl')];
  // A path: what needs a fresh view of etcd would not be answered at all.
  const paths = role(
    'paths',
    { nonResourceURLs: ['/metrics'], verbs: ['get'] },
    rule('create clusterrolebindings', ['rbac.authorization.orch.io']),
  );
  await near.admin.ok('POST', `${rbac}/clusterroles`, paths);
  const bindings = `${rbac}/clusterrolebindings`;
  await near.admin.ok('POST', bindings, binding('bob', 'ClusterRole paths', 'User bob'));
  await until(bob, ['GET', '/metrics'], 200);

  proxy.refuse();
  await near.admin.ok('DELETE', `${bindings}/bob`);
  const given = await near.admin.ok('POST', bindings, binding('carl', 'ClusterRole paths', 'User carl'));
  await compact(stage.etcd, Number(given.metadata.resourceVersion));
  expect((await bob.get('/metrics')).status).toBe(200);
  expect((await carl.get('/metrics')).status).toBe(403);

  // A refusal would rest on what may be old by now, and so would a namespace that is not known.
  const answers = await Promise.all([
    bob.post(bindings, binding('mine', 'ClusterRole cluster-admin', 'User bob')),
    far.admin.post('/api/v1/namespaces/nowhere/configmaps', { metadata: { name: 'a' } }),
  ]);
  expect(answers.map((answer) => answer.json()['reason'])).toEqual([
    'ServiceUnavailable',
    'ServiceUnavailable',
  ]);

  proxy.accept();
  await until(carl, ['GET', '/metrics'], 200);
  await until(bob, ['GET', '/metrics'], 403);
});
