/** What holds for any configurations, and apply against an independent oracle that knows only flat paths. */
import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../../../src/base/json.ts';
import { deepCopy, deepEqual, isObject } from '../../../../src/base/json.ts';
import { compareObjects } from '../../../../src/patch/apply/compare.ts';
import { fieldsOf } from '../../../../src/patch/apply/fields-of.ts';
import { decodeFieldsV1 } from '../../../../src/patch/apply/fields-v1.ts';
import type { ManagedEntry } from '../../../../src/patch/apply/managed-entry.ts';
import {
  stripServerFields,
  stripServerFieldsOfPart,
} from '../../../../src/patch/apply/strip-server-fields.ts';
import { thing, World } from '../../../support/apply/world.ts';

const key = fc.constantFrom('a', 'b', 'c', '__proto__');
const text = fc.constantFrom('x', 'y');

function some(entries: Record<string, fc.Arbitrary<JsonValue>>): fc.Arbitrary<JsonObject> {
  return fc.record(entries, { requiredKeys: [], noNullPrototype: true });
}

function plainMap(values: fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonObject> {
  return fc.dictionary(key, values, {
    minKeys: 1,
    maxKeys: 3,
    noNullPrototype: true,
  });
}

const ports = fc.uniqueArray(
  fc.record(
    { port: fc.constantFrom(1, 2), protocol: fc.constantFrom('TCP', 'UDP') },
    { noNullPrototype: true },
  ),
  { minLength: 1, maxLength: 3, selector: (p) => `${String(p.port)}${p.protocol}` },
) as fc.Arbitrary<JsonValue>;

const containers = fc.uniqueArray(
  fc
    .tuple(
      fc.constantFrom('a', 'b', 'c'),
      some({ image: text, ports, args: fc.array(text, { minLength: 1, maxLength: 2 }) }),
    )
    .map(([name, rest]) => ({ name, ...rest })),
  { minLength: 1, maxLength: 3, selector: (c) => c.name },
) as fc.Arbitrary<JsonValue>;

const configs = some({
  metadata: some({
    labels: plainMap(text),
    finalizers: fc.uniqueArray(text, { minLength: 1, maxLength: 2 }),
  }).filter((meta) => Object.keys(meta).length > 0),
  replicas: fc.constantFrom(1, 2),
  text,
  containers,
  atomicMap: plainMap(text),
  rows: fc.array(fc.record({ name: text }, { noNullPrototype: true }), {
    minLength: 1,
    maxLength: 2,
  }),
  free: plainMap(fc.oneof(text, plainMap(text), fc.array(text, { maxLength: 2 }))),
});

/** Lists by key and sets in order, so that objects can be compared whatever the order of their items. */
function normal(value: JsonValue | undefined): JsonValue {
  if (Array.isArray(value)) {
    const items = value.map(normal);
    const named = items.every((item) => isObject(item) && ('port' in item || 'name' in item));
    return named || items.every((i) => i === 'x' || i === 'y')
      ? items.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
      : items;
  }
  if (!isObject(value)) return value ?? null;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, normal(value[name])]),
  );
}

function ownership(world: World): unknown {
  return world.managed.map(({ parts, set }) => [
    parts.manager,
    parts.operation,
    [...set.paths()].map(String),
  ]);
}

test('applying twice changes nothing', () => {
  fc.assert(
    fc.property(configs, configs, (base, config) => {
      const world = new World().update('u', base).apply('m', config, { force: true });
      const [object, owners, time] = [world.object, ownership(world), world.time('m')];
      world.apply('m', config);
      expect(world.object).toEqual(object);
      expect(ownership(world)).toEqual(owners);
      expect(world.time('m')).toBe(time);
    }),
  );
});

test('what was applied is what is there, and its manager owns exactly that', () => {
  fc.assert(
    fc.property(configs, configs, (base, config) => {
      const world = new World().update('u', base).apply('m', config, { force: true });
      const own = decodeFieldsV1(fieldsOf(config, thing));
      const after = compareObjects(stripServerFields(config), stripServerFields(world.object ?? {}), thing);
      expect(after.removed.isEmpty).toBe(true);
      expect(after.modified.isEmpty).toBe(true);
      expect(world.managed.find((e) => e.parts.manager === 'm')?.set.equals(own) ?? own.isEmpty).toBe(true);
    }),
  );
});

test('the order of appliers who do not meet does not matter', () => {
  fc.assert(
    fc.property(configs, configs, (left, right) => {
      const conflictFree = new World().apply('l', left).conflicts('r', right).length === 0;
      fc.pre(conflictFree);
      const one = new World().apply('l', left).apply('r', right);
      const two = new World().apply('r', right).apply('l', left);
      expect(normal(one.object)).toEqual(normal(two.object));
      expect(new Set(one.managed.map((e) => e.parts.manager))).toEqual(
        new Set(two.managed.map((e) => e.parts.manager)),
      );
    }),
  );
});

test('when all appliers leave, what others own remains', () => {
  fc.assert(
    fc.property(configs, configs, configs, (base, left, right) => {
      const world = new World()
        .update('u', base)
        .apply('l', left, { force: true })
        .apply('r', right, { force: true });
      const owner = world.managed.find((e) => e.parts.manager === 'u');
      const before = compareObjects({}, stripServerFieldsOfPart(world.object ?? {}), thing).added;
      world.apply('l', {}).apply('r', {});
      expect(world.managers.every((manager) => manager === 'u Update')).toBe(true);
      const owned = [...(owner?.set.paths() ?? [])].filter(
        (path) => before.below(path).isEmpty && !isInForeignItem(path, owner),
      );
      const present = compareObjects({}, stripServerFieldsOfPart(world.object ?? {}), thing).added;
      for (const path of owned) expect([path, present.has(path)]).toEqual([path, true]);
      expect(present.leaves().size).toBeLessThanOrEqual(Math.max(owner?.set.leaves().size ?? 0, 1));
    }),
  );
});

/** Items, and keys of maps and free values, go with all they hold when their last owner leaves. */
function isInForeignItem(path: readonly string[], owner: ManagedEntry | undefined): boolean {
  return path.some((step, index) => {
    const isItem = step.startsWith('k:') || (index > 0 && path[0] === 'f:free');
    return isItem && owner?.set.has(path.slice(0, index + 1)) !== true;
  });
}

test('the result with filled zero values is the same', () => {
  const writes = fc.array(fc.tuple(fc.constantFrom('l', 'r', 'u'), configs), { maxLength: 6 });
  fc.assert(
    fc.property(writes, (list) => {
      const [told, looking] = [true, false].map((isFilled) => {
        const world = new World(undefined, isFilled);
        for (const [manager, config] of list) {
          if (manager === 'u') world.update('u', { ...(world.object ?? {}), ...config });
          else world.apply(manager, config, { force: true });
        }
        return JSON.stringify([world.object, ownership(world)]);
      });
      expect(told).toBe(looking);
    }),
  );
});

test('missing fields have no owner', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom('l', 'r', 'u'), configs), { maxLength: 6 }), (writes) => {
      const world = new World();
      for (const [manager, config] of writes) {
        if (manager === 'u') world.update('u', { ...(world.object ?? {}), ...config });
        else world.apply(manager, config, { force: true });
      }
      const present = compareObjects({}, stripServerFields(world.object ?? {}), thing).added;
      for (const { set } of world.managed) expect(set.difference(present).isEmpty).toBe(true);
    }),
  );
});

/** The oracle: a flat map with scalar leaves; every rule is one line of set arithmetic. */
class Oracle {
  values = new Map<string, string>();
  owners = new Map<string, Set<string>>();

  apply(manager: string, config: Record<string, string>, force: boolean): string[] {
    const conflicts: string[] = [];
    for (const [name, value] of Object.entries(config)) {
      const others = [...(this.owners.get(name) ?? [])].filter((o) => o !== manager);
      if (this.values.get(name) !== value) conflicts.push(...others.map((o) => `${name} ${o}`));
    }
    if (conflicts.length > 0 && !force) return conflicts.sort();
    for (const [name, owners] of this.owners) {
      if (name in config || !owners.delete(manager)) continue;
      if (owners.size === 0) this.drop(name);
    }
    for (const [name, value] of Object.entries(config)) {
      if (this.values.get(name) !== value) this.owners.set(name, new Set());
      this.values.set(name, value);
      this.owners.set(name, (this.owners.get(name) ?? new Set()).add(manager));
    }
    return [];
  }

  update(manager: string, next: Record<string, string>): void {
    for (const name of [...this.values.keys()]) if (!(name in next)) this.drop(name);
    for (const [name, value] of Object.entries(next)) {
      if (this.values.get(name) === value) continue;
      this.values.set(name, value);
      this.owners.set(name, new Set([manager]));
    }
  }

  private drop(name: string): void {
    this.values.delete(name);
    this.owners.delete(name);
  }
}

const flat = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), text, { noNullPrototype: true });
const steps = fc.array(
  fc.record({
    manager: fc.constantFrom('m', 'n', 'o'),
    isApply: fc.boolean(),
    force: fc.boolean(),
    value: flat,
  }),
  { maxLength: 12 },
);

test('agrees with an independent oracle on labels', () => {
  fc.assert(
    fc.property(steps, (list) => {
      const world = new World();
      const oracle = new Oracle();
      for (const { manager, isApply, force, value } of list) {
        const config = { metadata: { labels: deepCopy(value) } };
        // Appliers and updaters of one name are different managers.
        if (!isApply) {
          world.update(manager, config);
          oracle.update(`${manager} Update`, value);
        } else {
          const expected = oracle.apply(`${manager} Apply`, value, force);
          if (force) world.apply(manager, config, { force });
          else expect(world.conflicts(manager, config)).toHaveLength(expected.length);
        }
        const labels = (world.object?.['metadata'] as JsonObject | undefined)?.['labels'] ?? {};
        expect(deepEqual(labels, Object.fromEntries(oracle.values))).toBe(true);
        expect(ownersOf(world)).toEqual(
          new Map([...oracle.owners].map(([name, owners]) => [name, [...owners].sort()])),
        );
      }
    }),
    { numRuns: 300 },
  );
});

function ownersOf(world: World): Map<string, string[]> {
  const owners = new Map<string, string[]>();
  for (const { parts, set } of world.managed) {
    for (const path of set.paths()) {
      if (path.length !== 3) continue;
      const name = (path[2] ?? '').slice(2);
      owners.set(name, [...(owners.get(name) ?? []), `${parts.manager} ${parts.operation}`].sort());
    }
  }
  return owners;
}
