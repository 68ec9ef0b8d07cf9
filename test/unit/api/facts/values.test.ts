/** Values and defaults of fields: as the facts have them in 1.21 and 1.36, and changed once at most in between. */
import { loadCatalogueSchemas } from '../../../../src/api/schemas.ts';
import type { SchemaSet } from '../../../../src/schema/load-proto.ts';
import type { Field } from '../../../../src/schema/types.ts';
import { defaultExceptions, enumExceptions } from '../../../support/facts/exceptions.ts';
import {
  factsIn,
  factsOf,
  minorOf,
  minors,
  naming,
  needless,
  newest,
  oldest,
  schemaName,
  switches,
  unexplained,
  type Fact,
} from '../../../support/facts/facts.ts';

const typesAt = (minor: number): SchemaSet => loadCatalogueSchemas(naming, minor);
const ends = [
  [oldest, 'old'],
  [newest, 'new'],
] as const;

/** `spec.template.spec.restartPolicy` of a type. */
function fieldAt(types: SchemaSet, type: string, path: string): Field | undefined {
  const [name = '', ...rest] = path.split('.');
  const struct = types.find(type);
  const field = struct?.type === 'struct' ? struct.fields.get(name) : undefined;
  if (rest.length === 0 || !field) return field;
  const inner = field.schema.type === 'list' ? field.schema.items : field.schema;
  return inner.type === 'struct' ? fieldAt(types, inner.name, rest.join('.')) : undefined;
}

function valuesOf({ enumValues }: Field): string {
  return [...enumValues]
    .map((value) => (value === '' ? '""' : value))
    .sort()
    .join(',');
}

function isSubset(some: string, all: string): boolean {
  return all === '' || new Set(some.split(',')).isSubsetOf(new Set(all.split(',')));
}

function differingEnums(minor: number, release: 'old' | 'new'): string[] {
  const types = typesAt(minor);
  return factsIn('enums', release).flatMap(({ type = '', field = '', values = '', closed }) => {
    const name = `${schemaName(type)}.${field}`;
    const found = fieldAt(types, schemaName(type), field);
    if (!found) return [`${name} is no field`];
    const expected = values.split(',').sort().join(',');
    const own = valuesOf(found);
    // What a kind allows of the values of a type that others embed, too, is a rule of code.
    if (field.includes('.') && isSubset(expected, own)) return [];
    if (own !== expected) return [`${name} has ${expected}, here ${own}`];
    return String(found.enumClosed) === closed ? [] : [`${name} closed ${closed ?? ''}`];
  });
}

test.each(ends)('values of fields in 1.%i', (minor, release) => {
  expect(unexplained(differingEnums(minor, release), enumExceptions)).toEqual([]);
});

test('values that came in between came when the facts say', () => {
  const wrong = factsOf('enum-changes').flatMap(({ type = '', field = '', change = '', since = '' }) => {
    const value = change.replace('value added: ', '');
    return minors
      .filter((minor) => {
        const found = fieldAt(typesAt(minor), schemaName(type), field);
        return found !== undefined && found.enumValues.includes(value) !== minor >= minorOf(since);
      })
      .map((minor) => `${type}.${field} ${value} in 1.${String(minor)}`);
  });
  expect(unexplained(wrong, enumExceptions)).toEqual([]);
});

/** As facts write it; '' for none. */
function defaultText({ defaultValue }: Field): string {
  if (defaultValue === undefined) return '';
  if (defaultValue === '') return '""';
  return typeof defaultValue === 'string' ? defaultValue : JSON.stringify(defaultValue);
}

/** Of defaults that depend on something, only those are compared that the types declare: the others are rules of code. */
function differingDefaults(minor: number, release: 'old' | 'new'): string[] {
  const types = typesAt(minor);
  return factsIn('defaults', release).flatMap(
    ({ type = '', field = '', default: fact = '', condition = '' }) => {
      const found = fieldAt(types, schemaName(type), field.replaceAll('[]', ''));
      const own = found ? defaultText(found) : '';
      if (own === fact || own === fact.replace(/^"(.+)"$/, '$1') || (own === '' && condition !== ''))
        return [];
      return [`${schemaName(type)}.${field} is ${fact} (${condition}), here ${own || 'none'}`];
    },
  );
}

test.each(ends)('defaults of fields in 1.%i', (minor, release) => {
  expect(unexplained(differingDefaults(minor, release), defaultExceptions)).toEqual([]);
});

/** Defaults that the facts of neither release have. */
function unknownDefaults(): string[] {
  const known = new Set(factsOf('defaults').map(({ type = '', field = '' }) => placeOf(type, field)));
  const own = ends.flatMap(([minor]) => [...fieldsAt(minor)].filter(([, fact]) => fact['default'] !== ''));
  return [...new Set(own.map(([name]) => name))]
    .filter((name) => !known.has(name))
    .map((name) => `${name} has one here`);
}

/** The type that has the field itself. */
function placeOf(type: string, path: string): string {
  const steps = path.replaceAll('[]', '').split('.');
  const parent = steps.slice(0, -1).join('.');
  const types = typesAt(
    ends.map(([minor]) => minor).find((minor) => typesAt(minor).find(schemaName(type))) ?? newest,
  );
  const holder = parent === '' ? undefined : fieldAt(types, schemaName(type), parent);
  const schema = holder?.schema.type === 'list' ? holder.schema.items : holder?.schema;
  return `${schema?.type === 'struct' ? schema.name : schemaName(type)}.${steps.at(-1) ?? ''}`;
}

test('no default but those of the facts', () => {
  expect(unexplained(unknownDefaults(), defaultExceptions)).toEqual([]);
});

/** Values and defaults of all fields of a release. */
function fieldsAt(minor: number): Map<string, Fact> {
  const types = typesAt(minor);
  return new Map(
    types.names().flatMap((name) => {
      const struct = types.find(name);
      if (struct?.type !== 'struct') return [];
      return [...struct.fields.values()].map(
        (field) =>
          [`${name}.${field.name}`, { values: valuesOf(field), default: defaultText(field) }] as const,
      );
    }),
  );
}

test('between these releases a default changes once at most', () => {
  const releases = minors.map(
    (minor) =>
      new Map([...fieldsAt(minor)].map(([name, fact]) => [name, { default: fact['default'] ?? '' }])),
  );
  expect(switches(releases)).toEqual([]);
});

test('each exception is one', () => {
  const enums = ends.flatMap(([minor, release]) => differingEnums(minor, release));
  expect(needless(enums, enumExceptions)).toEqual([]);
  const defaults = ends.flatMap(([minor, release]) => differingDefaults(minor, release));
  expect(needless([...defaults, ...unknownDefaults()], defaultExceptions)).toEqual([]);
});
