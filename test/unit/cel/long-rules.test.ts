/** Rules that hold the thread for long: definitions and objects of their kind are judged where large writes are carried out. */
import { loadCatalogueSchemas } from '../../../src/api/schemas.ts';
import { versionsErrors } from '../../../src/api/apiextensions/definition-version-rules.ts';
import type { JSONSchemaProps } from '../../../src/api/apiextensions/v1.types.ts';
import type { ApiContext } from '../../../src/api/types.ts';
import { CustomVersion } from '../../../src/extension/custom-resources/custom-version.ts';
import { GrownWrite } from '../../../src/meta/grown-write.ts';
import { FieldPath } from '../../../src/meta/field-path.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { asApiObject } from '../../../src/meta/object.ts';
import { object, objectErrors, ruled } from './support/schema.ts';

const naming = namingProfiles.orch;
const metadata = loadCatalogueSchemas(naming).get('meta/v1.ObjectMeta');
const move = (): never => {
  throw new GrownWrite();
};

/** A clock by which each look takes so many milliseconds. */
function ticking(ms: number): () => number {
  let now = 0;
  return () => (now += ms);
}

const schema = object({ a: { type: 'integer' } });

test('an object whose rules take long moves where it may, and is judged to its end where not', () => {
  const many = ruled(schema, ...Array.from({ length: 20 }, () => 'self.a < 1'));
  const judged = { a: 1 };
  expect(() => objectErrors(many, judged, { limits: { time: ticking(0.5), onLong: move } })).toThrow(
    GrownWrite,
  );
  expect(objectErrors(many, judged, { limits: { time: ticking(0.5) } })).toHaveLength(20);
  expect(objectErrors(many, judged, { limits: { time: ticking(0.01), onLong: move } })).toHaveLength(20);
});

test('one that is cut moves first', () => {
  const list = object({ l: { type: 'array', items: { type: 'integer' } } });
  const nested = ruled(list, 'self.l.all(a, self.l.all(b, a + b >= 0))');
  const judged = { l: Array.from({ length: 500 }, (_, i) => i) };
  expect(() => objectErrors(nested, judged, { limits: { time: ticking(4), onLong: move } })).toThrow(
    GrownWrite,
  );
});

test('rules of many characters are not compiled before the write has moved', () => {
  const judge = (count: number, context: Partial<ApiContext>): number => {
    const rules = Array.from({ length: count }, (_, i) => `self.a != ${String(i)}`);
    const version = new CustomVersion({
      ...{ prefix: naming.extensionPrefix, metadata, isFree: false, release: { major: 1, minor: 36 } },
      version: {
        name: 'v1',
        schema: { openAPIV3Schema: object({ spec: ruled(schema, ...rules) }) as JSONSchemaProps },
      },
    });
    const cup = { kind: 'Cup', apiVersion: 'example.com/v1', metadata: { name: 'a' }, spec: { a: 1 } };
    return version.validate(asApiObject(cup), { context: context as ApiContext }).length;
  };
  expect(() => judge(100, { noteLongWork: move })).toThrow(GrownWrite);
  expect(judge(100, {})).toBe(1);
  expect(judge(5, { noteLongWork: move })).toBe(1);
});

test('a definition of many rules moves before they are read', () => {
  const errorsOf = (count: number, noteLongWork: ApiContext['noteLongWork']): number => {
    const rules = Array.from({ length: count }, (_, i) => `self.b != ${String(i)}`);
    const openAPIV3Schema = object({ spec: ruled(schema, ...rules) }) as JSONSchemaProps;
    return versionsErrors(
      [{ name: 'v1', storage: true, schema: { openAPIV3Schema } }],
      FieldPath.of('versions'),
      {
        ...{
          prefix: naming.extensionPrefix,
          preserves: false,
          mayDefault: true,
          versionsBefore: 0,
          columnsBefore: 0,
        },
        ...{ ruleRelease: 36, selectsByFields: true, knownExpressions: new Set<string>(), noteLongWork },
      },
    ).length;
  };
  expect(() => errorsOf(100, move)).toThrow(GrownWrite);
  expect(errorsOf(100, undefined)).toBe(100);
  expect(errorsOf(5, move)).toBe(5);
});
