/** Tables of the real catalogue: rows that say more than their cells. */
import type { JsonObject } from '../../../src/base/json.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { realCatalogue } from '../../support/catalogue.ts';
import { entryOf } from '../../support/http/fake-verbs.ts';
import type { HttpRoom } from '../../support/http/room.ts';
import { openRoom } from '../../support/http/room.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

const naming = namingProfiles.orch;
const { catalogue, schemas } = realCatalogue(naming);
const headers = { accept: 'application/json;as=Table;g=meta.orch.io;v=v1' };

let folder: Awaited<ReturnType<typeof makeTempFolder>>;
let room: HttpRoom;

beforeAll(async () => {
  folder = await makeTempFolder('tables');
  room = await openRoom(folder.path, { naming, catalogue: () => catalogue, schemas });
});
afterAll(async () => {
  await room.close();
  await folder.remove();
});

function pod(name: string, phase: string): JsonObject {
  const spec = { containers: [{ name: 'c' }] };
  return { kind: 'Pod', apiVersion: 'v1', metadata: { name, namespace: 'x' }, spec, status: { phase } };
}

test('pods that have ended are marked', async () => {
  const phases = ['Running', 'Succeeded', 'Failed'];
  room.verbs.entries = phases.map((phase, i) => entryOf(pod(phase, phase), `x/${phase}`, i + 1));
  const { rows } = (await room.ask('/api/v1/pods', { headers })).json() as { rows: JsonObject[] };
  const completed = { type: 'Completed', status: 'True' };
  expect(rows.map(({ conditions }) => conditions)).toEqual([
    undefined,
    [{ ...completed, reason: 'Succeeded', message: 'The pod has completed successfully.' }],
    [{ ...completed, reason: 'Failed', message: 'The pod failed.' }],
  ]);
  expect(Object.keys(rows[1] ?? {})).toEqual(['cells', 'conditions', 'object']);
});

test('a row that cannot be judged has no marks', async () => {
  const odd = { ...pod('odd', 'Failed'), status: null, spec: null };
  room.verbs.entries = [entryOf(odd, 'x/odd', 1)];
  const { rows } = (await room.ask('/api/v1/pods', { headers })).json() as { rows: JsonObject[] };
  expect(rows).toHaveLength(1);
  expect(rows[0]).not.toHaveProperty('conditions');
});

test.each(['false', 'true'])(
  'flow schemas are shown as they are asked, in tables alone: pretty=%s',
  async (pretty) => {
    const schema = (name: string, matchingPrecedence: number): JsonObject => ({
      ...{ kind: 'FlowSchema', apiVersion: 'flowcontrol.apiserver.orch.io/v1beta1' },
      ...{ metadata: { name }, spec: { matchingPrecedence } },
    });
    const sent = [schema('a', 900), schema('b', 7), schema('c', 900), schema('d', 1)];
    room.verbs.entries = sent.map((object, i) => entryOf(object, String(i), i + 1));
    const path = `/apis/flowcontrol.apiserver.orch.io/v1beta1/flowschemas?pretty=${pretty}`;
    const { rows } = (await room.ask(path, { headers })).json() as { rows: { cells: unknown[] }[] };
    expect(rows.map(({ cells }) => cells[0])).toEqual(['d', 'b', 'a', 'c']);
    const { items } = (await room.ask(path)).json() as { items: { metadata: { name: string } }[] };
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['a', 'b', 'c', 'd']);
  },
);
