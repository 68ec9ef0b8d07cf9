/** Steps of many writes at once, each with thousands: together they have one slice of a turn, not one each. */
import { createPodSecurity } from '../../../src/admission/pod-security/plugin.ts';
import { missingRules } from '../../../src/authz/rbac/rule-cover.ts';
import { laterTurn } from '../../../src/base/cooperate.ts';
import { useEventLoop } from '../../../src/base/event-loop.ts';
import type { PolicyRule } from '../../../src/authz/rbac/policy-rule.ts';
import type { ApiObject } from '../../../src/meta/object.ts';
import { Metrics } from '../../../src/observe/metrics.ts';
import { createPodSecurityMetrics } from '../../../src/observe/pod-security-metrics.ts';
import { defaultPodSecurity } from '../../../src/options/admission/pod-security.ts';
import { attributesOf, naming, outcomeOf, readerOf } from '../../support/admission.ts';

const writes = 40;
const steps = 100;

let now = 0;
let inTurn = 0;
let mostInTurn = 0;

beforeEach(async () => {
  // The share of the turn before is over.
  await laterTurn();
  inTurn = mostInTurn = 0;
  useEventLoop({
    now: () => now,
    nextTurn: (callback) => {
      setImmediate(callback);
    },
  });
});

afterEach(() => {
  useEventLoop(undefined);
});

/** A step that takes a millisecond. */
function step(): void {
  if (inTurn === 0) setImmediate(() => (inTurn = 0));
  inTurn += 1;
  mostInTurn = Math.max(mostInTurn, inTurn);
  now += 1;
}

/** Some milliseconds of a slice, and one for each that came to an end or begins in the turn. */
const most = 10;

async function atOnce(write: () => Promise<unknown>): Promise<void> {
  // One of them first, so that the slice of the turn in which all come is over.
  const first = write();
  await Promise.all([first, ...Array.from({ length: writes }, write)]);
}

test('pods of a namespace that gets a level', async () => {
  function* each(): Generator<ApiObject> {
    for (let i = 0; i < steps; i += 1) {
      step();
      yield { metadata: { name: `p${String(i)}` }, spec: { containers: [] } } as unknown as ApiObject;
    }
  }
  const plugin = createPodSecurity({
    ...{ naming, reader: readerOf({}), newest: 22, config: defaultPodSecurity },
    metrics: createPodSecurityMetrics(new Metrics()),
    pods: { count: () => steps, each },
  });
  const before = { metadata: { name: 'n' } };
  const object = { metadata: { name: 'n', labels: { 'pod-security.orch.io/enforce': 'restricted' } } };
  const write = attributesOf({
    operation: 'UPDATE',
    resource: 'namespaces',
    name: 'n',
    object,
    oldObject: before,
  });
  await atOnce(() => outcomeOf(plugin, write));
  expect(mostInTurn).toBeGreaterThan(0);
  expect(mostInTurn).toBeLessThanOrEqual(most);
});

test('rules that are compared with those of their writer', async () => {
  const rule = (resource: string): PolicyRule => ({
    ...{ verbs: ['get'], apiGroups: [''], resourceNames: [], nonResourceURLs: [] },
    get resources(): string[] {
      step();
      return [resource];
    },
  });
  const owned = Array.from({ length: steps }, (_, i) => rule(`r${String(i)}`));
  await atOnce(() => missingRules(owned, []));
  expect(mostInTurn).toBeGreaterThan(0);
  expect(mostInTurn).toBeLessThanOrEqual(most);
});
