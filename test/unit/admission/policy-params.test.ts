/** Parameters of policies: how long the writes that read many hold the thread, and what they keep. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { PolicyInputs, type PolicyParts } from '../../../src/admission/policy/policy-inputs.ts';
import { seen } from '../../../src/admission/webhook/shown.ts';
import { PolicyParams } from '../../../src/admission/policy/policy-params.ts';
import type { Binding, Policy } from '../../../src/admission/policy/policy.ts';
import type { AdmissionAttributes } from '../../../src/registry/types.ts';
import { attributesOf, naming, readerOf } from '../../support/admission.ts';
import { realCatalogue } from '../../support/catalogue.ts';
import { cpuBudget, leastOfThree } from '../../support/cpu-time.ts';
import { turnsOf } from '../../support/turns.ts';
import { newEntry } from '../../../src/registry/written-entry.ts';
import { encodeStored } from '../../../src/codec/stored.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import type { ParamParts } from '../../../src/admission/policy/policy-params.ts';

const { catalogue } = realCatalogue(naming);
const names = Array.from({ length: 40 }, (_, i) => `p${String(i)}`);
const data = Object.fromEntries(
  Array.from({ length: 1_500 }, (_, i) => [`key${String(i)}`, 'a value of some characters']),
);
const policy = { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } } as unknown as Policy;
const binding = { paramRef: { namespace: 'web', selector: {} } } as unknown as Binding;

/** Forty parameters of 60 KB, which nobody has read yet. */
function freshParts(): ParamParts {
  const made = names.map((name): [string, JsonObject] => [
    `core/configmaps/web/${name}`,
    { metadata: { name }, data },
  ]);
  const entries = names.map((name) =>
    newEntry('core/configmaps', `web/${name}`, encodeStored({ metadata: { name } }), 1),
  );
  const storage = { view: () => ({ entries: () => entries }) } as unknown as ParamParts['storage'];
  return { catalogue, reader: readerOf(Object.fromEntries(made)), storage };
}

test('eight writes that read forty parameters each share one slice of a turn', async () => {
  const attributes: AdmissionAttributes = attributesOf({ resource: 'configmaps', object: {} });
  const longest = await leastOfThree(async () => {
    const all = Array.from({ length: 8 }, () => new PolicyParams(freshParts(), attributes));
    const [most = Infinity] = await turnsOf(async () => {
      const read = await Promise.all(all.map((params) => params.of(policy, binding)));
      expect(read.map((found) => found.length)).toEqual(all.map(() => names.length));
    });
    return most;
  });
  expect(longest).toBeLessThan(cpuBudget(14));
});

test('bindings that share many parameters have no copy of their list', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const attributes: AdmissionAttributes = attributesOf({ resource: 'configmaps', object: {} });
  const inputs = new PolicyInputs(freshParts() as PolicyParts, attributes, seen);
  const bound = { policy, binding, resource: attributes.scope.resource };
  let given = 0;
  for (const { param } of await inputs.invocations(bound)) given += param === null ? 0 : 1;
  expect(given).toBe(names.length);
  collect();
  const before = process.memoryUsage().heapUsed;
  const all: unknown[] = [];
  for (let i = 0; i < 10_000; i += 1) all.push(await inputs.invocations(bound));
  collect();
  expect((process.memoryUsage().heapUsed - before) / all.length).toBeLessThan(1_000);
});
