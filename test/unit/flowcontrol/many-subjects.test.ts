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
