/** What the classifier keeps of users. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { everythingOf, level, makeFlows, request, schema, user } from '../../support/flow-control.ts';

const info = request('GET /api/v1/pods');

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function heldBytes(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

/** Groups as many as the headers of a request have room for. */
function groupsOf(name: string): string[] {
  return Array.from({ length: 900 }, (_, i) => `${name} is in the group that has the number ${String(i)}`);
}

test('users of very many groups belong where they belong, and are not remembered', () => {
  const { configuration } = makeFlows();
  const devs = everythingOf({ kind: 'Group', group: { name: 'devs' } });
  void configuration.use({ levels: [level('own', 1)], schemas: [schema('own', 'own', 5, devs)] });
  const flowOf = (name: string, ...more: string[]): string =>
    configuration.flowOf(user(name, ...groupsOf(name), ...more), info).name;
  const before = heldBytes();
  for (let i = 0; i < 1_000; i++) {
    expect(flowOf(`user ${String(i)}`, 'devs')).toBe('own');
    expect(flowOf(`user ${String(i)}`)).toBe('catch-all');
  }
  expect(heldBytes() - before).toBeLessThan(20_000_000);
});
