import fc from 'fast-check';
import { LazyMap, namesOf } from '../../../src/base/lazy-map.ts';

test('values are made once, when somebody asks for them', () => {
  const made: string[] = [];
  const map = new LazyMap(namesOf({ a: 1, b: 2, c: 3 }), (name) => {
    made.push(name);
    return name.toUpperCase();
  });
  expect([map.size, map.has('b'), map.has('x'), [...map.keys()]]).toEqual([3, true, false, ['a', 'b', 'c']]);
  expect(made).toEqual([]);
  expect([map.get('c'), map.get('x'), map.get('c')]).toEqual(['C', undefined, 'C']);
  expect(made).toEqual(['c']);
  expect([...map]).toEqual([
    ['a', 'A'],
    ['b', 'B'],
    ['c', 'C'],
  ]);
  expect([...map.values()]).toEqual(['A', 'B', 'C']);
  expect(made).toEqual(['c', 'a', 'b']);
});

test('names that objects have by nature are none', () => {
  const map = new LazyMap(namesOf(JSON.parse('{"__proto__":1}') as object), () => 1);
  expect([map.has('constructor'), map.get('toString'), map.get('__proto__')]).toEqual([false, undefined, 1]);
});

test('it is as the map that has all from the beginning', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.nat()), fc.array(fc.string()), (object, asked) => {
      const eager = new Map(Object.entries(object));
      const lazy = new LazyMap(namesOf(object), (name) => object[name]);
      for (const name of asked) expect(lazy.get(name)).toBe(eager.get(name));
      expect([...lazy]).toEqual([...eager]);
      const seen: unknown[] = [];
      lazy.forEach((value, name) => seen.push([name, value]));
      expect(seen).toEqual([...eager]);
      expect(lazy.size).toBe(eager.size);
    }),
  );
});
