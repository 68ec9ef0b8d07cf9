/** What rules add to a write. */
import type { MaybePromise } from '../../../src/base/maybe-promise.ts';
import type { FieldError } from '../../../src/meta/field-error.ts';
import { FieldPath } from '../../../src/meta/field-path.ts';
import { validateRules } from '../../../src/cel/schema/validate-rules.ts';
import { cpuBudget, cpuMsOf } from '../../support/cpu-time.ts';
import { object, ruled, treeOf } from './support/schema.ts';

const integer = { type: 'integer' };
const text = { type: 'string', maxLength: 63 };

/** Ten rules as definitions of today have them. */
const schema = object({
  spec: ruled(
    object({
      replicas: ruled(integer, 'self >= 0', 'self == oldSelf || self < 100'),
      mode: text,
      hosts: { type: 'array', maxItems: 16, items: ruled(text, "self.matches('^[a-z0-9.-]+$')") },
      ports: {
        ...{
          type: 'array',
          maxItems: 16,
          items: object({ name: text, port: integer }, { required: ['name'] }),
        },
        ...{ 'x-orch-list-type': 'map', 'x-orch-list-map-keys': ['name'] },
      },
      min: integer,
      max: integer,
      window: { type: 'string', format: 'duration' },
    }),
    '!has(self.min) || !has(self.max) || self.min <= self.max',
    "self.mode in ['fast', 'safe', 'off']",
    'self.ports.all(p, p.port > 0 && p.port < 65536)',
    'self.ports.all(p, self.ports.exists_one(q, q.port == p.port))',
    "self.mode == 'off' ? self.replicas == 0 : self.replicas > 0",
    "duration('1m') <= self.window && self.window <= duration('24h')",
    { rule: 'self.hosts.size() > 0', messageExpression: "'no host for ' + self.mode" },
  ),
});

const value = {
  spec: {
    ...{ replicas: 3, mode: 'fast', hosts: ['a.example.com', 'b.example.com'], min: 1, max: 5, window: '1h' },
    ports: [
      { name: 'http', port: 80 },
      { name: 'https', port: 443 },
    ],
  },
};

test('ten rules cost a write less than 100 microseconds', async () => {
  const tree = treeOf(schema);
  if (!tree) throw new Error('no rules');
  const before = structuredClone(value);
  const judge = (): MaybePromise<FieldError[]> =>
    validateRules(tree, value, { path: FieldPath.of(''), before });
  // Until they are compiled and optimized, rules may take more than a slice.
  for (let round = 0; round < 2_000; round += 1) expect(await judge()).toEqual([]);
  const rounds = 1_000;
  const perWrite =
    cpuMsOf(() => {
      for (let round = 0; round < rounds; round += 1) void judge();
    }) / rounds;
  expect(perWrite).toBeLessThan(cpuBudget(0.1));
});
