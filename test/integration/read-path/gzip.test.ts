/** Lists that are compressed on their way out: which, in which forms, how soon they begin, and what remains of those given up. */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { gunzipSync } from 'node:zlib';

import type { ApiList } from '../../support/client.ts';
import type { Replica } from '../../support/replica.ts';
import { waitFor } from '../../support/wait-for.ts';
import { configMaps, metricOf, openService } from '../../support/read-path.ts';

const count = 160;
const threshold = 128 * 1024;

let service: Awaited<ReturnType<typeof openService>>;
let replica: Replica;

beforeAll(async () => {
  service = await openService();
  ({ replica } = service);
  for (let index = 0; index < count; index += 1) {
    // Bytes that do not get much smaller, so that what is not read is felt by the replica.
    const data = { noise: randomBytes(60_000).toString('base64') };
    const metadata = { name: `m-${String(index).padStart(3, '0')}`, annotations: { of: 'x'.repeat(2_000) } };
    await replica.admin.ok('POST', configMaps, { metadata, data });
  }
});

afterAll(async () => {
  await service[Symbol.asyncDispose]();
});

const forms = {
  JSON: 'application/json',
  Protobuf: 'application/vnd.orch.protobuf',
  Table: 'application/json;as=Table;v=v1;g=meta.orch.io',
  'partial metadata': 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.orch.io',
};

interface Asked {
  readonly query?: string;
  readonly accept?: string;
}

function open({ query = '', accept = forms.JSON }: Asked, coding = 'gzip'): Promise<IncomingMessage> {
  return replica.admin.open('GET', `${configMaps}${query}`, undefined, { accept, 'accept-encoding': coding });
}

/** Tables tell ages, which grow. */
function timeless(bytes: Buffer): string {
  return bytes.toString('latin1').replaceAll(/"(?:\d+[smhd])+"/g, '"age"');
}

async function bytesOf(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

describe.each(Object.entries(forms))('%s', (_form, accept) => {
  test.each(['', '?limit=1', '?limit=100', '?limit=100&pretty=true', '?limit=2&pretty=true'])(
    'a list%s is compressed exactly when it is larger than 128 KB, and is the same',
    async (query) => {
      const plain = await open({ query, accept }, 'identity');
      const expected = await bytesOf(plain);
      expect([plain.statusCode, plain.headers['content-encoding']]).toEqual([200, undefined]);
      const packed = await open({ query, accept });
      const sent = await bytesOf(packed);
      const isPacked = packed.headers['content-encoding'] === 'gzip';
      expect([query, expected.length, isPacked]).toEqual([
        query,
        expected.length,
        expected.length > threshold,
      ]);
      expect(packed.headers['content-type']).toBe(plain.headers['content-type']);
      const unpacked = isPacked ? gunzipSync(sent) : sent;
      expect(timeless(unpacked) === timeless(expected)).toBe(true);
    },
  );
});

test('chunks that go on where the last ended, each compressed for itself', async () => {
  const names: string[] = [];
  let query = '?limit=50';
  for (;;) {
    const response = await open({ query });
    expect(response.headers['content-encoding']).toBe('gzip');
    const page = JSON.parse(gunzipSync(await bytesOf(response)).toString()) as ApiList;
    names.push(...page.items.map(({ metadata }) => metadata.name));
    if (!page.metadata.continue) break;
    query = `?limit=50&continue=${page.metadata.continue}`;
  }
  expect(names).toHaveLength(count);
  expect(new Set(names).size).toBe(count);
});

test('a watch is not compressed: each event leaves when it happens', async () => {
  const response = await open({ query: '?watch=true&resourceVersion=0' });
  expect(response.headers['content-encoding']).toBeUndefined();
  for await (const chunk of response) {
    expect((chunk as Buffer).toString()).toMatch(/^\{"type":"ADDED","object":\{/);
    break;
  }
});

test('the first bytes leave before the whole is made', async () => {
  // The best of a few: a machine that does something else at the beginning says nothing of the replica.
  let best = Infinity;
  for (let i = 0; i < 5; i += 1) {
    const begun = performance.now();
    const response = await open({});
    let first = 0;
    response.once('data', () => (first = performance.now() - begun));
    await bytesOf(response);
    best = Math.min(best, first / (performance.now() - begun));
  }
  expect(best).toBeLessThan(0.5);
});

test('clients that go away half way leave nothing behind', async () => {
  const inFlight = (): Promise<number> =>
    metricOf(replica, 'apiserver_current_inflight_requests', 'readOnly');
  const before = await inFlight();
  const responses = await Promise.all(Array.from({ length: 20 }, () => open({})));
  await waitFor('the lists to stand still', async () => (await inFlight()) >= before + 20);
  for (const response of responses) response.on('error', () => undefined).destroy();
  await waitFor('the lists to be given up', async () => (await inFlight()) <= before);
  expect(gunzipSync(await bytesOf(await open({}))).equals(await bytesOf(await open({}, 'identity')))).toBe(
    true,
  );
});
