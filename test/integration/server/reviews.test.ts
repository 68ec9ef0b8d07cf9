/** Reviews over HTTP: the service says of a token and of a permission what a request with them would meet. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { Service } from '../../support/service.ts';

let temporary: TempFolder;
let service: Service;

beforeAll(async () => {
  temporary = await makeTempFolder('reviews');
  const tokens = join(temporary.path, 'tokens');
  writeFileSync(tokens, 'secret,ann,u-1,"dev,ops"\n');
  service = await Service.start(join(temporary.path, 'data'), [`--token-auth-file=${tokens}`]);
});
afterAll(async () => {
  await service.child.stop();
  await temporary.remove();
});

async function review(group: string, plural: string, spec: object, version = 'v1'): Promise<object> {
  const path = `/apis/${group}.orch.io/${version}/${plural}`;
  const { status, body } = await service.ask({ method: 'POST', path, body: { spec } });
  expect(status).toBe(201);
  return (JSON.parse(body) as { status: object }).status;
}

test.each(['v1', 'v1beta1'])('tokens, %s', async (version) => {
  const of = (spec: object): Promise<object> => review('authentication', 'tokenreviews', spec, version);
  expect(await of({ token: 'secret' })).toMatchObject({
    authenticated: true,
    user: { username: 'ann', uid: 'u-1', groups: ['dev', 'ops', 'system:authenticated'] },
  });
  expect(await of({ token: 'wrong' })).toEqual({ user: {} });
  expect(await of({ token: 'secret', audiences: ['somebody else'] })).toEqual({ user: {} });
});

const resourceAttributes = { verb: 'get', resource: 'pods', namespace: 'default' };

test('permissions of others and of oneself', async () => {
  const of = (spec: object): Promise<object> => review('authorization', 'subjectaccessreviews', spec);
  expect(await of({ user: 'root', groups: ['system:masters'], resourceAttributes })).toMatchObject({
    allowed: true,
  });
  expect(await of({ user: 'nobody-known', resourceAttributes })).toMatchObject({ allowed: false });
  const nonResourceAttributes = { path: '/version', verb: 'get' };
  const groups = ['system:unauthenticated'];
  expect(await of({ user: 'x', groups, nonResourceAttributes })).toMatchObject({ allowed: true });
  const own = await review('authorization', 'selfsubjectaccessreviews', { resourceAttributes }, 'v1beta1');
  expect(own).toMatchObject({ allowed: true });
});

test('in a namespace, and as a list of rules', async () => {
  const path = '/apis/authorization.orch.io/v1/namespaces/default/localsubjectaccessreviews';
  const spec = { user: 'nobody-known', resourceAttributes };
  const local = await service.ask({ method: 'POST', path, body: { spec } });
  expect(local.status).toBe(201);
  expect(JSON.parse(local.body)).toMatchObject({
    status: { allowed: false },
    metadata: { namespace: 'default' },
  });
  const rules = await review('authorization', 'selfsubjectrulesreviews', { namespace: 'default' });
  expect(rules).toHaveProperty('resourceRules');
  expect(rules).toHaveProperty('nonResourceRules');
  expect((await service.ask({ path: '/apis/authorization.orch.io/v1/subjectaccessreviews' })).status).toBe(
    405,
  );
});

test('without a spec they are as with an empty one: an error of the client', async () => {
  const kinds = {
    '/apis/authentication.orch.io/v1/tokenreviews': [400, 'token is required'],
    '/apis/authentication.orch.io/v1beta1/tokenreviews': [400, 'token is required'],
    '/apis/authorization.orch.io/v1/selfsubjectrulesreviews': [400, 'no namespace on request'],
    '/apis/authorization.orch.io/v1/selfsubjectaccessreviews': [422, 'spec.resourceAttributes'],
    '/apis/authorization.orch.io/v1/subjectaccessreviews': [422, 'spec.user'],
  } as const;
  for (const [path, [expected, message]] of Object.entries(kinds)) {
    for (const body of [{}, { spec: null }]) {
      const answer = await service.ask({ method: 'POST', path, body });
      expect({ path, status: answer.status }).toEqual({ path, status: expected });
      expect(answer.body).toContain(message);
    }
  }
});
