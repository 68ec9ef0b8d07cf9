/** Webhooks that say that something is missing do not decide whether the object of the request is. */
import { refusing, rule, startHooked, type Hooked } from '../../support/admission-webhook.ts';

let hooked: Hooked;

beforeAll(async () => {
  hooked = await startHooked();
}, 60_000);
afterAll(() => hooked[Symbol.asyncDispose]());

test('a webhook that answers NotFound of an update starts no creation, whatever it says is missing', async () => {
  const { services, configure, hook, asked, answers } = hooked;
  await configure('validating', [hook('misses', { rules: [rule('endpoints')] })]);
  const { admin } = services;
  const endpoints = '/api/v1/namespaces/web/endpoints';
  await admin.ok('POST', endpoints, { metadata: { name: 'there' } });
  const message = 'endpoints "there" not found';
  answers.set('misses', (request) => refusing(request, { code: 404, reason: 'NotFound', message }));
  for (const name of ['there', 'absent']) {
    const body = { apiVersion: 'v1', kind: 'Endpoints', metadata: { name, labels: { said: 'so' } } };
    const replaced = await admin.put(`${endpoints}/${name}`, body);
    const applied = await admin.patch(`${endpoints}/${name}?fieldManager=me`, 'apply', body);
    expect([name, replaced.status, applied.status]).toEqual([name, 404, 404]);
  }
  expect(asked('misses').map(({ operation, name }) => `${operation} ${name ?? ''}`)).toEqual([
    ...['CREATE there', 'UPDATE there', 'UPDATE there', 'CREATE absent', 'CREATE absent'],
  ]);
});
