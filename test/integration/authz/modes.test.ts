/** The modes that give everybody the same answer, through the flag and over HTTPS. */
import { rbac, role, rule, startServices } from '../../support/authorized-server.ts';

const pods = '/api/v1/namespaces/web/pods';

test('AlwaysAllow behind RBAC allows everything, including escalation', async () => {
  await using services = await startServices(1, ['--authorization-mode=RBAC,AlwaysAllow']);
  const bob = services.as('bob');
  expect((await bob.get(pods)).status).toBe(200);
  const everything = role('everything', rule('* *', ['*']));
  expect((await bob.post(`${rbac}/clusterroles`, everything)).status).toBe(201);
  expect((await services.admin.get('/readyz/poststarthook/rbac/bootstrap-roles')).status).toBe(200);
}, 60_000);

test('AlwaysDeny refuses all but masters and open paths', async () => {
  await using services = await startServices(1, ['--authorization-mode=AlwaysDeny']);
  const bob = services.as('bob');
  const refused = await bob.get(pods);
  expect([refused.status, refused.text]).toEqual([
    403,
    expect.stringContaining('in the namespace \\"web\\": Everything is forbidden.'),
  ]);
  expect((await bob.get('/apis')).status).toBe(403);
  expect((await bob.get('/livez')).status).toBe(200);
  expect((await services.as('root').get(pods)).status).toBe(200);
}, 60_000);
