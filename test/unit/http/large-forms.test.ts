/** The form of a large object is made in another thread: the serving thread neither parses it nor writes it anew. */
import { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { Arrivals } from '../../../src/base/arrivals.ts';
import { Query } from '../../../src/http/query.ts';
import { largeEntryBytes, type LargeForms } from '../../../src/http/representation/large-forms.ts';
import type { Representations } from '../../../src/http/representation/negotiation.ts';
import type { RequestContext } from '../../../src/http/request-context.ts';
import { sendWritten } from '../../../src/http/verbs/send-entry.ts';
import { serveGet } from '../../../src/http/verbs/serve-get.ts';
import { serveList } from '../../../src/http/verbs/serve-list.ts';
import type { ResourceRequest, VerbDeps, VerbHandler } from '../../../src/http/verbs/verb-request.ts';
import { tooManyRequests } from '../../../src/meta/status.ts';
import { newEntry } from '../../../src/registry/written-entry.ts';
import type { Entry } from '../../../src/storage/types.ts';
import { cronJobs, Elsewhere, entry, representations, types } from '../../support/http/large-objects.ts';

const json = 'application/json';
const meta = 'g=meta.orch.io;v=v1';

interface Asked {
  readonly accept: string;
  readonly pretty?: boolean;
  readonly version?: string;
  /** What it makes of an object is cached, for lists and single objects alike. */
  readonly isCached?: boolean;
}

interface Others {
  readonly cache?: Representations;
  readonly serve?: VerbHandler;
}

/** What the verb answers. */
async function answered(
  { accept, pretty = false, version = 'v1' }: Asked,
  entries: readonly Entry[],
  largeForms: LargeForms | undefined,
  { cache = representations(), serve = entries.length === 1 ? serveGet : serveList }: Others = {},
): Promise<Buffer> {
  const [first] = entries;
  const got: Buffer[] = [];
  // Slices are used again once they are written.
  const write = (chunk: Buffer, _encoding: string, done: () => void): void => {
    got.push(Buffer.from(chunk));
    done();
  };
  const res = Object.assign(new Writable({ write }), { writeHead: () => res });
  const context = {
    ...{
      res,
      req: { headers: {} },
      phase: { types, turns: new Arrivals() },
      isClosed: () => false,
      answeredBytes: 0,
    },
    query: new Query(`pretty=${String(pretty)}&includeObject=Object`),
    header: (name: string) => (name === 'accept' ? accept : ''),
    ...{
      info: { namespace: 'ns', subresource: '' },
      signal: AbortSignal.timeout(60_000),
      user: { name: 'ann', uid: '', groups: [], extra: {} },
    },
  } as unknown as RequestContext;
  const list = { revision: 9, entries, continue: '', remainingItemCount: undefined };
  const verbs = { get: () => Promise.resolve(first), list: () => Promise.resolve(list) };
  const deps = { verbs, representations: cache, largeForms } as unknown as VerbDeps;
  const request: ResourceRequest = {
    context,
    resource: cronJobs(version),
    name: entries.length === 1 ? 'a' : '',
  };
  await serve(request, deps);
  await finished(res);
  return Buffer.concat(got);
}

const forms: readonly Asked[] = [
  { accept: `${json};as=Table;${meta}`, isCached: true },
  { accept: `${json};as=Table;${meta}`, pretty: true },
  { accept: json, pretty: true },
  { accept: json, version: 'v1beta1', isCached: true },
  { accept: `${json};as=Table;${meta}`, version: 'v1beta1' },
  { accept: 'application/yaml' },
  { accept: 'application/vnd.orch.protobuf', isCached: true },
];
const listOf = ['b', 'c', 'd'];

test.each(forms)('an object as %o', async (asked) => {
  const elsewhere = new Elsewhere();
  const large = (): Entry[] => [entry('a', largeEntryBytes)];
  const expected = await answered(asked, large(), undefined);
  expect((await answered(asked, large(), elsewhere)).equals(expected)).toBe(true);
  expect(elsewhere.orders.map(({ part }) => part)).toEqual([asked.isCached === true ? 'kept' : 'object']);
});

test.each(forms.filter(({ isCached }) => isCached))(
  'made once for lists and objects as %o',
  async (asked) => {
    const elsewhere = new Elsewhere();
    const cache = representations();
    const entries = listOf.map((name) => entry(name, largeEntryBytes));
    const list = await answered(asked, entries, elsewhere, { cache });
    expect(elsewhere.orders).toHaveLength(listOf.length);
    expect((await answered(asked, entries, elsewhere, { cache })).equals(list)).toBe(true);
    await answered(asked, entries.slice(0, 1), elsewhere, { cache });
    expect(elsewhere.orders).toHaveLength(listOf.length);
  },
);

test.each(forms)('a list as %o', async ({ accept, ...asked }) => {
  const elsewhere = new Elsewhere();
  const mixed = (): Entry[] => [entry('a', 10), ...listOf.map((name) => entry(name, largeEntryBytes))];
  const expected = await answered({ ...asked, accept }, mixed(), undefined);
  expect((await answered({ ...asked, accept }, mixed(), elsewhere)).equals(expected)).toBe(true);
  expect(elsewhere.orders).toHaveLength(listOf.length);
  const isLarge = mixed().reverse();
  const again = new Elsewhere();
  const reversed = await answered({ ...asked, accept }, isLarge, undefined);
  expect((await answered({ ...asked, accept }, isLarge, again)).equals(reversed)).toBe(true);
});

describe('with links', () => {
  const cache = (): Representations => representations({ hasLinks: true });
  const links = (body: Buffer): number =>
    body.toString('latin1').split('/namespaces/ns/cronjobs/').length - 1;

  test.each(forms)('an object as %o', async (asked) => {
    const elsewhere = new Elsewhere();
    const large = (): Entry[] => [entry('a', largeEntryBytes)];
    const expected = await answered(asked, large(), undefined, { cache: cache() });
    expect(links(expected)).toBe(1);
    expect((await answered(asked, large(), elsewhere, { cache: cache() })).equals(expected)).toBe(true);
    expect(elsewhere.orders.map(({ part }) => part)).toEqual([asked.isCached === true ? 'kept' : 'object']);
  });

  test.each(forms)('a list as %o', async (asked) => {
    const elsewhere = new Elsewhere();
    const all = (): Entry[] => ['a', ...listOf].map((name) => entry(name, largeEntryBytes));
    const expected = await answered(asked, all(), undefined, { cache: cache() });
    expect(links(expected)).toBeGreaterThanOrEqual(4);
    expect((await answered(asked, all(), elsewhere, { cache: cache() })).equals(expected)).toBe(true);
    expect(elsewhere.orders).toHaveLength(4);
  });
});

test('stored bytes are copied here, and small objects are made here', async () => {
  const elsewhere = new Elsewhere();
  await answered({ accept: json }, [entry('a', largeEntryBytes)], elsewhere);
  await answered(
    { accept: `${json};as=PartialObjectMetadata;${meta}` },
    [entry('a', largeEntryBytes)],
    elsewhere,
  );
  for (const asked of forms) await answered(asked, [entry('a', 100_000)], elsewhere);
  expect(elsewhere.orders).toEqual([]);
});

describe('an object of which each line of an indented form begins with a thousand spaces', () => {
  /** A CronJob of 60 KB with this many levels above 6,000 members, one of which has a name that looks like the end of them. */
  function deep(levels: number): Entry {
    const text = `${'{"f:a":'.repeat(levels)}{"]}}\\\\":{}${',"k":[1]'.repeat(6_000)}}${'}'.repeat(levels)}`;
    const metadata = { name: 'a', namespace: 'ns', managedFields: 'X' };
    const object = { kind: 'CronJob', apiVersion: 'batch/v1', metadata, spec: { schedule: '' } };
    return newEntry('batch/cronjobs', 'ns/a', Buffer.from(JSON.stringify(object).replace('"X"', text)), 7);
  }

  test.each([serveGet, serveList])('by %o', async (serve) => {
    for (const [asked, isIndented] of [
      [{ accept: 'application/yaml' }, true],
      [{ accept: json, pretty: true }, true],
      [{ accept: 'application/vnd.orch.protobuf' }, false],
    ] as const) {
      const elsewhere = new Elsewhere();
      const expected = await answered(asked, [deep(500)], undefined, { serve });
      expect((await answered(asked, [deep(500)], elsewhere, { serve })).equals(expected)).toBe(true);
      await answered(asked, [deep(5)], elsewhere, { serve });
      expect(elsewhere.orders).toHaveLength(isIndented ? 1 : 0);
    }
  });
});

test('a long text is cached like small objects where its form is', async () => {
  const elsewhere = new Elsewhere();
  const metadata = { name: 'a', namespace: 'ns', annotations: { note: 'x'.repeat(largeEntryBytes) } };
  const text = JSON.stringify({ kind: 'CronJob', apiVersion: 'batch/v1', metadata, spec: { schedule: '' } });
  const long = (): Entry => newEntry('batch/cronjobs', 'ns/a', Buffer.from(text), 7);
  for (const asked of forms) await answered(asked, [long()], elsewhere);
  expect(elsewhere.orders.map(({ spec }) => spec.serializer)).toEqual(['pretty', 'pretty', 'yaml']);
});

test('what was written is answered as such, though no thread makes its form', async () => {
  const asked = { accept: 'application/yaml' };
  const one = entry('a', largeEntryBytes);
  const busy: LargeForms = { make: () => Promise.reject(tooManyRequests('too many', 1)) };
  await expect(answered(asked, [one], busy)).rejects.toThrow('too many');
  const serve = (request: ResourceRequest, deps: VerbDeps): Promise<void> => {
    const representation = deps.representations.of(request.context, request.resource, 'object');
    return sendWritten(request, deps, { code: 201, representation, entry: one });
  };
  const expected = await answered(asked, [one], undefined);
  expect((await answered(asked, [one], busy, { serve })).equals(expected)).toBe(true);
});

test('what several want at once is made once', async () => {
  const elsewhere = new Elsewhere();
  const shared = entry('a', largeEntryBytes);
  await Promise.all([1, 2, 3].map(() => answered({ accept: 'application/yaml' }, [shared], elsewhere)));
  expect(elsewhere.orders).toHaveLength(1);
});

test('what fails for one is asked for by the next', async () => {
  const elsewhere = new Elsewhere();
  let asked = 0;
  const make: LargeForms['make'] = async (order, one) => {
    asked += 1;
    if (asked === 1) throw new Error('the first one ended');
    return elsewhere.make(order, one);
  };
  const shared = entry('a', largeEntryBytes);
  const outcomes = await Promise.allSettled(
    [1, 2, 3].map(() => answered({ accept: 'application/yaml' }, [shared], { make })),
  );
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
});
