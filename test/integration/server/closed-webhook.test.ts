/** An admission webhook that must agree and cannot be asked: its server may be one that waits for this service. */
import { join } from 'node:path';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { Service } from '../../support/service.ts';

let temporary: TempFolder;
let service: Service | undefined;

beforeAll(async () => {
  temporary = await makeTempFolder('closed-webhook');
});
afterAll(async () => {
  await service?.child.stop();
  await temporary.remove();
});

/** Refuses whatever it may be asked about. */
async function close(serving: Service): Promise<void> {
  const webhook = {
    name: 'closed.example.com',
    clientConfig: { url: 'https://127.0.0.1:1/' },
    ...{ sideEffects: 'None', admissionReviewVersions: ['v1'], failurePolicy: 'Fail' },
    rules: [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] }],
  };
  for (const path of configurations) {
    const body = { metadata: { name: 'closed' }, webhooks: [webhook] };
    expect((await serving.ask({ method: 'POST', path, body })).status).toBe(201);
  }
}

const configurations = ['mutating', 'validating'].map(
  (kind) => `/apis/admissionregistration.orch.io/v1/${kind}webhookconfigurations`,
);

const post = (serving: Service, name: string): ReturnType<Service['ask']> =>
  serving.ask({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name } } });

test('a service starts, even with more to make than before, and is used to remove the webhook', async () => {
  const folder = join(temporary.path, 'data');
  service = await Service.start(folder);
  await close(service);
  await service.child.stop();

  service = await Service.start(folder, ['--runtime-config=api/alpha']);
  expect((await service.ask({ path: '/readyz' })).status).toBe(200);
  const made = '/apis/apiregistration.orch.io/v1/apiservices/v2alpha1.batch';
  expect((await service.ask({ path: made })).status).toBe(200);
  expect((await post(service, 'refused')).status).toBe(500);

  for (const path of configurations)
    expect((await service.ask({ method: 'DELETE', path: `${path}/closed` })).status).toBe(200);
  expect((await post(service, 'accepted')).status).toBe(201);
});
