/** Documents of other servers: by ETag, again after failures, and never believed. */
import { systemEnvironment } from '../../../../src/base/environment.ts';
import type {
  DocumentAnswer,
  DocumentRequest,
} from '../../../../src/extension/aggregated-apis/backend-connections.ts';
import type { RegisteredService } from '../../../../src/extension/aggregated-apis/registered-service.ts';
import {
  registrationsOf,
  type RegistrationListener,
} from '../../../../src/extension/aggregated-apis/registrations.ts';
import { RemoteDocumentFollower } from '../../../../src/extension/aggregated-apis/remote-documents.ts';
import { silentLogger } from '../../../../src/observe/log.ts';
import { waitFor } from '../../../support/wait-for.ts';

const resources = {
  kind: 'APIResourceList',
  groupVersion: 'g.example.com/v1',
  resources: [{ name: 'things', kind: 'Thing' }],
};
const backend = { namespace: 'a', name: 'b', port: 443, ca: '', skipsVerification: false };
const name = 'v1.g.example.com';
const base: RegisteredService = {
  ...{ name, group: 'g.example.com', version: 'v1', groupPriority: 1, versionPriority: 1 },
  ...{ backend, isAvailable: true, wish: 'first' },
};

type Answer = Partial<DocumentAnswer> | Error;

class Fixture {
  service: RegisteredService | undefined = base;
  readonly asked: DocumentRequest[] = [];
  answers: Record<string, (asked: DocumentRequest) => Answer> = {
    '/apis/g.example.com/v1': () => json(resources),
  };
  readonly follower: RemoteDocumentFollower;
  #listener: RegistrationListener = () => undefined;

  constructor(everyMs = 1, longestTogether = 1_000) {
    this.follower = new RemoteDocumentFollower({
      ...systemEnvironment,
      registrations: {
        current: () => registrationsOf(this.service ? [this.service] : []),
        service: () => this.service,
        onChange: (listener) => {
          this.#listener = listener;
        },
      },
      connections: {
        document: async (_service, asked) => {
          this.asked.push(asked);
          const answer = this.answers[asked.path]?.(asked) ?? { code: 404 };
          if (answer instanceof Error) throw answer;
          return { code: 200, etag: '', body: Buffer.alloc(0), ...answer };
        },
      },
      log: silentLogger,
      longestTogether,
      mostResourcesTogether: 3,
      pauses: { everyMs, failure: { firstMs: 1, maxMs: 5 } },
    });
  }

  /** Begins to fetch what `answers` has by then. */
  start(): void {
    this.follower.start();
  }

  change(service: RegisteredService | undefined): void {
    this.service = service;
    this.#listener(new Set([name]));
  }

  to(path: string): DocumentRequest[] {
    return this.asked.filter((asked) => asked.path === path);
  }
}

function json(value: unknown, etag = ''): Partial<DocumentAnswer> {
  return { body: Buffer.from(JSON.stringify(value)), etag };
}

let fixture: Fixture | undefined;
afterEach(() => fixture?.follower.close());

test('resources and OpenAPI are fetched, the latter by its index', async () => {
  fixture = new Fixture(1_000_000);
  const { follower, answers } = fixture;
  answers['/openapi/v2'] = () => json({ swagger: '2.0' });
  answers['/openapi/v3'] = () =>
    json({ paths: { 'apis/g.example.com/v1': { serverRelativeURL: '/openapi/v3/x?hash=1' } } });
  answers['/openapi/v3/x?hash=1'] = () => json({ openapi: '3.0.0' });
  fixture.start();
  const found = await waitFor('all documents', () => follower.of(name).openApiV3 && follower.of(name));
  expect(found.resources).toMatchObject([{ name: 'things', kind: 'Thing', verbs: [] }]);
  expect(found.openApiV2?.toString()).toBe('{"swagger":"2.0"}');
  expect(found.openApiV3?.toString()).toBe('{"openapi":"3.0.0"}');
  expect(fixture.asked.map(({ path, user }) => [path, user.name]).toSorted()).toEqual([
    ['/apis/g.example.com/v1', 'system:kube-aggregator'],
    ['/openapi/v2', 'system:aggregator'],
    ['/openapi/v3', 'system:aggregator'],
    ['/openapi/v3/x?hash=1', 'system:aggregator'],
  ]);
});

test('a document of the same ETag is not sent again, and stays', async () => {
  fixture = new Fixture();
  const { follower, answers } = fixture;
  answers['/openapi/v2'] = ({ headers }) =>
    headers?.['If-None-Match'] === '"1"' ? { code: 304 } : json({ swagger: '2.0' }, '"1"');
  fixture.start();
  const first = await waitFor('the document', () => follower.of(name).openApiV2);
  const count = fixture.to('/openapi/v2').length;
  await waitFor('it was asked for again', () => fixture!.to('/openapi/v2').length > count + 2);
  expect(follower.of(name).openApiV2).toBe(first);
});

test('without ETags, the same bytes are the same document', async () => {
  fixture = new Fixture();
  const { follower, answers } = fixture;
  answers['/openapi/v2'] = () => json({ swagger: '2.0' });
  fixture.start();
  const first = await waitFor('the document', () => follower.of(name).openApiV2);
  await waitFor('it was asked for again', () => fixture!.to('/openapi/v2').length > 3);
  expect(follower.of(name).openApiV2).toBe(first);
  expect(fixture.asked.filter(({ headers }) => headers?.['If-None-Match'] !== undefined)).toEqual([]);
});

test('of the addresses that a document has had the last one alone is known', async () => {
  fixture = new Fixture();
  const { follower, answers } = fixture;
  let now = 'a';
  answers['/openapi/v3'] = () =>
    json({ paths: { 'apis/g.example.com/v1': { serverRelativeURL: `/openapi/v3/${now}` } } });
  for (const at of ['a', 'b'])
    answers[`/openapi/v3/${at}`] = ({ headers }) =>
      headers?.['If-None-Match'] === `"${at}"` ? { code: 304 } : json({ at }, `"${at}"`);
  fixture.start();
  for (const at of ['a', 'b', 'a']) {
    now = at;
    await waitFor(
      `the document at ${at}`,
      () => follower.of(name).openApiV3?.toString() === `{"at":"${at}"}`,
    );
  }
});

test('after a failure it is tried again, and what was known stays', async () => {
  fixture = new Fixture();
  const { follower, answers } = fixture;
  let fails = false;
  let tries = 0;
  answers['/apis/g.example.com/v1'] = () => {
    tries += 1;
    return fails ? new Error('broken') : json(resources);
  };
  fixture.start();
  const known = await waitFor('resources', () => follower.of(name).resources);
  fails = true;
  tries = 0;
  await waitFor('it fails and is tried again', () => tries > 2);
  expect(follower.of(name).resources).toBe(known);
});

test.each([
  ['another group version', { ...resources, groupVersion: 'apps/v1' }],
  ['another kind', { ...resources, kind: 'List' }],
  ['entries without a name', { ...resources, resources: [{ kind: 'Thing' }] }],
  ['entries that are no objects', { ...resources, resources: ['things'] }],
  [
    'more resources than anyone has',
    { ...resources, resources: Array.from({ length: 5_001 }, () => ({ name: 'a', kind: 'A' })) },
  ],
  ['nothing', null],
])('resources that are refused: %s', async (_what, value) => {
  fixture = new Fixture();
  fixture.answers['/apis/g.example.com/v1'] = () => json(value);
  fixture.start();
  await waitFor('it was asked for again', () => fixture!.to('/apis/g.example.com/v1').length > 2);
  expect(fixture.follower.of(name).resources).toBeUndefined();
});

test.each([302, 401, 500])('%s is no document', async (code) => {
  fixture = new Fixture();
  fixture.answers['/openapi/v2'] = () => ({ code });
  fixture.start();
  await waitFor('it was asked for again', () => fixture!.to('/openapi/v2').length > 1);
  expect(fixture.follower.of(name).openApiV2).toBeUndefined();
});

test.each(['https://other.example.com/x', '//other.example.com/x', 'x', '/a b'])(
  'an index of OpenAPI v3 leads to no other server: %s',
  async (serverRelativeURL) => {
    fixture = new Fixture();
    fixture.answers['/openapi/v3'] = () =>
      json({ paths: { 'apis/g.example.com/v1': { serverRelativeURL } } });
    fixture.start();
    await waitFor('it was asked for again', () => fixture!.to('/openapi/v3').length > 1);
    const others = fixture.asked.filter(
      ({ path }) => !['/apis/g.example.com/v1', '/openapi/v2', '/openapi/v3'].includes(path),
    );
    // A path of the same server that looks like an address is a path.
    expect(others.filter(({ path }) => !path.startsWith('/'))).toEqual([]);
    expect(fixture.follower.of(name).openApiV3).toBeUndefined();
  },
);

test('an unavailable server is not asked, until it is available', async () => {
  fixture = new Fixture();
  fixture.start();
  await waitFor('it was asked', () => fixture!.follower.of(name).resources);
  fixture.change({ ...base, isAvailable: false });
  fixture.asked.length = 0;
  const before = fixture.follower.of(name);
  fixture.change({ ...base, isAvailable: false });
  expect(fixture.follower.of(name)).toBe(before);
  fixture.change(base);
  await waitFor('it is asked', () => fixture!.asked.length > 0);
});

test('a service that changes or is gone has nothing of before', async () => {
  fixture = new Fixture(1_000_000);
  let changes = 0;
  fixture.follower.onChange(() => {
    changes += 1;
  });
  fixture.start();
  await waitFor('resources', () => fixture!.follower.of(name).resources);
  fixture.answers = {};
  const seen = changes;
  fixture.change({ ...base, wish: 'second' });
  expect([fixture.follower.of(name).resources, changes]).toEqual([undefined, seen + 1]);
  fixture.change(undefined);
  expect(fixture.follower.of(name).resources).toBeUndefined();
});

test('servers that do not send their OpenAPI hold up the resources of no other, nor their own', async () => {
  const services = ['a', 'b', 'c', 'd'].map((group) => ({ ...base, name: `v1.${group}`, group }));
  const release = Promise.withResolvers<undefined>();
  const follower = new RemoteDocumentFollower({
    ...systemEnvironment,
    registrations: {
      current: () => registrationsOf(services),
      service: (one) => services.find((service) => service.name === one),
      onChange: () => undefined,
    },
    connections: {
      document: async ({ group }, { path }) => {
        if (path.startsWith('/openapi')) await release.promise;
        const list = Buffer.from(JSON.stringify({ ...resources, groupVersion: `${group}/v1` }));
        return { code: path.startsWith('/openapi') ? 404 : 200, etag: '', body: list };
      },
    },
    log: silentLogger,
  });
  follower.start();
  try {
    await waitFor('the resources of all', () =>
      services.every((service) => follower.of(service.name).resources),
    );
  } finally {
    release.resolve(undefined);
    await follower.close();
  }
});

test('a server that does not send the OpenAPI of its APIs does not hold up that of another server', async () => {
  const services = ['a', 'b', 'c', 'd'].map((group) => ({ ...base, name: `v1.${group}`, group }));
  const well = { ...base, name: 'v1.well', group: 'well', backend: { ...backend, name: 'well' } };
  const all = [...services, well];
  const release = Promise.withResolvers<undefined>();
  const follower = new RemoteDocumentFollower({
    ...systemEnvironment,
    registrations: {
      current: () => registrationsOf(all),
      service: (one) => all.find((service) => service.name === one),
      onChange: () => undefined,
    },
    connections: {
      document: async ({ group }, { path }) => {
        if (path.startsWith('/openapi') && group !== 'well') await release.promise;
        return { code: path === '/openapi/v2' ? 200 : 404, etag: '', body: Buffer.from('{}') };
      },
    },
    log: silentLogger,
  });
  follower.start();
  try {
    await waitFor('the document of the other', () => follower.of('v1.well').openApiV2);
  } finally {
    release.resolve(undefined);
    await follower.close();
  }
});

test('OpenAPI documents have a limit together, in which one takes the place of its former state', async () => {
  fixture = new Fixture(1, 100);
  const { follower, answers } = fixture;
  let count = 0;
  answers['/openapi/v2'] = () => json({ swagger: '2.0', count: (count += 1) % 2 });
  answers['/openapi/v3'] = () =>
    json({ paths: { 'apis/g.example.com/v1': { serverRelativeURL: '/openapi/v3/x' } } });
  answers['/openapi/v3/x'] = () => json({ openapi: '3.0.0' });
  fixture.start();
  const { openApiV2, openApiV3 } = await waitFor(
    'both',
    () => follower.of(name).openApiV2 && follower.of(name).openApiV3 && follower.of(name),
  );
  await waitFor('more rounds', () => count > 3);
  expect(fixture.to('/openapi/v3/x')[0]?.longest).toBe(100 - openApiV2!.length);
  expect(fixture.to('/openapi/v2')[0]?.longest).toBe(100);
  expect(fixture.to('/openapi/v2').at(-1)?.longest).toBe(100 - openApiV3!.length);
});

test('resources have a limit together; a list that exceeds it is refused, and what was known stays', async () => {
  fixture = new Fixture();
  const { follower, answers } = fixture;
  const names = (count: number): object => ({
    ...resources,
    resources: Array.from({ length: count }, (_, i) => ({ name: `things${String(i)}`, kind: 'Thing' })),
  });
  const lengths = [2, 4, 3];
  answers['/apis/g.example.com/v1'] = () => json(names(lengths.shift() ?? 3));
  const seen = new Set<number | undefined>();
  follower.onChange(() => seen.add(follower.of(name).resources?.length));
  fixture.start();
  await waitFor('the third list', () => follower.of(name).resources?.length === 3);
  expect([...seen]).toEqual([2, 3]);
});
