/** Steps of many writes at once, each with thousands: together they have one slice of a turn, not one each. */
import { createPodSecurity } from '../../../src/admission/pod-security/plugin.ts';
import { missingRules } from '../../../src/authz/rbac/rule-cover.ts';
import type { PolicyRule } from '../../../src/authz/rbac/policy-rule.ts';
import type { ApiObject } from '../../../src/meta/object.ts';
import { Metrics } from '../../../src/observe/metrics.ts';
import { createPodSecurityMetrics } from '../../../src/observe/pod-security-metrics.ts';
import { defaultPodSecurity } from '../../../src/options/admission/pod-security.ts';
import { attributesOf, naming, outcomeOf, readerOf } from '../../support/admission.ts';
import { countedTurns } from '../../support/counted-turns.ts';

const writes = 40;
const steps = 100;

const turns = countedTurns();

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
      turns.step(1);
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
  expect(turns.most()).toBeGreaterThan(0);
  expect(turns.most()).toBeLessThanOrEqual(most);
});

test('rules that are compared with those of their writer', async () => {
  const rule = (resource: string): PolicyRule => ({
    ...{ verbs: ['get'], apiGroups: [''], resourceNames: [], nonResourceURLs: [] },
    get resources(): string[] {
      turns.step(1);
      return [resource];
    },
  });
  const owned = Array.from({ length: steps }, (_, i) => rule(`r${String(i)}`));
  await atOnce(() => missingRules(owned, []));
  expect(turns.most()).toBeGreaterThan(0);
  expect(turns.most()).toBeLessThanOrEqual(most);
});
