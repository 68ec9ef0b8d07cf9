import { parseJsonPath } from '../../../src/base/json-path.ts';
import type { JsonValue } from '../../../src/base/json.ts';
import { cpuBudget, cpuMsOf } from '../../support/cpu-time.ts';

const object: JsonValue = {
  spec: { replicas: 3, 'a.b': 'dotted', list: [1, 2, 3, 4], nested: { name: 'inner' } },
  status: {
    conditions: [
      { type: 'Synced', status: 'False', age: 5 },
      { type: 'Ready', status: 'True', age: 7 },
    ],
  },
};

test.each<[string, JsonValue[]]>([
  ['.spec.replicas', [3]],
  ['{.spec.replicas}', [3]],
  ['$.spec.replicas', [3]],
  ['.spec.missing.deeper', []],
  ["['spec']['a.b']", ['dotted']],
  ['.spec.a\\.b', ['dotted']],
  ['.spec.list[0]', [1]],
  ['.spec.list[-1]', [4]],
  ['.spec.list[1:3]', [2, 3]],
  ['.spec.list[::2]', [1, 3]],
  ['.spec.list[1::2]', [2, 4]],
  ['.spec.list[-3:-1:2]', [2]],
  ['.spec.list[0,2]', [1, 3]],
  ['.spec.list[*]', [1, 2, 3, 4]],
  ['.status.conditions[?(@.type=="Ready")].status', ['True']],
  [".status.conditions[?(@.type == 'Ready')].status", ['True']],
  ['.status.conditions[?(@.age>5)].type', ['Ready']],
  ['.status.conditions[?(@.missing)].type', []],
  ['.status.conditions[?(@.type!="Ready")].type', ['Synced']],
  ['..name', ['inner']],
  ['.status.conditions[*].type', ['Synced', 'Ready']],
])('%s', (path, expected) => {
  expect(parseJsonPath(path)(object)).toEqual(expected);
});

test.each(['.spec[', '.spec..', '.a[?(@.x==', ".a['b", '.a[x]', '.a b', '.a[1:2:3:4]'])(
  '%s is no path',
  (path) => {
    expect(() => parseJsonPath(path)).toThrow(/at position/);
  },
);

test('names of the prototype lead nowhere', () => {
  expect(parseJsonPath('.constructor')({})).toEqual([]);
});

test('a path that multiplies what it finds comes to an end', () => {
  const wide: JsonValue = Array.from({ length: 2_000 }, () => ({ a: [1, 2, 3] }));
  const took = cpuMsOf(() => {
    expect(parseJsonPath('..*..*..*')(wide).length).toBeGreaterThan(0);
  });
  expect(took).toBeLessThan(cpuBudget(1_000));
});

test('filters within filters come to an end', () => {
  let deep: JsonValue = 1;
  for (let i = 0; i < 400; i++) deep = { a: deep };
  const took = cpuMsOf(() => {
    expect(parseJsonPath('..[?(@..[?(@..[?(@..x==1)])])]')(deep)).toEqual([]);
  });
  expect(took).toBeLessThan(cpuBudget(1_000));
});

const long = 'x'.repeat(120_000);
const everything = Array(2_000).fill('*').join(',');
const same = Array(20_000).fill('0').join(',');

test.each<[string, string, JsonValue]>([
  ['alternatives of all children', `.list[${everything}]`, { list: Array(20_000).fill(1) }],
  ['alternatives within a filter', `.list[?(@[${everything}]==2)]`, { list: [Array(20_000).fill([1])] }],
  ['a filter of one large list, found again and again', `[${same}][?(1==2)]`, [Array(50_000).fill(1)]],
  ['a stride over it', `[${same}][0::999999]`, [Array(50_000).fill(1)]],
  ['long equal texts', `[${same}]${'[?(@.a==@.b)]'.repeat(8)}`, [{ a: `${long}y`, b: `${long}y` }]],
])('%s: looking at the values is bounded', (_what, path, root) => {
  const find = parseJsonPath(path);
  let found: readonly JsonValue[] = [];
  const took = cpuMsOf(() => {
    found = find(root);
  });
  expect(found.length).toBeLessThanOrEqual(30_000);
  expect(took).toBeLessThan(cpuBudget(100));
});
