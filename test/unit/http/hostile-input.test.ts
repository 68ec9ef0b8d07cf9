/** Random paths, queries, headers and bodies: never a 5xx, never a hang, and the server is well afterwards. */
import fc from 'fast-check';
import { defaultWatchLimits } from '../../../src/http/watch/open-watches.ts';
import { podEntry } from '../../support/http/fake-verbs.ts';
import type { HttpRoom } from '../../support/http/room.ts';
import { openRoom } from '../../support/http/room.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';
import { within } from '../../support/wait-for.ts';

const segment = fc.oneof(
  fc.constantFrom(
    'api',
    'apis',
    'v1',
    'apps',
    'namespaces',
    'x',
    'pods',
    'a',
    'status',
    'watch',
    'proxy',
    'binding',
  ),
  fc.constantFrom(
    '',
    '.',
    '..',
    '%2F',
    '%00',
    '%zz',
    '%',
    '__proto__',
    'constructor',
    'toString',
    '*',
    ';',
    ':',
    '{x}',
  ),
  fc.string({ maxLength: 8 }).map((text) => encodeURIComponent(text.toWellFormed())),
);
const path = fc.array(segment, { maxLength: 9 }).map((segments) => `/${segments.join('/')}`);
const parameter = fc.tuple(
  fc.constantFrom(
    'limit',
    'timeout',
    'dryRun',
    'pretty',
    'fieldManager',
    'labelSelector',
    'fieldSelector',
    '__proto__',
    'includeObject',
    'gracePeriodSeconds',
    'exclude',
    'verbose',
  ),
  fc.oneof(
    fc.constantFrom('', '0', '1', '-1', '1e9', 'All', 'true', '%', '%zz', '99999999999999999999'),
    segment,
  ),
);
const query = fc
  .array(parameter, { maxLength: 4 })
  .map((pairs) => (pairs.length === 0 ? '' : `?${pairs.map((p) => p.join('=')).join('&')}`));
const body = fc.oneof(
  fc.json({ maxDepth: 4 }),
  fc.string({ maxLength: 40 }),
  fc.constantFrom(
    '{"__proto__":{"a":1}}',
    '{"kind":{}}',
    '[[[[',
    '{"a":1,"a":2}',
    'a: &a [*a]',
    '\u0000',
    '{"metadata":null}',
  ),
  fc.integer({ min: 10, max: 200_000 }).map((depth) => '['.repeat(depth)),
);
const contentType = fc.constantFrom(
  '',
  'application/json',
  'application/yaml',
  'application/merge-patch+json',
  'application/json-patch+json',
  'application/strategic-merge-patch+json',
  'a/b;c',
  ';',
  'application/json;charset=latin1',
);
const accept = fc.constantFrom(
  '',
  '*/*',
  'application/json',
  'application/yaml',
  'application/json;as=Table;g=meta.orch.io;v=v1',
  'application/json;as=Table',
  ',,,',
  ';q=2',
  'application/json;q=0',
);
const method = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE');

describe('hostile input', () => {
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;
  let room: HttpRoom;

  beforeAll(async () => {
    folder = await makeTempFolder('hostile');
    room = await openRoom(folder.path, {
      watchLimits: {
        ...defaultWatchLimits,
        maxBufferedBytes: 1024,
        defaultTimeoutMs: [5, 10],
        bookmarkMs: 0,
        lastBookmarkMs: 1,
      },
    });
    room.verbs.entries = [podEntry('a', 1)];
  });

  afterAll(async () => {
    await room.close();
    await folder.remove();
  });

  test('gets an answer below 500, and the server is well afterwards', async () => {
    const asks = fc.record({ path, query, body, contentType, accept, method });
    await fc.assert(
      fc.asyncProperty(asks, async (ask) => {
        const headers = {
          accept: ask.accept,
          ...(ask.contentType !== '' && { 'content-type': ask.contentType }),
        };
        const hasBody = !['GET', 'HEAD', 'OPTIONS', 'TRACE'].includes(ask.method);
        const answer = await within(
          'an answer',
          5_000,
          room.ask(`${ask.path}${ask.query}`, {
            method: ask.method,
            headers,
            ...(hasBody && { body: ask.body }),
          }),
        );
        expect(answer.code).toBeGreaterThanOrEqual(200);
        expect(answer.code).toBeLessThan(500);
      }),
      { numRuns: 600 },
    );
    expect((await room.ask('/readyz')).text).toBe('ok');
    expect(({} as Record<string, unknown>)['a']).toBeUndefined();
    expect(room.logs.filter((l) => l.level === 'error')).toEqual([]);
  });
});
