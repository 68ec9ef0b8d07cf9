/** A flow schema of a megabyte is read in slices, and so is its shape. */
import { FlowControlInformer } from '../../../src/flowcontrol/flow-control-informer.ts';
import type { FlowSources } from '../../../src/flowcontrol/flow-configuration.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { systemRandom } from '../../../src/base/random.ts';
import { atOnce } from '../../../src/base/sliced-work.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { storedType } from '../../../src/flowcontrol/flow-objects.ts';
import { newEntry } from '../../../src/registry/written-entry.ts';
import { checkStructure } from '../../../src/schema/structure.ts';
import { structureErrors } from '../../../src/schema/structure-in-steps.ts';
import type { CollectionSnapshot, Storage } from '../../../src/storage/types.ts';
import { naming } from '../../support/admission.ts';
import { realCatalogue } from '../../support/catalogue.ts';
import { everythingOf, userSubject } from '../../support/flow-control.ts';

const { schemas } = realCatalogue(naming);
const type = schemas.get(storedType('flowschemas'));
const many = <T>(length: number, item: (i: number) => T): T[] => Array.from({ length }, (_, i) => item(i));

function stored(subjects: readonly object[]): JsonObject {
  const rules = [everythingOf(...subjects)];
  const spec = { priorityLevelConfiguration: { name: 'own' }, matchingPrecedence: 1, rules };
  return { kind: 'FlowSchema', apiVersion: 'v1', metadata: { name: 'large' }, spec } as unknown as JsonObject;
}

/** What is stored; it never changes. */
function storageOf(object: JsonObject): Pick<Storage, 'watch' | 'view'> {
  const entry = newEntry('g/flowschemas', 'large', Buffer.from(JSON.stringify(object)), 1);
  const viewOf = (collection: string): CollectionSnapshot =>
    ({ entries: () => (collection === entry.collection ? [entry] : []) }) as unknown as CollectionSnapshot;
  return {
    view: viewOf,
    watch: ({ collection }, subscriber) => {
      subscriber.onInitial(viewOf(collection));
      return {} as never;
    },
  };
}

async function read(object: JsonObject, problems: string[] = []): Promise<FlowSources | undefined> {
  let sources: FlowSources | undefined;
  const informer = new FlowControlInformer({
    ...{ clock: systemClock, random: systemRandom, storage: storageOf(object), group: 'g' },
    problemsOf: (_plural, each) => structureErrors(type, each),
    onDamaged: (_plural, _name, found) => problems.push(...found),
    onChange: (all) => {
      sources = all;
    },
  });
  await informer.loaded;
  informer.close();
  return sources;
}

test('no step parses more than a small piece of it', async () => {
  const parse = jest.spyOn(JSON, 'parse');
  try {
    const sources = await read(stored(many(20_000, (i) => userSubject(`user-${String(i)}`))));
    expect(sources?.schemas[0]?.spec.rules?.[0]?.subjects).toHaveLength(20_000);
    const longest = Math.max(...parse.mock.calls.map(([text]) => text.length));
    expect(longest).toBeLessThan(64 * 1024);
  } finally {
    parse.mockRestore();
  }
});

test('one of a wrong shape is told as before', async () => {
  const subjects = many(2_000, (i) => (i === 1_500 ? { kind: 7 } : userSubject(`user-${String(i)}`)));
  const problems: string[] = [];
  const sources = await read(stored(subjects), problems);
  expect(sources?.schemas).toEqual([]);
  expect(problems).toEqual(checkStructure(type, stored(subjects)).errors);
  expect(problems).toEqual(['spec.rules[0].subjects[1500].kind: expected string, got number']);
});

describe('faults of shape in steps', () => {
  const few = { kind: 'User', user: { name: 'ann' } };
  const values: [string, JsonObject][] = [
    ['none', stored(many(1_000, () => few))],
    ['nulls', stored(many(1_000, (i) => (i % 2 === 0 ? few : (null as never))))],
    ['texts for structs', stored(many(1_000, (i) => (i < 30 ? ('text' as never) : few)))],
    ['more than are told', stored(many(1_000, () => ({ kind: [] })))],
    ['small', stored([{ kind: [] }])],
    ['another type', { spec: { rules: 'none' }, metadata: [] }],
    ['a text for the whole', { spec: 'x', status: { conditions: many(1_000, () => ({ type: 3 })) } }],
  ];

  test.each(values)('%s', (_what, value) => {
    const { errors } = checkStructure(type, value);
    expect([...atOnce(structureErrors(type, value))].sort()).toEqual([...errors].sort());
  });

  test('a step for each of its structs', () => {
    const steps = [...structureErrors(type, stored(many(5_000, () => few)))];
    expect(steps.length).toBeGreaterThan(5_000);
  });
});
