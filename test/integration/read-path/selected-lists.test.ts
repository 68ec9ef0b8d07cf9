/** Lists by selector of a collection that is large enough to be indexed: what is given is what is there, before and after changes. */
import type { ApiObject } from '../../support/client.ts';
import { namespace, openService } from '../../support/read-path.ts';

const count = 1_100;
const other = 'reading-too';
const secretsIn = (where: string): string => `/api/v1/namespaces/${where}/secrets`;
const everywhere = '/api/v1/secrets';

let service: Awaited<ReturnType<typeof openService>>;

beforeAll(async () => {
  service = await openService();
  const { admin } = service.replica;
  await admin.ok('POST', '/api/v1/namespaces', { metadata: { name: other } });
  for (let from = 0; from < count; from += 50)
    await Promise.all(
      Array.from({ length: 50 }, (_, i) => admin.ok('POST', pathOf(from + i), secret(from + i))),
    );
}, 60_000);

afterAll(async () => {
  await service[Symbol.asyncDispose]();
});

function pathOf(i: number): string {
  return secretsIn(i % 2 === 0 ? namespace : other);
}

function secret(i: number): object {
  const labels = { slot: String(i % 20), half: i % 2 === 0 ? 'even' : 'odd' };
  return { metadata: { name: `s-${String(i).padStart(4, '0')}`, labels }, type: `of-${String(i % 25)}` };
}

const selections: readonly (readonly [string, (object: ApiObject) => boolean])[] = [
  ['labelSelector=slot%3D7', (object) => slotOf(object) === '7'],
  ['labelSelector=slot+in+(3,8),half%3Deven', (object) => slotOf(object) === '8'],
  ['labelSelector=slot+notin+(3),slot%3D%3D4', (object) => slotOf(object) === '4'],
  ['fieldSelector=type%3Dof-3', (object) => object['type'] === 'of-3'],
  [
    'fieldSelector=type%3Dof-5&labelSelector=half%3Dodd',
    (object) => object['type'] === 'of-5' && object.metadata.labels?.['half'] === 'odd',
  ],
  ['labelSelector=slot%3Dnone', () => false],
];

function slotOf({ metadata }: ApiObject): string | undefined {
  return metadata.labels?.['slot'];
}

function namesOf(items: readonly ApiObject[]): string[] {
  return items.map(({ metadata }) => `${metadata.namespace ?? ''}/${metadata.name}`);
}

/** Every selection of every collection, as often as makes an index of it, against the whole list. */
async function expectTruth(): Promise<void> {
  const { admin } = service.replica;
  for (const path of [everywhere, secretsIn(namespace), secretsIn(other)]) {
    const { items } = await admin.list(path);
    for (const [query, matches] of selections) {
      const wanted = namesOf(items.filter(matches));
      for (let i = 0; i < 3; i += 1)
        expect([query, namesOf((await admin.list(`${path}?${query}`)).items)]).toEqual([query, wanted]);
      expect([query, await inChunks(`${path}?${query}&limit=7`)]).toEqual([query, wanted]);
    }
  }
}

async function inChunks(path: string): Promise<string[]> {
  const names: string[] = [];
  let token = '';
  do {
    const list = await service.replica.admin.list(token === '' ? path : `${path}&continue=${token}`);
    names.push(...namesOf(list.items));
    token = list.metadata.continue ?? '';
  } while (token !== '');
  return names;
}

test('by label, by field, by both, in one answer and in chunks; and again after changes', async () => {
  await expectTruth();
  const { admin } = service.replica;
  for (let i = 0; i < 60; i += 3) {
    const path = `${pathOf(i)}/s-${String(i).padStart(4, '0')}`;
    const labels = { slot: i % 2 === 0 ? '7' : null };
    await admin.request(
      'PATCH',
      path,
      { metadata: { labels } },
      { 'content-type': 'application/merge-patch+json' },
    );
    await admin.ok('DELETE', `${pathOf(i + 1)}/s-${String(i + 1).padStart(4, '0')}`);
  }
  await admin.ok('POST', secretsIn(namespace), {
    metadata: { name: 'a-first', labels: { slot: '7', half: 'odd' } },
    type: 'of-5',
  });
  await expectTruth();
});
