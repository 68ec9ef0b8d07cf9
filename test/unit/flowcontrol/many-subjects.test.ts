/** Flow schemas about a thousand users each come into effect in slices, whatever their number. */
import { countedTurns } from '../../support/counted-turns.ts';
import { everythingOf, level, makeFlows, request, schema, user } from '../../support/flow-control.ts';

const turns = countedTurns();

function slowSubject(name: string): object {
  return {
    kind: 'User',
    get user() {
      turns.step(0.02);
      return { name };
    },
  };
}

test('a turn looks at few subjects', async () => {
  const { configuration } = makeFlows();
  const schemas = Array.from({ length: 50 }, (_, i) => {
    const subjects = Array.from({ length: 1_000 }, (_, j) => slowSubject(`u-${String(i)}-${String(j)}`));
    return schema(`s-${String(i)}`, 'own', 100, everythingOf(...subjects));
  });
  await configuration.use({ levels: [level('own', 1)], schemas });
  // A slice, and the steps until the clock is looked at.
  expect(turns.most()).toBeLessThan(1_000);
  expect(configuration.flowOf(user('u-49-999'), request('GET /api/v1/pods')).name).toBe('s-49');
});

test('a turn compiles few rules of a schema', async () => {
  const { configuration } = makeFlows();
  const rules = Array.from({ length: 20_000 }, (_, i) => ({
    ...everythingOf({ kind: 'User', user: { name: `u-${String(i)}` } }),
    get nonResourceRules() {
      turns.step(0.02);
      return [];
    },
  }));
  const source = schema('s', 'own', 100, ...rules);
  await configuration.use({ levels: [level('own', 1)], schemas: [source] });
  expect(turns.most()).toBeGreaterThan(0);
  expect(turns.most()).toBeLessThan(1_000);
  expect(configuration.flowOf(user('u-19999'), request('GET /api/v1/pods')).name).toBe('s');
});

test('the groups of a user are not gone through for each group of a schema', async () => {
  const { configuration } = makeFlows();
  const named = (i: number): object => ({ kind: 'Group', group: { name: `g-${String(i)}` } });
  const subjects = Array.from({ length: 2_000 }, (_, i) => named(i));
  const schemas = [schema('s', 'own', 100, everythingOf(...subjects), everythingOf(named(3_000)))];
  await configuration.use({ levels: [level('own', 1)], schemas });
  let reads = 0;
  const names = [...Array.from({ length: 1_000 }, (_, i) => `other-${String(i)}`), 'g-3000'];
  const groups = new Proxy(names, {
    get: (target, key, receiver) => {
      reads += 1;
      return Reflect.get(target, key, receiver) as unknown;
    },
  });
  const flow = configuration.flowOf({ ...user('ann'), groups }, request('GET /api/v1/pods'));
  expect(flow.name).toBe('s');
  expect(reads).toBeLessThan(20 * names.length);
});
