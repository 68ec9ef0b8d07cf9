/** An admission webhook that must agree and cannot be asked: its server may be one that waits for this service. */
import { join } from 'node:path';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { Service } from './service.ts';

let temporary: TempFolder;
let service: Service | undefined;

beforeAll(async () => {
  temporary = await makeTempFolder('closed-webhook');
});
afterAll(async () => {
  await service?.child.stop();
  await temporary.remove();
});

test('a service whose objects are all there starts again', async () => {
  const folder = join(temporary.path, 'data');
  service = await Service.start(folder);
  const webhook = {
    name: 'closed.example.com',
    clientConfig: { url: 'https://127.0.0.1:1/' },
    ...{ sideEffects: 'None', admissionReviewVersions: ['v1'], failurePolicy: 'Fail' },
    rules: [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] }],
  };
  const path = '/apis/admissionregistration.orch.io/v1/validatingwebhookconfigurations';
  const body = { metadata: { name: 'closed' }, webhooks: [webhook] };
  expect((await service.ask({ method: 'POST', path, body })).status).toBe(201);
  await service.child.stop();

  service = await Service.start(folder);
  expect((await service.ask({ path: '/readyz' })).status).toBe(200);
  const namespace = { metadata: { name: 'refused' } };
  const refused = await service.ask({ method: 'POST', path: '/api/v1/namespaces', body: namespace });
  expect(refused.status).toBe(500);
});
