/** Requirements that are put together by key say what each of them says by itself, and cost no more when there are many. */
import fc from 'fast-check';

import type { Labels, Operator, Requirement } from '../../../src/meta/label-requirements.ts';
import { JoinedRequirements } from '../../../src/meta/label-requirements.ts';

const keys = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'constructor', '__proto__'];
const texts = fc.constantFrom('', 'x', 'y', '1', '5', '9', '-3');
const operators: readonly Operator[] = ['=', '!=', 'in', 'notin', 'exists', '!', '>', '<'];

/** What the words of the selector say, one requirement at a time. */
function holds({ key, operator, values }: Requirement, labels: Labels | undefined): boolean {
  const value = labels && Object.hasOwn(labels, key) ? labels[key] : undefined;
  const number = value !== undefined && /^-?[0-9]+$/.test(value) ? Number(value) : NaN;
  if (operator === '=' || operator === 'in') return value !== undefined && values.includes(value);
  if (operator === '!=' || operator === 'notin') return value === undefined || !values.includes(value);
  if (operator === '>') return number > Number(values[0]);
  if (operator === '<') return number < Number(values[0]);
  return (value !== undefined) === (operator === 'exists');
}

function allHold(requirements: readonly Requirement[]): (labels: Labels | undefined) => boolean {
  const joined = new JoinedRequirements();
  for (const one of requirements) joined.add(one);
  return joined.matcher();
}

function valuesFor(operator: Operator): fc.Arbitrary<string[]> {
  if (operator === '>' || operator === '<') return fc.constantFrom(['1'], ['5'], ['-9']);
  return fc.array(texts, { minLength: 1, maxLength: operator === 'in' || operator === 'notin' ? 4 : 1 });
}

const requirement: fc.Arbitrary<Requirement> = fc
  .tuple(fc.constantFrom(...keys), fc.constantFrom(...operators))
  .chain(([key, operator]) => valuesFor(operator).map((values) => ({ key, operator, values })));
const labels = fc.dictionary(fc.constantFrom(...keys), texts);

test('all together as each by itself', () => {
  const lists = fc.oneof(
    fc.array(requirement, { maxLength: 3 }),
    fc.array(requirement, { minLength: 9, maxLength: 30 }),
    fc.array(
      requirement.filter(({ operator }) => ['!', '!=', 'notin'].includes(operator)),
      { minLength: 9, maxLength: 30 },
    ),
  );
  fc.assert(
    fc.property(lists, fc.option(labels, { nil: undefined }), (requirements, ofObject) => {
      const expected = requirements.every((one) => holds(one, ofObject));
      expect(allHold(requirements)(ofObject)).toBe(expected);
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  ['of one key', (): string => 'a'],
  ['of a key each', (i: number): string => `k${String(i)}`],
])('thousands of requirements %s look at the labels a few times', (_name, keyOf) => {
  let backoff = 0;
  const looked = <T>(value: T): T => {
    backoff += 1;
    return value;
  };
  const watched = new Proxy<Record<string, string>>(
    { a: 'x', b: 'y' },
    {
      get: (target, key) => looked(Reflect.get(target, key) as unknown),
      getOwnPropertyDescriptor: (target, key) => looked(Reflect.getOwnPropertyDescriptor(target, key)),
    },
  );
  const requirements = Array.from({ length: 3_000 }, (_, i): Requirement => {
    return { key: keyOf(i), operator: '!=', values: [`v${String(i)}`] };
  });
  expect(allHold(requirements)(watched)).toBe(true);
  expect(backoff).toBeLessThan(10);
});

test('very many labels are gone through once, however many selectors ask', () => {
  const own = Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`l${String(i)}`, 'v']));
  let listed = 0;
  const ownKeys = (all: Labels): ArrayLike<string | symbol> => {
    listed += 1;
    return Reflect.ownKeys(all);
  };
  const many: Labels = new Proxy<Labels>(own, { ownKeys });
  for (let i = 0; i < 100; i += 1) {
    const joined = new JoinedRequirements();
    for (let k = 0; k < 20; k += 1) joined.add({ key: `absent-${String(k)}`, operator: '!', values: [] });
    joined.add({ key: `l${String(i)}`, operator: '=', values: [i % 2 === 0 ? 'v' : 'w'] });
    expect(joined.matcher()(many)).toBe(i % 2 === 0);
  }
  expect(listed).toBe(1);
});
