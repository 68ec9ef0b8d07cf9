/** Match conditions of webhooks over three replicas, against a real HTTPS server. */
import { configMaps, registration, startHooked, type Hooked } from '../../support/admission-webhook.ts';

let hooked: Hooked;
let count = 0;

beforeAll(async () => {
  hooked = await startHooked(['--emulated-release=1.36']);
}, 60_000);
afterAll(() => hooked[Symbol.asyncDispose]());

beforeEach(async () => {
  await hooked.configure('mutating', []);
  await hooked.configure('validating', []);
  hooked.server.calls.length = 0;
});

function configMap(data: Record<string, string>): object {
  return { metadata: { name: `map-${String(++count)}` }, data };
}

function when(...expressions: string[]): object {
  return { matchConditions: expressions.map((expression, i) => ({ name: `c${String(i)}`, expression })) };
}

test.each(['mutating', 'validating'] as const)(
  '%s webhooks are called about what meets all conditions, at every replica',
  async (kind) => {
    const { services, configure, hook, asked } = hooked;
    const more = when(
      "object.data.call == 'yes'",
      "request.userInfo.username != 'nobody' && oldObject == null",
    );
    await configure(kind, [hook('conditional', more)]);
    for (const { admin } of services.replicas) {
      await admin.ok('POST', configMaps, configMap({ call: 'no' }));
      await admin.ok('POST', configMaps, configMap({ call: 'yes' }));
    }
    expect(asked('conditional')).toHaveLength(services.replicas.length);
  },
);

test.each(['mutating', 'validating'] as const)(
  'a condition of %s webhooks without a value counts as the failure policy says',
  async (kind) => {
    const { services, configure, hook, asked } = hooked;
    await configure(kind, [hook('failing', { ...when('object.data.none == 1'), failurePolicy: 'Fail' })]);
    const refused = await services.admin.post(configMaps, configMap({ a: 'b' }));
    expect(refused.status).toBe(403);
    expect(refused.text).toContain(
      "is forbidden: expression 'object.data.none == 1' resulted in error: no such key: none",
    );
    await configure(kind, [hook('failing', { ...when('object.data.none == 1'), failurePolicy: 'Ignore' })]);
    await services.admin.ok('POST', configMaps, configMap({ a: 'b' }));
    expect(asked('failing')).toEqual([]);
  },
);

test('conditions ask what the user of the request, or an account, may do', async () => {
  const { services, configure, hook, asked } = hooked;
  const secrets = "group('').resource('secrets').namespace('default').check('get').allowed()";
  await configure('mutating', [
    hook('may', when("authorizer.requestResource.check('create').allowed()", `authorizer.${secrets}`)),
    hook('may-not', when(`authorizer.serviceAccount('default', 'robot').${secrets}`)),
  ]);
  for (const { admin } of services.replicas) await admin.ok('POST', configMaps, configMap({ a: 'b' }));
  expect(asked('may')).toHaveLength(services.replicas.length);
  expect(asked('may-not')).toEqual([]);
});

test('conditions that do not compile are refused with their places', async () => {
  const { services, hook } = hooked;
  const webhooks = [hook('broken', when('object.metadata.name ==', 'request.unknown', '1'))];
  const answer = await services.admin.post(`${registration}/validatingwebhookconfigurations`, {
    ...{ metadata: { name: 'broken' }, webhooks },
  });
  expect(answer.status).toBe(422);
  const { details } = answer.json() as unknown as { details: { causes: { field: string }[] } };
  expect(details.causes.map(({ field }) => field)).toEqual([
    'webhooks[0].matchConditions[0].expression',
    'webhooks[0].matchConditions[1].expression',
    'webhooks[0].matchConditions[2].expression',
  ]);
});
