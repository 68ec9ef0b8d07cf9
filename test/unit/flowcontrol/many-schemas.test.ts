/** Thousands of flow schemas and priority levels: found by their subjects, and put into effect in slices. */
import fc from 'fast-check';
import type { FlowSources } from '../../../src/flowcontrol/flow-configuration.ts';
import type { SchemaSource } from '../../../src/flowcontrol/flow-objects.ts';
import { matchesSubject, subjectUser } from '../../../src/flowcontrol/match-subjects.ts';
import type { UserInfo } from '../../../src/meta/user.ts';
import { cpuBudget, cpuMsOf, leastOfThree } from '../../support/cpu-time.ts';
import {
  everythingOf,
  level,
  makeFlows,
  request,
  schema,
  user,
  userSubject,
} from '../../support/flow-control.ts';
import { turnsOf } from '../../support/turns.ts';

const info = request('GET /api/v1/pods');
const names = ['ann', 'bob', '*', 'devs', 'system:serviceaccount:web:robot'];
const homes = ['web', 'web:robot', ''];

const subject = fc.oneof(
  fc.constantFrom(...names).map(userSubject),
  fc.constantFrom(...names).map((name) => ({ kind: 'Group', group: { name } })),
  fc
    .tuple(fc.constantFrom(...homes), fc.constantFrom('robot', '*', 'ann'))
    .map(([namespace, name]) => ({ kind: 'ServiceAccount', serviceAccount: { namespace, name } })),
  fc.constantFrom({ kind: 'User' }, { kind: 'Other' }, { kind: 'ServiceAccount', serviceAccount: {} }),
);

const person = fc
  .record({
    name: fc.constantFrom(
      ...names,
      ...['', 'system:serviceaccount:web:', 'system:serviceaccount::robot', 'system:serviceaccount:web'],
      ...['system:serviceaccount:web:ann', 'system:serviceaccount:web:robot:ann'],
    ),
    groups: fc.subarray(names),
  })
  .map(({ name, groups }): UserInfo => ({ name, groups, uid: '', extra: {} }));

const rules = fc.array(
  fc
    .record({ subjects: fc.array(subject, { maxLength: 3 }), isAll: fc.boolean() })
    .map(({ subjects, isAll }) => (isAll ? everythingOf(...subjects) : { subjects })),
  { maxLength: 3 },
);

const schemas = fc
  .array(fc.record({ precedence: fc.integer({ min: 1, max: 4 }), rules, isHome: fc.boolean() }), {
    maxLength: 8,
  })
  .map((all) =>
    all.map(({ precedence, isHome, rules: own }, i) =>
      schema(`s${String(i)}`, isHome ? 'own' : 'none', precedence, ...own),
    ),
  );

/** The first that is about the user and everything, by precedence, then by name. */
function plainScan(all: readonly SchemaSource[], who: UserInfo): string {
  const found = all
    .filter(({ spec }) => spec.priorityLevelConfiguration?.name === 'own')
    .toSorted((a, b) => (a.spec.matchingPrecedence ?? 0) - (b.spec.matchingPrecedence ?? 0))
    .find(({ spec }) =>
      spec.rules?.some((rule) => rule.resourceRules && matchesSubject(rule.subjects ?? [], subjectUser(who))),
    );
  return found?.name ?? 'catch-all';
}

test('a user has the schema that a look at all of them finds, after every change', async () => {
  const { configuration } = makeFlows();
  await fc.assert(
    fc.asyncProperty(schemas, fc.array(person, { minLength: 1, maxLength: 6 }), async (all, people) => {
      await configuration.use({ levels: [level('own', 1)], schemas: all });
      for (const who of people) expect(configuration.flowOf(who, info).name).toBe(plainScan(all, who));
    }),
    { numRuns: 500 },
  );
});

function many(count: number): FlowSources {
  const each = <T>(make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
  const queuing = { queues: 8, handSize: 2, queueLengthLimit: 5 };
  return {
    levels: each((i) => level(`l-${String(i)}`, 10, queuing)),
    schemas: each((i) => {
      const group = { kind: 'Group', group: { name: `g-${String(i)}` } };
      const rule = everythingOf(userSubject(`u-${String(i)}`), group);
      return schema(`s-${String(i)}`, `l-${String(i)}`, 100 + (i % 50), rule);
    }),
  };
}

test('ten thousand come, change and go in short turns, and lend seats so', async () => {
  const { configuration, clock } = makeFlows(600, undefined, true);
  const sources = many(10_000);
  const changed = { ...sources, schemas: [schema('s-0', 'l-1', 1), ...sources.schemas.slice(1)] };
  const works = [
    () => configuration.use(sources),
    () => configuration.use(changed),
    () => configuration.adjust(),
    () => configuration.use({ levels: [], schemas: [] }),
  ];
  for (const work of works) {
    // Each level has time to note.
    clock.time += 1_000;
    const turns = await turnsOf(work);
    expect(turns.length).toBeGreaterThan(2);
    // The longest ones may have a garbage collection in them.
    expect(turns[Math.floor(turns.length / 2)]).toBeLessThan(cpuBudget(10));
  }
});

test('a new user looks at the schemas that may be about it', async () => {
  const { configuration } = makeFlows();
  await configuration.use(many(10_000));
  const tookMs = await leastOfThree(() => {
    const ms = cpuMsOf(() => {
      for (let i = 0; i < 100; i += 1) {
        expect(configuration.flowOf(user(`x-${String(i)}`, `g-${String(i)}`), info).name).toBe(
          `s-${String(i)}`,
        );
        configuration.flowOf(user(`x-${String(i)}`), info);
      }
    });
    return Promise.resolve(ms);
  });
  // A look at all of them took 150 ms and more.
  expect(tookMs).toBeLessThan(cpuBudget(60));
});

test('a schema that did not change is the same flow; one whose level comes again is not', async () => {
  const { configuration } = makeFlows();
  const [own, other] = [userSubject('ann'), userSubject('bob')].map((one) => everythingOf(one));
  const all = [schema('own', 'own', 5, own!), schema('other', 'other', 5, other!)];
  const levels = [level('own', 1), level('other', 1)];
  const flowOf = (name: string) => configuration.flowOf(user(name), info);
  await configuration.use({ levels, schemas: all });
  const before = [flowOf('ann'), flowOf('bob')];
  const changed = { ...all[1]!, uid: 'another' };
  await configuration.use({ levels: [{ ...levels[0]! }, levels[1]!], schemas: [all[0]!, changed] });
  expect(flowOf('ann')).toBe(before[0]);
  expect(flowOf('bob')).not.toBe(before[1]);
  await configuration.use({ levels: [{ ...levels[0]!, uid: 'another' }], schemas: all });
  expect(flowOf('ann').headers).toContain('another');
  expect(flowOf('bob').name).toBe('catch-all');
});

test('levels and schemas that nobody used are a few numbers in the metrics', async () => {
  const { configuration, metrics, clock } = makeFlows(600, undefined, true);
  const linesOf = async (): Promise<readonly string[]> => (await metrics.text()).split('\n');
  clock.time += 50;
  const before = (await linesOf()).length;
  const queuing = { queues: 8, handSize: 2, queueLengthLimit: 50 };
  const count = 1_000;
  const all = Array.from({ length: count }, (_, i) => String(i));
  await configuration.use({
    levels: all.map((i) => level(`level-${i}`, 1, queuing)),
    schemas: all.map((i) => schema(`schema-${i}`, `level-${i}`, 500, everythingOf(userSubject(`user-${i}`)))),
  });
  clock.time += 10_000;
  await configuration.adjust();
  clock.time += 10_000;
  // Its limits and what it needs: dashboards tell by zeros that it needs nothing.
  expect((await linesOf()).length - before).toBeLessThan(count * 11);

  const flow = configuration.flowOf(user('user-7'), info);
  const seat = flow.seat('readOnly');
  expect(flow.level.enter(seat)).toBe(true);
  clock.time += 500;
  flow.level.leave(seat);
  const used = (await linesOf()).filter((line) => line.includes('"level-7"'));
  const share = 'apiserver_flowcontrol_priority_level_request_count_samples';
  // Since the level is there.
  expect(used).toContain(`${share}_count{phase="executing",priority_level="level-7"} 20500`);
  expect(used).toContain(`${share}_bucket{phase="executing",priority_level="level-7",le="0"} 20000`);
  expect(used.filter((line) => line.includes('request_execution_seconds_count'))).toHaveLength(1);
});

test('a request that ends when its schema is gone lists no figures of it', async () => {
  const { configuration, metrics } = makeFlows();
  const rule = everythingOf(userSubject('ann'));
  await configuration.use({ levels: [level('own', 1)], schemas: [schema('mine', 'own', 500, rule)] });
  const flow = configuration.flowOf(user('ann'), info);
  const seat = flow.seat('readOnly');
  expect(flow.level.enter(seat)).toBe(true);
  expect(await metrics.text()).toContain('flow_schema="mine"');
  await configuration.use({ levels: [], schemas: [] });
  flow.level.leave(seat);
  expect(await metrics.text()).not.toContain('flow_schema="mine"');
});
