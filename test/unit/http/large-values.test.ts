/** Answers of actions that are large: a review may list tens of thousands of rules. */
import type { JsonObject } from '../../../src/base/json.ts';
import { openRoom, type HttpRoom } from '../../support/http/room.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { holdThread, TurnCounts } from '../../support/turn-counts.ts';

const ruleCount = 100;
let folder: TempFolder;
let room: HttpRoom;

beforeAll(async () => {
  folder = await makeTempFolder('large-values');
  room = await openRoom(folder.path);
});
afterAll(async () => {
  await room.close();
  await folder.remove();
});

/** An action, as a review is. */
function bind(accept: string): ReturnType<HttpRoom['ask']> {
  const headers = { accept, 'content-type': 'application/json' };
  return room.ask('/api/v1/namespaces/x/pods/a/binding', { method: 'POST', headers, body: '{}' });
}

/** Each takes some milliseconds to write. */
function slowRules(turns: TurnCounts): JsonObject[] {
  const names = Array.from({ length: 100 }, (_, i) => `name-${String(i)}`);
  const verbs = (): string[] => {
    turns.note();
    holdThread(1);
    return ['get'];
  };
  return Array.from({ length: ruleCount }, () =>
    Object.defineProperty({ resourceNames: names }, 'verbs', { get: verbs, enumerable: true }),
  );
}

test.each(['application/json', 'application/yaml'])('are made in several turns in %s', async (accept) => {
  const turns = new TurnCounts();
  const rules = slowRules(turns);
  room.verbs.act = () => Promise.resolve({ kind: 'Status', apiVersion: 'v1', rules });
  const { code, text } = await bind(accept);
  turns.end();
  expect([code, text.split('get').length - 1]).toEqual([201, ruleCount]);
  expect(turns.most).toBeLessThan(20);
});

test.each(['application/json', 'application/yaml'])(
  'are the same in %s when they are short',
  async (accept) => {
    room.verbs.act = () => Promise.resolve({ kind: 'Status', apiVersion: 'v1', status: 'Success' });
    const { code, text, headers } = await bind(accept);
    expect([code, text.includes('Success'), headers['content-length']]).toEqual([
      201,
      true,
      `${text.length}`,
    ]);
  },
);
