/** Limits of requests in flight, at a real replica: clients that keep back their bodies hold their places. */
import { Agent, request } from 'node:https';

import { waitFor } from '../../support/wait-for.ts';
import { startServices, until, type Services } from '../../support/authorized-server.ts';

const owned = new AsyncDisposableStack();
let services: Services;

beforeAll(async () => {
  services = owned.use(
    await startServices(1, [
      '--enable-priority-and-fairness=false',
      '--max-mutating-requests-inflight=2',
      '--authorization-mode=AlwaysAllow',
    ]),
  );
}, 60_000);
afterAll(() => owned.disposeAsync());

const path = '/api/v1/namespaces/web/configmaps';

test('requests over the in-flight limit are 429; reads and administrators are served; seats are released', async () => {
  const [replica] = services.replicas;
  const agent = new Agent({ ca: replica!.pki.authority.ca, keepAlive: false });
  owned.defer(() => {
    agent.destroy();
  });
  const held = [1, 2].map(() => {
    const headers = { authorization: 'Bearer ann-token', 'content-type': 'application/json' };
    const req = request(`${replica!.url}${path}`, {
      method: 'POST',
      agent,
      headers: { ...headers, 'content-length': 100 },
    });
    req.on('error', () => undefined);
    req.write('{');
    return req;
  });
  // Whoever else comes before they hold their places might take one.
  await waitFor('both to be served', async () =>
    /^apiserver_current_inflight_requests\{request_kind="mutating"\} 2$/m.test(
      (await services.admin.get('/metrics')).text,
    ),
  );
  const asBob = services.as('bob');
  await waitFor('429', async () => (await asBob.request('POST', path, { metadata: {} })).status === 429);
  expect((await asBob.get(path)).status).toBe(200);
  expect((await services.admin.request('POST', path, { metadata: { name: 'mine' } })).status).toBe(201);
  for (const req of held) req.destroy();
  await until(asBob, ['POST', path, { metadata: { name: 'after' } }], 201);
  const { text } = await services.admin.get('/metrics');
  expect(text).toMatch(/^apiserver_dropped_requests_total\{request_kind="mutating"\} [1-9]/m);
});
