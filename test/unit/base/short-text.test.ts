import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { cpuBudget, cpuMsOf } from '../../support/cpu-time.ts';
import { quoted, shortPath, shortText } from '../../../src/base/short-text.ts';

test('what is short stays as it is', () => {
  expect(shortText('abc', 3)).toBe('abc');
  expect(quoted('a"b')).toBe('"a\\"b"');
  expect(quoted({ a: [1] })).toBe('{"a":[1]}');
  expect(shortPath('spec.containers[0].image')).toBe('spec.containers[0].image');
});

test('what is long is cut, and no character is cut in two', () => {
  expect(shortText('abcd', 3)).toBe('abc…');
  expect(shortText('ab😀d', 3)).toBe('ab…');
  expect(quoted('x'.repeat(3_000_000))).toBe(`"${'x'.repeat(499)}…`);
  expect(quoted(['\u0000'.repeat(3_000)]).length).toBe(501);
});

test('a long path has its beginning and its end', () => {
  const path = shortPath(`spec.${'x'.repeat(5_000)}.image`);
  expect(path).toMatch(/^spec\.x+…x+\.image$/);
  expect(path.length).toBe(1_001);
});

describe('a value that is quoted', () => {
  const samples: readonly unknown[] = [
    null,
    true,
    -1.5,
    'a\u2028"\ud83d',
    [],
    {},
    [null, undefined, [1, 'x'], { a: undefined, b: { c: [] } }],
    JSON.parse('{"__proto__":{"a":1},"b":[{}]}'),
    { exact: JSON.rawJSON('12345678901234567890'), at: new Date(0) },
    { ['"'.repeat(400)]: '\n'.repeat(400), z: 1 },
    Array.from({ length: 1_000 }, (_, i) => ({ i })),
  ];

  test.each(samples.map((value) => [value]))('is the beginning of its JSON', (value) => {
    expect(quoted(value)).toBe(shortText(JSON.stringify(value)));
  });

  test('costs the same however large it is', () => {
    const list = Array.from({ length: 300_000 }, () => 'BestEffort');
    const deep = JSON.parse(`${'['.repeat(5_000)}${']'.repeat(5_000)}`) as unknown;
    quoted(list);
    expect(
      cpuMsOf(() => {
        for (let i = 0; i < 300; i += 1) for (const value of [list, deep, { list }, [list]]) quoted(value);
      }),
    ).toBeLessThan(cpuBudget(400));
  });

  test('keeps nothing alive but its own text', () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    const kept = Array.from({ length: 100 }, (_, i) => {
      const text = `${String(i)}${'x'.repeat(1_000_000)}`;
      return [quoted(text), quoted([text]), shortText(text), shortPath(text)];
    });
    collectGarbage();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(20_000_000);
    expect(kept).toHaveLength(100);
  });
});
