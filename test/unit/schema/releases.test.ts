import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { loadCatalogueSchemas } from '../../../src/api/schemas.ts';
import { deepCopy, type JsonObject } from '../../../src/base/json.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { dropGatedFields } from '../../../src/schema/gated-fields.ts';
import { loadSchemas, type SchemaSet } from '../../../src/schema/load-proto.ts';
import { keepOtherReleases, withoutOtherReleases } from '../../../src/schema/other-releases.ts';
import { schemaRelease } from '../../../src/schema/schema-release.ts';
import { applyStaticDefaults } from '../../../src/schema/static-defaults.ts';
import { checkStructure } from '../../../src/schema/structure.ts';
import { arbitraryObject } from '../../support/arbitrary-object.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';

const proto = `syntax = "proto2";

package x.v1;

message A {
  optional string old = 1;
  optional string gone = 2 [(until) = "1.25"];
  optional string new = 3 [(since) = "1.25", (gate) = "New", (pointer) = true];
  optional string mode = 4 [(values) = "On, Off, Auto since 1.26", (defaults) = "Off", (defaults_if) = "since 1.26"];
  repeated string set = 5 [(list) = "set since 1.24"];
  optional Former shape = 6 [(pointer) = true, (retyped) = "Later since 1.23"];
  repeated Item items = 7 [(patch) = "merge by name"];
  repeated Item places = 8;
  map<string, Item> byName = 9;
}

message Former {
  optional string kept = 1;
}

message Item {
  optional string name = 1;
  optional string extra = 2 [(since) = "1.25"];
}

message Later {
  optional string kept = 1;
  optional string added = 2;
}

message Newest {
  option (since) = "1.30";

  optional string only = 1;
}
`;

let folder: TempFolder;
let path: string;

beforeAll(async () => {
  folder = await makeTempFolder('releases');
  path = join(folder.path, 'v1.proto');
  writeFileSync(path, proto);
});

afterAll(() => folder.remove());

function at(minor: number): SchemaSet {
  return loadSchemas([path], namingProfiles.orch, schemaRelease(minor));
}

describe('a release', () => {
  test('has the fields from their first release to their last', () => {
    const names = (minor: number): string[] => [...at(minor).get('x/v1.A').fields.keys()].slice(0, 2);
    expect(names(24)).toEqual(['old', 'gone']);
    expect(names(25)).toEqual(['old', 'new']);
    expect([...(at(24).get('x/v1.A').otherReleases ?? [])]).toEqual(['new']);
    expect([...(at(25).get('x/v1.A').otherReleases ?? [])]).toEqual(['gone']);
  });

  test('has its values, defaults, list rules and messages', () => {
    const mode = (minor: number) => at(minor).get('x/v1.A').fields.get('mode');
    expect(mode(25)).toMatchObject({ enumValues: ['On', 'Off'], defaultValue: undefined });
    expect(mode(26)).toMatchObject({
      enumValues: ['On', 'Off', 'Auto'],
      defaultValue: 'Off',
      defaultCondition: '',
    });
    const list = (minor: number) => at(minor).get('x/v1.A').fields.get('set')?.schema;
    expect(list(23)).toMatchObject({ listType: 'atomic' });
    expect(list(24)).toMatchObject({ listType: 'set' });
    expect(at(29).names()).not.toContain('x/v1.Newest');
    expect(at(30).names()).toContain('x/v1.Newest');
  });

  test('a field has another message in later ones', () => {
    const shape = (minor: number) => at(minor).get('x/v1.A').fields.get('shape')?.schema;
    expect(shape(22)).toMatchObject({ name: 'x/v1.Former', otherReleases: new Set(['added']) });
    expect(shape(23)).toMatchObject({ name: 'x/v1.Later' });
  });

  test('defaults of later releases are not set', () => {
    const defaulted = (minor: number): JsonObject => {
      const object: JsonObject = {};
      applyStaticDefaults(at(minor).get('x/v1.A'), object);
      return object;
    };
    expect([defaulted(25), defaulted(26)]).toEqual([{}, { mode: 'Off' }]);
  });

  test('a file of a later release has no types', async () => {
    const other = await makeTempFolder('releases');
    try {
      const file = join(other.path, 'v2.proto');
      writeFileSync(file, '// Since 1.30.\nsyntax = "proto2";\npackage x.v2;\nmessage B {\n}\n');
      const names = (minor: number) => loadSchemas([file], namingProfiles.orch, schemaRelease(minor)).names();
      expect([names(29), names(30)]).toEqual([[], ['x/v2.B']]);
    } finally {
      await other.remove();
    }
  });
});

describe('fields of other releases in stored objects', () => {
  const stored: JsonObject = {
    old: 'a',
    new: 'b',
    items: [
      { name: 'one', extra: 'x' },
      { name: 'two', extra: 'y' },
    ],
    places: [{ name: 'p' }, { name: 'q', extra: 'z' }],
    byName: { ['__proto__']: { name: 'r', extra: 'w' } },
  };

  test('are not shown to writes', () => {
    const schema = at(24).get('x/v1.A');
    const copy = deepCopy(stored);
    expect(withoutOtherReleases(schema, stored)).toMatchObject({
      old: 'a',
      items: [{ name: 'one' }, { name: 'two' }],
      places: [{ name: 'p' }, { name: 'q' }],
    });
    expect(JSON.stringify(withoutOtherReleases(schema, stored))).not.toContain('extra');
    expect(stored).toEqual(copy);
    const plain = { old: 'a' };
    expect(withoutOtherReleases(schema, plain)).toBe(plain);
  });

  test('stay with the items that they belong to', () => {
    const schema = at(24).get('x/v1.A');
    const next: JsonObject = {
      old: 'changed',
      items: [{ name: 'new' }, { name: 'two' }],
      places: [{ name: 'p' }, { name: 'other' }],
    };
    keepOtherReleases(schema, next, stored);
    expect(next).toEqual({
      old: 'changed',
      new: 'b',
      items: [{ name: 'new' }, { name: 'two', extra: 'y' }],
      places: [{ name: 'p' }, { name: 'other' }],
    });
  });

  const newest = loadCatalogueSchemas(namingProfiles.orch, 36);
  const specified = loadCatalogueSchemas(namingProfiles.orch);

  test.each([
    'core/v1.PodSpec',
    'core/v1.Service',
    'batch/v1.JobSpec',
    'apps/v1.StatefulSet',
    'core/v1.PersistentVolumeClaim',
  ])('%s: what an older release writes back without a change loses nothing', (name) => {
    fc.assert(
      fc.property(arbitraryObject(newest.get(name), 3), (object) => {
        const before = checkStructure(newest.get(name), object).value;
        const known = withoutOtherReleases(specified.get(name), before);
        const decoded = checkStructure(specified.get(name), known);
        expect(decoded.unknown).toEqual([]);
        const next = decoded.value;
        keepOtherReleases(specified.get(name), next, before);
        expect(next).toEqual(before);
      }),
      { numRuns: 150 },
    );
  });
});

describe('a field whose gate is off', () => {
  const off = (): boolean => false;

  test('is left out of writes', () => {
    const object: JsonObject = { old: 'a', new: 'b' };
    dropGatedFields(at(25).get('x/v1.A'), object, off);
    expect(object).toEqual({ old: 'a' });
  });

  test('stays where the object has it already, and while the gate is on', () => {
    const object: JsonObject = { new: 'c' };
    dropGatedFields(at(25).get('x/v1.A'), object, off, { new: 'b' });
    dropGatedFields(at(25).get('x/v1.A'), object, (gate) => gate === 'New');
    expect(object).toEqual({ new: 'c' });
  });
});
