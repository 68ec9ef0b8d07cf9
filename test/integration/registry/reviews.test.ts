/** Reviews: questions that are checked, passed on to who knows, and answered in the version that was asked in. */
import type { JsonObject } from '../../../src/base/json.ts';
import type { AuthorizerAttributes } from '../../../src/meta/request-info.ts';
import type { AccessVerdict, Reviewer } from '../../../src/registry/reviews/reviewer.ts';
import type { RequestScope, ResourceVerbs } from '../../../src/registry/types.ts';
import {
  catalogue,
  scope,
  startRegistry,
  statusOf,
  verbsOver,
  type TestRegistry,
} from '../../support/registry.ts';

let registry: TestRegistry;
let verbs: ResourceVerbs;
let asked: AuthorizerAttributes[] = [];
let verdict: AccessVerdict;

const noVerdict: AccessVerdict = { allowed: false, denied: false, reason: '', error: '' };

/** Knows one token, and records what is asked. */
const reviewer: Reviewer = {
  identify: (token, audiences) => {
    const groups = ['a', 'system:authenticated'];
    const user = { name: 'ann', uid: 'u1', groups, extra: { __proto__: ['x'], scope: ['s'] } };
    return Promise.resolve({
      user: token === 'good' ? user : undefined,
      audiences: audiences.slice(0, 1),
      error: token === 'good' ? '' : 'no such token',
    });
  },
  decide: (attributes) => {
    asked.push(attributes);
    return Promise.resolve(verdict);
  },
  rulesOf: (user, namespace) =>
    Promise.resolve({
      resourceRules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: [namespace] }],
      nonResourceRules: [{ verbs: ['get'], nonResourceURLs: [`/${user.name}`] }],
      incomplete: true,
      error: 'some are not known',
    }),
};

beforeAll(async () => {
  registry = await startRegistry();
  verbs = verbsOver(registry.storage, () => false, { reviewer });
});
beforeEach(() => {
  asked = [];
  verdict = noVerdict;
});
afterAll(() => registry.close());

function reviewScope(kind: string, version = 'v1', namespace = ''): RequestScope {
  const group = kind === 'TokenReview' ? 'authentication.orch.io' : 'authorization.orch.io';
  const resource = catalogue.kind(group, version, kind);
  if (!resource) throw new Error(`no ${kind}`);
  return { ...scope('namespaces'), resource, namespace, signal: AbortSignal.timeout(5_000) };
}

async function ask(about: RequestScope, body: JsonObject): Promise<JsonObject> {
  return (await verbs.act(about, '', 'create', body)) as JsonObject;
}

describe('TokenReview', () => {
  test.each(['v1', 'v1beta1'])('%s: a good token', async (version) => {
    const spec = { token: 'good', audiences: ['api', 'other'] };
    const answer = await ask(reviewScope('TokenReview', version), { spec });
    expect(answer).toEqual({
      ...{ kind: 'TokenReview', apiVersion: `authentication.orch.io/${version}`, spec },
      metadata: { creationTimestamp: null },
      status: {
        authenticated: true,
        user: { username: 'ann', uid: 'u1', groups: ['a', 'system:authenticated'], extra: { scope: ['s'] } },
        audiences: ['api'],
      },
    });
  });

  test('a bad token, none, and one of another type', async () => {
    const about = reviewScope('TokenReview');
    expect((await ask(about, { spec: { token: 'bad' } }))['status']).toEqual({
      user: {},
      error: 'no such token',
    });
    expect((await statusOf(ask(about, { spec: {} }))).code).toBe(400);
    expect((await statusOf(ask(about, { spec: { token: 7 } }))).code).toBe(400);
    expect((await statusOf(ask(about, { kind: 'Pod', spec: { token: 'good' } }))).code).toBe(400);
  });
});

const resourceAttributes = {
  ...{ namespace: 'ns', verb: 'get', group: 'apps', version: 'v1' },
  ...{ resource: 'deployments', subresource: 'scale', name: 'web' },
};

describe('SubjectAccessReview', () => {
  test.each([
    ['v1', 'groups'],
    ['v1beta1', 'group'],
  ])('%s: about a resource', async (version, groups) => {
    verdict = { ...noVerdict, allowed: true, reason: 'because' };
    const spec = { user: 'ann', uid: 'u1', [groups]: ['g'], extra: { a: ['b'] }, resourceAttributes };
    const answer = await ask(reviewScope('SubjectAccessReview', version), { spec });
    expect(answer).toMatchObject({
      apiVersion: `authorization.orch.io/${version}`,
      spec,
      status: { allowed: true, reason: 'because' },
    });
    expect(asked).toEqual([
      {
        user: { name: 'ann', uid: 'u1', groups: ['g'], extra: { a: ['b'] } },
        info: {
          ...{ isResourceRequest: true, path: '', verb: 'get', apiPrefix: 'apis', apiGroup: 'apps' },
          ...{
            apiVersion: 'v1',
            namespace: 'ns',
            resource: 'deployments',
            subresource: 'scale',
            name: 'web',
          },
          parts: ['deployments', 'web', 'scale'],
        },
      },
    ]);
  });

  test('about a path; forbidden; an error on the way', async () => {
    verdict = { ...noVerdict, denied: true, error: 'a role is missing' };
    const spec = { groups: ['g'], nonResourceAttributes: { path: '/metrics', verb: 'get' } };
    const { status } = await ask(reviewScope('SubjectAccessReview'), { spec });
    expect(status).toEqual({ allowed: false, denied: true, evaluationError: 'a role is missing' });
    expect(asked[0]).toMatchObject({
      user: { name: '', groups: ['g'] },
      info: { isResourceRequest: false, path: '/metrics', verb: 'get' },
    });
  });

  const nonResourceAttributes = { path: '/', verb: 'get' };
  test.each<[string, JsonObject, string]>([
    ['nobody', { spec: { resourceAttributes } }, 'spec.user'],
    ['nothing', { spec: { user: 'a' } }, 'spec.resourceAttributes'],
    [
      'two things',
      { spec: { user: 'a', resourceAttributes, nonResourceAttributes } },
      'spec.nonResourceAttributes',
    ],
    ['metadata', { metadata: { name: 'x' }, spec: { user: 'a', resourceAttributes } }, 'metadata'],
  ])('%s is no question', async (_name, body, field) => {
    const refusal = await statusOf(ask(reviewScope('SubjectAccessReview'), body));
    expect(refusal.code).toBe(422);
    expect(refusal.message).toContain(`${field}: Invalid value`);
    expect(asked).toEqual([]);
  });
});

describe('LocalSubjectAccessReview', () => {
  const about = reviewScope.bind(undefined, 'LocalSubjectAccessReview', 'v1', 'ns');
  test('in its namespace', async () => {
    const spec = { user: 'ann', resourceAttributes };
    const answer = await ask(about(), { spec });
    expect(answer['metadata']).toEqual({ creationTimestamp: null, namespace: 'ns' });
    expect(asked).toHaveLength(1);
  });

  test('not in another one, nor about paths', async () => {
    const other = { user: 'ann', resourceAttributes: { ...resourceAttributes, namespace: 'x' } };
    expect((await statusOf(ask(about(), { spec: other }))).message).toContain(
      'must match metadata.namespace',
    );
    const path = { user: 'ann', nonResourceAttributes: { path: '/', verb: 'get' } };
    expect((await statusOf(ask(about(), { spec: path }))).message).toContain('disallowed on this kind');
    const metadata = { namespace: 'x' };
    const spec = { user: 'ann', resourceAttributes };
    expect((await statusOf(ask(about(), { metadata, spec }))).code).toBe(400);
  });
});

describe('about oneself', () => {
  test.each(['v1', 'v1beta1'])('SelfSubjectAccessReview %s', async (version) => {
    const about = reviewScope('SelfSubjectAccessReview', version);
    const { status } = await ask(about, { spec: { resourceAttributes } });
    expect(status).toEqual({ allowed: false });
    expect(asked[0]?.user).toEqual(about.user);
    expect((await statusOf(ask(about, { spec: {} }))).code).toBe(422);
  });

  test.each(['v1', 'v1beta1'])('SelfSubjectRulesReview %s', async (version) => {
    const about = reviewScope('SelfSubjectRulesReview', version);
    const { status } = await ask(about, { spec: { namespace: 'ns' } });
    expect(status).toEqual({
      resourceRules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: ['ns'] }],
      nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/tester'] }],
      incomplete: true,
      evaluationError: 'some are not known',
    });
    expect((await statusOf(ask(about, { spec: {} }))).message).toBe('no namespace on request');
  });
});

describe('metadata', () => {
  const questions: Readonly<Record<string, JsonObject>> = {
    SubjectAccessReview: { user: 'ann', resourceAttributes },
    LocalSubjectAccessReview: { user: 'ann', resourceAttributes },
    SelfSubjectAccessReview: { resourceAttributes },
    SelfSubjectRulesReview: { namespace: 'ns' },
    TokenReview: { token: 'good' },
  };
  const kinds = Object.keys(questions);
  const strict = kinds.filter((kind) => kind.endsWith('AccessReview'));

  function askWith(kind: string, metadata: JsonObject): Promise<JsonObject> {
    const namespace = kind.startsWith('Local') ? 'ns' : '';
    return ask(reviewScope(kind, 'v1', namespace), { metadata, spec: questions[kind] ?? {} });
  }

  const given: JsonObject[] = [
    { name: 'x' },
    { generateName: 'x-' },
    { labels: { a: 'b' } },
    { finalizers: ['example.com/x'] },
    { generation: 1 },
    { creationTimestamp: '2020-01-01T00:00:00Z' },
  ];
  test.each(strict)('of %s would be lost: they are refused', async (kind) => {
    for (const metadata of given) {
      const { code, message } = await statusOf(askWith(kind, metadata));
      expect({ metadata, code }).toEqual({ metadata, code: 422 });
      expect(message).toContain('metadata: Invalid value');
      expect(message).toContain('must be empty');
    }
    expect(asked).toEqual([]);
  });

  test('a namespace is none of a review of the whole cluster', async () => {
    const { message } = await statusOf(askWith('SubjectAccessReview', { namespace: 'x' }));
    expect(message).toMatch(/metadata: Invalid value: .*: must be empty$/);
  });

  test.each(kinds)('of %s may be empty in every way', async (kind) => {
    const empty = {
      ...{ name: '', labels: {}, annotations: null, finalizers: [], ownerReferences: [], generation: 0 },
      creationTimestamp: null,
    };
    for (const metadata of [{}, empty]) expect(await askWith(kind, metadata)).toHaveProperty('status');
  });

  test.each(kinds.filter((kind) => !strict.includes(kind)))('of %s are nobody’s business', async (kind) => {
    for (const metadata of given) {
      expect(await askWith(kind, metadata)).toMatchObject({ metadata, status: expect.anything() as unknown });
    }
  });
});

test('without a reviewer, and with other verbs, reviews are not served', async () => {
  const about = reviewScope('TokenReview');
  const spec = { token: 'good' };
  expect((await statusOf(registry.verbs.act(about, '', 'create', { spec }))).code).toBe(405);
  expect((await statusOf(verbs.act(about, 'x', 'get', undefined))).code).toBe(405);
});
