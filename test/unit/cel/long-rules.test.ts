/** Rules that hold the thread for long: definitions and objects of their kind are judged where large writes are carried out. */
import { useEventLoop } from '../../../src/base/event-loop.ts';
import { laterTurn } from '../../../src/base/cooperate.ts';
import { loadCatalogueSchemas } from '../../../src/api/schemas.ts';
import { ExpressionRules } from '../../../src/api/admissionregistration/expression-rules.ts';
import { versionsErrors } from '../../../src/api/apiextensions/definition-version-rules.ts';
import type { JSONSchemaProps } from '../../../src/api/apiextensions/v1.types.ts';
import type { ApiContext } from '../../../src/api/types.ts';
import { webhookEnvironment } from '../../../src/cel/admission/environment.ts';
import { ruleTextIn, ruleTextInSteps } from '../../../src/cel/schema/rule.ts';
import { CustomVersion } from '../../../src/extension/custom-resources/custom-version.ts';
import { GrownWrite } from '../../../src/meta/grown-write.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { FieldPath } from '../../../src/meta/field-path.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { asApiObject } from '../../../src/meta/object.ts';
import { leastShare } from '../../support/cpu-time.ts';
import { judged, object, objectErrors, ruled, slicedErrors } from './support/schema.ts';

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

test('an object whose rules take long moves where it may, and is judged to its end where not', async () => {
  const many = ruled(schema, ...Array.from({ length: 20 }, () => 'self.a < 1'));
  const judged = { a: 1 };
  expect(() => objectErrors(many, judged, { limits: { time: ticking(0.5), onLong: move } })).toThrow(
    GrownWrite,
  );
  expect(await slicedErrors(many, judged, { limits: { time: ticking(0.5) } })).toHaveLength(20);
  expect(objectErrors(many, judged, { limits: { time: ticking(0.01), onLong: move } })).toHaveLength(20);
});

/** A clock that tells the work between two turns of the event loop, and is looked at as often as work is done. */
function turns(): { readonly time: () => number; readonly longest: () => number; readonly end: () => void } {
  let [now, inTurn, longest] = [0, 0, 0];
  let timer = setImmediate(function next() {
    inTurn = 0;
    timer = setImmediate(next);
  });
  return {
    time: () => {
      longest = Math.max(longest, (inTurn += 0.5));
      return (now += 0.5);
    },
    longest: () => longest,
    end: () => {
      clearImmediate(timer);
    },
  };
}

test.each([
  ['rules of one value', ruled(schema, ...Array.from({ length: 40 }, () => 'self.a < 1')), { a: 1 }, 40],
  [
    'a rule of many values',
    object({ l: { type: 'array', items: ruled({ type: 'integer' }, 'self < 1') } }),
    { l: Array.from({ length: 40 }, () => 1) },
    40,
  ],
  [
    'messages of expressions',
    ruled(schema, ...Array.from({ length: 30 }, () => ({ rule: 'self.a < 1', messageExpression: "'no'" }))),
    { a: 1 },
    30,
  ],
])('an object that stays gives the thread away: %s', async (_, many, judged, count) => {
  const clock = turns();
  try {
    expect(await slicedErrors(many, judged, { limits: { time: clock.time } })).toHaveLength(count);
    // A slice, and one evaluation.
    expect(clock.longest()).toBeLessThan(8);
  } finally {
    clock.end();
  }
});

test('objects whose judgement begins in one turn give the thread away', async () => {
  const one = ruled(schema, 'self.a < 1');
  await laterTurn();
  let now = performance.now();
  useEventLoop({ now: () => now, nextTurn: (callback) => void setImmediate(callback) });
  let [inTurn, most] = [0, 0];
  const evaluated = (): number => {
    if (inTurn === 0) setImmediate(() => (inTurn = 0));
    most = Math.max(most, (inTurn += 1));
    return (now += 1);
  };
  try {
    const objects = Array.from({ length: 300 }, async () =>
      judged(one, { a: 1 }, { limits: { time: evaluated } }),
    );
    expect((await Promise.all(objects)).flat()).toHaveLength(300);
    expect(most).toBeLessThan(40);
  } finally {
    useEventLoop(undefined);
  }
});

test('what others do between two slices does not use up the time of an object', async () => {
  const many = ruled(schema, ...Array.from({ length: 40 }, () => 'self.a < 1'));
  let now = 0;
  const others = setInterval(() => (now += 1_000), 0);
  try {
    const errors = await slicedErrors(many, { a: 1 }, { limits: { time: () => (now += 0.5) } });
    expect(errors).toHaveLength(40);
  } finally {
    clearInterval(others);
  }
});

test('rules that take longer than an object may are cut, in slices too', async () => {
  const many = ruled(schema, ...Array.from({ length: 400 }, () => 'self.a < 1'));
  const errors = await slicedErrors(many, { a: 1 }, { limits: { time: ticking(0.5) } });
  expect(errors.at(-1)).toContain('running out of time budget');
  expect(errors.length).toBeLessThan(400);
});

test('an object in a write thread has ten times the time, and an end of it', async () => {
  const many = (count: number) => ruled(schema, ...Array.from({ length: count }, () => 'self.a < 1'));
  const errorsOf = (count: number) =>
    slicedErrors(many(count), { a: 1 }, { limits: { time: ticking(1), isAside: true } });
  expect(await errorsOf(300)).toHaveLength(300);
  expect((await errorsOf(450)).at(-1)).toContain('running out of time budget');
});

test('an evaluation in a write thread has ten times the time, and an end of it', async () => {
  const list = object({ l: { type: 'array', items: { type: 'integer' } } });
  const all = ruled(list, 'self.l.all(a, a > 0)');
  const value = { l: Array.from({ length: 20_000 }, () => 1) };
  const errorsOf = async (msOfALook: number, isAside: boolean): Promise<string> => {
    const errors = await judged(all, value, { limits: { time: ticking(msOfALook), isAside } });
    return errors.map(({ message }) => message).join();
  };
  // Some 160 looks at the clock: 50 ms in all, as code takes that was not used before.
  expect(await errorsOf(0.3, false)).toContain('took more than 10 ms');
  expect(await errorsOf(0.3, true)).toBe('');
  expect(await errorsOf(3, true)).toContain('took more than 100 ms');
});

test('one that is cut moves first', () => {
  const list = object({ l: { type: 'array', items: { type: 'integer' } } });
  const nested = ruled(list, 'self.l.all(a, self.l.all(b, a + b >= 0))');
  const judged = { l: Array.from({ length: 500 }, (_, i) => i) };
  expect(() => objectErrors(nested, judged, { limits: { time: ticking(4), onLong: move } })).toThrow(
    GrownWrite,
  );
});

test('rules of many characters are not compiled before the write has moved', async () => {
  // The share of the turn before is over.
  await laterTurn();
  const judge = (count: number, context: Partial<ApiContext>): number => {
    const rules = Array.from({ length: count }, (_, i) => `self.a != ${String(i)}`);
    const version = new CustomVersion({
      ...{ prefix: naming.extensionPrefix, metadata, isFree: false },
      ...{ release: { major: 1, minor: 36 }, isFeatureEnabled: () => true },
      version: {
        name: 'v1',
        schema: { openAPIV3Schema: object({ spec: ruled(schema, ...rules) }) as JSONSchemaProps },
      },
    });
    const cup = { kind: 'Cup', apiVersion: 'example.com/v1', metadata: { name: 'a' }, spec: { a: 1 } };
    const errors = version.ruleErrors(asApiObject(cup), { others: [], context: context as ApiContext });
    if (errors instanceof Promise) throw new Error('rules of a few characters take long');
    return errors.length;
  };
  expect(() => judge(100, { noteLongWork: move })).toThrow(GrownWrite);
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
          propertiesBefore: () => 0,
        },
        ...{ ruleRelease: 36, selectsByFields: true, knownExpressions: new Set<string>(), noteLongWork },
      },
    ).length;
  };
  expect(() => errorsOf(100, move)).toThrow(GrownWrite);
  expect(errorsOf(100, undefined)).toBe(100);
  expect(errorsOf(5, move)).toBe(5);
});

test('an object of many expressions moves before they are compiled', () => {
  const errorsOf = (count: number, noteLongWork?: ApiContext['noteLongWork']): number => {
    const how = { environment: webhookEnvironment };
    const rules = new ExpressionRules({ ...(noteLongWork && { noteLongWork }) });
    const texts = Array.from({ length: count }, (_, i) => `object.b != ${String(i)} &&`);
    return texts.flatMap((text) => rules.errors(text, FieldPath.of('expression'), how)).length;
  };
  expect(() => errorsOf(100, move)).toThrow(GrownWrite);
  expect(errorsOf(100)).toBe(100);
  expect(errorsOf(5, move)).toBe(5);
});

describe('the length of the rules of a schema', () => {
  const wide = {
    'x-validations': [{ rule: 'abc', messageExpression: 'de' }, {}],
    properties: Object.fromEntries(
      Array.from({ length: 600 }, (_, i) => [`p${String(i)}`, { type: 'string' }]),
    ),
  };
  const below = (levels: number): JsonObject =>
    Array.from({ length: levels }).reduce<JsonObject>((items) => ({ type: 'array', items }), wide);

  test('is that of all rules at any depth, found in a step for each object and list', () => {
    expect(ruleTextIn(below(3), 'x-')).toBe(6);
    expect([...ruleTextInSteps(below(3), 'x-')]).toHaveLength(600 + 5 + 3);
    expect([ruleTextIn(undefined, 'x-'), ruleTextIn('text', 'x-'), ruleTextIn([null, [wide]], 'x-')]).toEqual(
      [0, 0, 6],
    );
  });

  test('takes no longer where much lies deep', async () => {
    const deep = below(900);
    for (let warm = 0; warm < 5; warm += 1) ruleTextIn(deep, 'x-');
    expect(await leastShare(12, () => ruleTextIn(deep, 'x-'))).toBeLessThan(1);
  });
});
