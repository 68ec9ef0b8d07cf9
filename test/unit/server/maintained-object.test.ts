/** Objects that the service maintains, which users may have made large. */
import type { JsonObject } from '../../../src/base/json.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import type { ResourceVerbs } from '../../../src/registry/types.ts';
import type { WritesElsewhere } from '../../../src/registry/writes-elsewhere.ts';
import { newEntry } from '../../../src/registry/written-entry.ts';
import { endpointObjects } from '../../../src/server/services/api-endpoints.ts';
import { maintain, type MaintenanceDeps } from '../../../src/server/services/maintained-object.ts';
import { realCatalogue } from '../../support/catalogue.ts';

const naming = namingProfiles.kubernetes;
const { catalogue } = realCatalogue(naming);
const { signal } = new AbortController();

/** What is done with endpoints that have so many labels, and lead elsewhere. */
async function maintained(labels: number): Promise<{ done: string[]; longest: number }> {
  const all = Object.fromEntries(Array.from({ length: labels }, (_, i) => [`label-${String(i)}`, 'x']));
  const metadata = { name: 'kubernetes', namespace: 'default', uid: 'u', labels: all };
  const subsets = [{ addresses: [{ ip: '10.9.9.9' }], ports: [{ name: 'https', port: 1 }] }];
  const object = { kind: 'Endpoints', apiVersion: 'v1', metadata, subsets };
  const entry = newEntry('core/endpoints', 'default/kubernetes', Buffer.from(JSON.stringify(object)), 7);
  const done: string[] = [];
  const note = (what: string, { metadata: written }: JsonObject): Promise<never> => {
    done.push(
      `${what} ${String(Object.keys((written as JsonObject)['labels'] as JsonObject).length >= labels)}`,
    );
    return Promise.resolve(undefined as never);
  };
  const deps: MaintenanceDeps = {
    storage: { peek: () => entry },
    catalogue,
    verbs: {
      replace: (_scope: unknown, _name: string, body: JsonObject) => note('here', body),
    } as unknown as ResourceVerbs,
    writesElsewhere: {
      write: (_scope, _name, write) =>
        entry.bytes.length > 64 * 1024 && write.operation === 'replace'
          ? note('elsewhere', write.object)
          : undefined,
    } as WritesElsewhere,
  };
  const [endpoints] = endpointObjects(naming, [{ address: '10.0.0.1', port: 6443 }]);
  if (!endpoints) throw new Error('the service maintains no endpoints');
  let longest = 0;
  const { parse } = JSON;
  const spy = jest.spyOn(JSON, 'parse').mockImplementation((text, reviver) => {
    longest = Math.max(longest, text.length);
    return parse(text, reviver) as unknown;
  });
  try {
    await maintain(deps, endpoints, signal);
  } finally {
    spy.mockRestore();
  }
  return { done, longest };
}

test('large ones are read in slices and written elsewhere', async () => {
  const { done, longest } = await maintained(40_000);
  expect(done).toEqual(['elsewhere true']);
  expect(longest).toBeLessThan(64 * 1024);
});

test('small ones are written here', async () => {
  expect((await maintained(5)).done).toEqual(['here true']);
});
