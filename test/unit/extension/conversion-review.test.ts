/** Answers of conversion webhooks that lie: of another question, in another order, with other metadata. */
import type { JsonObject } from '../../../src/base/json.ts';
import { atOnce } from '../../../src/base/sliced-work.ts';
import {
  convertedInSteps,
  type ConversionQuestion,
} from '../../../src/extension/custom-resources/conversion-review.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';

const object = (name: string, more: JsonObject = {}): JsonObject => ({
  ...{ apiVersion: 'x.test/v1', kind: 'Thing' },
  metadata: { name, namespace: 'web', uid: `uid-${name}`, resourceVersion: '7', generation: 3, ...more },
});
const question: ConversionQuestion = {
  ...{ uid: 'asked', version: 'v1', naming: namingProfiles.orch, desired: 'x.test/v2' },
  objects: [object('a'), object('b', { finalizers: ['x.test/f'] })],
};
const converted = (one: JsonObject, more: JsonObject = {}): JsonObject => ({
  ...one,
  apiVersion: 'x.test/v2',
  metadata: { ...(one['metadata'] as JsonObject), ...more },
});

function answered(objects: JsonObject[], more: JsonObject = {}): JsonObject[] {
  const response = { uid: 'asked', result: { status: 'Success' }, convertedObjects: objects, ...more };
  return atOnce(convertedInSteps(review(response), question));
}

function review(response: JsonObject): JsonObject {
  return { apiVersion: 'apiextensions.orch.io/v1', kind: 'ConversionReview', response };
}

const [first = {}, second = {}] = question.objects;

test('the right ones in another order, one twice, or one too many, are none', () => {
  const right = [converted(first), converted(second)];
  expect(answered(right)).toEqual(right);
  for (const wrong of [right.toReversed(), [converted(first), converted(first)]])
    expect(() => answered(wrong)).toThrow('must have the same name');
  expect(() => answered([...right, converted(first)])).toThrow('it returned 3 objects, expected 2');
  expect(() => answered(right, { uid: 'other' })).toThrow('expected response.uid="asked", got "other"');
});

test('of the metadata only labels and annotations change', () => {
  const lies = {
    resourceVersion: '9',
    generation: 9,
    finalizers: [],
    ownerReferences: [],
    labels: { a: 'b' },
  };
  const metadata = { ...(second['metadata'] as JsonObject), labels: { a: 'b' } };
  expect(answered([converted(first), converted(second, lies)])[1]?.['metadata']).toEqual(metadata);
});

test('what it says of itself is cut', () => {
  const long = 'w'.repeat(1_000_000);
  const said = (more: JsonObject): string => {
    try {
      answered([], more);
      return '';
    } catch (error) {
      return String(error);
    }
  };
  for (const more of [
    { uid: long },
    { result: { status: long } },
    { result: { status: 'Failure', message: long } },
  ])
    expect(said(more).length).toBeLessThan(2_200);
});

test('labels are checked some at a time, and the last one as the first', () => {
  const labels = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`label${String(i)}`, 'a']));
  const response = (more: JsonObject): JsonObject => ({
    ...{ uid: 'asked', result: { status: 'Success' } },
    convertedObjects: [converted(first, { labels: { ...labels, ...more } }), converted(second)],
  });
  const steps = convertedInSteps(review(response({})), question);
  let count = 0;
  for (let step = steps.next(); step.done !== true; step = steps.next()) count += 1;
  expect(count).toBeGreaterThan(30);
  const wrong = convertedInSteps(review(response({ last: 'not valid!' })), question);
  expect(() => atOnce(wrong)).toThrow('index 0: metadata.labels: Invalid value: "not valid!"');
});

test('annotations have a limit together', () => {
  const annotations = Object.fromEntries(
    Array.from({ length: 300 }, (_, i) => [`a${String(i)}`, 'x'.repeat(1_000)]),
  );
  expect(() => answered([converted(first, { annotations }), converted(second)])).toThrow(
    'metadata.annotations: ',
  );
});
