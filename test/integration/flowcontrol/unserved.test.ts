/** A replica that does not serve the objects of flow control still bounds requests as they would. */
import { startServices, type Services } from '../../support/authorized-server.ts';
import { api, headersOf } from './support.ts';

const owned = new AsyncDisposableStack();
let services: Services;

beforeAll(async () => {
  const settings = '--runtime-config=flowcontrol.apiserver.orch.io/v1beta1=false';
  services = owned.use(await startServices(1, [settings, '--authorization-mode=AlwaysAllow']));
}, 60_000);
afterAll(() => owned.disposeAsync());

test('levels and schemas that every service begins with are in force without being stored', async () => {
  expect((await services.admin.get(`${api}/flowschemas`)).status).toBe(404);
  expect(await headersOf(services.as('bob'))).toEqual([undefined, undefined]);
  const { text } = await services.admin.get('/metrics');
  expect(text).toMatch(/request_concurrency_limit\{priority_level="global-default"\} 59/);
  expect(text).toMatch(/dispatched_requests_total\{priority_level="global-default",[^}]*\} [1-9]/);
  expect(text).toMatch(/dispatched_requests_total\{priority_level="exempt",flow_schema="exempt"\} [1-9]/);
});
