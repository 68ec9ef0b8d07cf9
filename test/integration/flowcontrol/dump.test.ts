/** Who may read what the levels do: those whom a rule about the paths names, like any other path. */
import { binding, rbac, startServices, until, type Services } from '../../support/authorized-server.ts';

const folder = '/debug/api_priority_and_fairness';
const owned = new AsyncDisposableStack();
let services: Services;

beforeAll(async () => {
  services = owned.use(await startServices(1));
}, 60_000);
afterAll(() => owned.disposeAsync());

test('masters, and those to whom the paths are given, and they only read', async () => {
  const heads = {
    dump_priority_levels: 'PriorityLevelName, ActiveQueues,',
    dump_queues: 'PriorityLevelName, Index,',
    dump_requests: 'PriorityLevelName, FlowSchemaName,',
  };
  const rules = [{ nonResourceURLs: [`${folder}/*`], verbs: ['get', 'post'] }];
  await services.admin.ok('POST', `${rbac}/clusterroles`, { metadata: { name: 'dumps' }, rules });
  await services.admin.ok(
    'POST',
    `${rbac}/clusterrolebindings`,
    binding('dumps', 'ClusterRole dumps', 'User ann'),
  );
  await until(services.as('ann'), ['GET', `${folder}/dump_queues`], 200);
  for (const [name, head] of Object.entries(heads)) {
    const path = `${folder}/${name}`;
    for (const client of [services.admin, services.as('ann')]) {
      const { status, text, headers } = await client.get(path);
      expect([status, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
      expect(text.startsWith(head)).toBe(true);
      expect(text).toContain('\nexempt, ');
    }
    expect((await services.as('bob').get(path)).status).toBe(403);
    expect((await services.as('ann').request('POST', path)).status).toBe(405);
  }
  const { text } = await services.admin.get(`${folder}/dump_requests?includeRequestDetails=1`);
  expect(text).toContain('SubResource,');
  expect((await services.admin.get('/')).text).not.toContain(folder);
});
