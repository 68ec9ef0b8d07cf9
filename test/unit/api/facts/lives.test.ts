/** Types and fields that came or went between 1.21 and 1.36 (as their Protobuf definitions of each release have them). */
import { loadCatalogueSchemas } from '../../../../src/api/schemas.ts';
import type { Field, StructSchema } from '../../../../src/schema/types.ts';
import { typeExceptions } from '../../../support/facts/exceptions.ts';
import { factsOf, minorOf, minors, naming, needless, unexplained } from '../../../support/facts/facts.ts';

const lives = factsOf('lives').map(({ type = '', field = '', since = '', until = '' }) => ({
  ...{ type, field, since: minorOf(since) },
  until: until === '' ? Infinity : minorOf(until),
}));

type Life = (typeof lives)[number];

const lifeOfType = new Map(lives.filter(({ field }) => field === '').map((life) => [life.type, life]));

function isAlive(life: Life | undefined, minor: number): boolean {
  return !life || (minor >= life.since && minor < life.until);
}

function has({ fields, embedded = [] }: StructSchema, name: string): boolean {
  const isNamed = ({ protoName, name: own }: Field): boolean => protoName === name || own === name;
  return [...fields.values()].some(isNamed) || embedded.some(({ protoName }) => protoName === name);
}

/** Stored versions may be there before and after they are served: only what is missing of types counts. */
function differing(minor: number): string[] {
  const types = loadCatalogueSchemas(naming, minor);
  return lives.flatMap((life) => {
    const { type, field } = life;
    if (!isAlive(lifeOfType.get(type), minor)) return [];
    const struct = types.find(type);
    if (field === '' || !struct)
      return field === '' && !struct ? [`${type} is missing in 1.${String(minor)}`] : [];
    if (struct.type !== 'struct' || has(struct, field) === isAlive(life, minor)) return [];
    return [`${type}.${field} is ${isAlive(life, minor) ? 'missing' : 'there'} in 1.${String(minor)}`];
  });
}

test.each(minors)('types and fields of 1.%i', (minor) => {
  expect(unexplained(differing(minor), typeExceptions)).toEqual([]);
});

test('each exception is one', () => {
  expect(needless(minors.flatMap(differing), typeExceptions)).toEqual([]);
});
