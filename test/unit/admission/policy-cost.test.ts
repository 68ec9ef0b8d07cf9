/** What a write pays for being judged by a policy, in steps that do not depend on the machine: looks at the clock, promises, copies. */
import { PolicyPrograms } from '../../../src/admission/policy/policy-programs.ts';
import { judge } from '../../../src/admission/validating-policy/judge.ts';
import type {
  ValidatingPolicy,
  Validations,
} from '../../../src/admission/validating-policy/validating-policy.ts';
import { useEventLoop } from '../../../src/base/event-loop.ts';
import { seen, shown } from '../../../src/admission/webhook/shown.ts';
import { compileTo, policyEnvironment, type AdmissionInput } from '../../../src/cel/admission/environment.ts';
import { EvaluationBudget, policyCost } from '../../../src/cel/admission/evaluation-budget.ts';
import { EvaluationTurns } from '../../../src/cel/evaluation-turns.ts';
import type { AdmissionAttributes, ServedResource } from '../../../src/registry/types.ts';

const expressions = [
  'object.spec.replicas >= 0 && object.spec.replicas < 100',
  "object.spec.mode in ['fast', 'safe']",
  'object.spec.ports.all(p, p.port > 0)',
  "object.spec.host.matches('^[a-z.]+$')",
  "!object.spec.host.startsWith('www.')",
];
const environment = policyEnvironment(Infinity, { hasParams: false });
const texts = expressions.map((text) => ({ text, compiled: compileTo(text, environment) }));
const object = {
  spec: { replicas: 3, mode: 'fast', host: 'a.example', ports: [{ port: 80 }, { port: 443 }] },
};
const input: AdmissionInput = {
  ...{ object, oldObject: object, request: {}, namespaceObject: {} },
  authorizer: { decide: () => ({ isAllowed: true, reason: '', error: '' }), resource: resourceOfCheck() },
};

function resourceOfCheck(): AdmissionInput['authorizer']['resource'] {
  return { group: '', resource: 'pods', subresource: '', namespace: 'x', name: 'a' };
}

function policyOf(body: Validations): ValidatingPolicy {
  const programs = new PolicyPrograms<Validations>({}, () => Promise.resolve(body));
  const matcher = {} as ValidatingPolicy['matcher'];
  return { name: 'p', spec: {}, programs, matcher, paramKind: undefined, ignoresFailure: false };
}

afterEach(() => {
  useEventLoop(undefined);
});

test('short expressions end before anybody looks at the clock', () => {
  let looks = 0;
  const budget = new EvaluationBudget(policyCost, () => (looks += 1));
  const policy = policyOf({ validations: texts, messages: [], annotations: [] });
  const values = policy.programs.conditionValues(input);
  for (const { compiled } of texts)
    expect(compiled.program && budget.evaluate(compiled.program, values)).toBe(true);
  expect(looks).toBe(0);
});

test('a long one is cut by the time that it and its variables have together', () => {
  let now = 0;
  const budget = new EvaluationBudget(policyCost, () => (now += 6));
  const long = compileTo(
    '[1,2,3,4,5,6,7,8].all(a, [1,2,3,4,5,6,7,8].all(b, [1,2,3,4,5,6,7,8].all(c, a + b + c > 0)))',
    environment,
  );
  expect(() => long.program && budget.evaluate(long.program, [])).toThrow('took more than 10 ms');
});

test('a policy with more validations waits no longer: what is known at once is not waited for', async () => {
  // On a slow machine the share of the turn would be over, and none of these microtasks would begin the next one.
  useEventLoop({ now: () => 0, nextTurn: (callback) => void setImmediate(callback) });
  const waits = await Promise.all(
    [texts, [...texts, ...texts, ...texts, ...texts]].map(async (validations) => {
      const policy = policyOf({ validations, messages: validations.map(() => undefined), annotations: [] });
      await judge(policy, input, new EvaluationTurns());
      return microtasksOf(judge(policy, input, new EvaluationTurns()));
    }),
  );
  expect(waits[1]).toBe(waits[0]);
});

/** Microtasks until a promise is settled. */
async function microtasksOf(promise: Promise<unknown>): Promise<number> {
  let isOver = false;
  void promise.then(() => (isOver = true));
  let count = 0;
  for (; !isOver; count += 1) await Promise.resolve();
  return count;
}

test('who only reads an object gets no copy, unless it has to be converted', async () => {
  const conversion = { isInternal: true, fromInternal: (one: object) => one } as ServedResource['conversion'];
  const resource = { conversion } as ServedResource;
  const attributes = { scope: { resource } } as AdmissionAttributes;
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } };
  expect(seen(pod, resource, attributes)).toBe(pod);
  expect(await shown(pod, resource, attributes)).not.toBe(pod);
  const other = { conversion: { ...conversion, isInternal: false } } as ServedResource;
  expect(await seen(pod, other, { scope: { resource: other } } as AdmissionAttributes)).not.toBe(pod);
});
