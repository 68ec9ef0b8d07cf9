/** What a write leaves alone, of every kind: the status when the object is written, the spec when its status is. */
import fc from 'fast-check';
import { builtInGroups } from '../../../src/api/index.ts';
import { keepMetadata } from '../../../src/api/define.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { deepCopy } from '../../../src/base/json.ts';
import { arbitraryObject } from '../../support/arbitrary-object.ts';
import { Kind } from '../../support/kind.ts';

const kinds = builtInGroups
  .flatMap((group) => group.resources.map(({ plural }) => `${plural}.${group.folder}`))
  .map((name) => [name, new Kind(name)] as const)
  .filter(([, { definition }]) => definition.subresources.some(({ name }) => name === 'status'));

test('there are such kinds', () => {
  expect(kinds.length).toBeGreaterThan(20);
});

/** Status writes of these kinds leave all metadata alone, too (facts, immutable.tsv). */
const keepsMetadata = new Set([
  ...['apiservices', 'customresourcedefinitions', 'flowschemas', 'prioritylevelconfigurations'],
  ...['storageversions', 'volumeattachments'],
]);

/** Without what the service itself notes at a write: which versions of a custom resource were ever stored. */
function clientsPart(status: unknown): JsonObject {
  const { storedVersions: _noted, ...rest } = (status ?? {}) as JsonObject;
  return rest;
}

describe.each(kinds)('%s', (_name, kind) => {
  const { schema, definition, context } = kind;
  const objects = arbitraryObject(schema, 4).map((object): JsonObject => ({
    ...object,
    metadata: { name: 'a', labels: { said: 'anew' } },
  }));
  const pair = fc.tuple(objects, objects);

  test('a write keeps the status', () => {
    fc.assert(
      fc.property(pair, ([sent, stored]) => {
        const [next, current] = [kind.decode(sent), kind.decode(stored)];
        definition.strategy.prepareForUpdate?.(next, current, context);
        expect(clientsPart(next['status'])).toEqual(clientsPart(current['status']));
      }),
      { numRuns: 15 },
    );
  });

  test('a write of the status keeps the spec, and says the status', () => {
    const status = definition.subresources.find(({ name }) => name === 'status');
    fc.assert(
      fc.property(pair, ([sent, stored]) => {
        const [next, current] = [kind.decode(sent), kind.decode(stored)];
        current.metadata = { ...current.metadata, labels: { said: 'before' } };
        const said = deepCopy((next['status'] ?? null) as JsonObject | null);
        status?.prepareForUpdate?.(next, current, context);
        expect(next['spec']).toEqual(current['spec']);
        if (keepsMetadata.has(definition.plural)) {
          const expected = { ...next };
          keepMetadata(expected, current);
          expect(next.metadata).toEqual(expected.metadata);
        }
        if (definition.plural !== 'certificatesigningrequests') expect(next['status'] ?? null).toEqual(said);
      }),
      { numRuns: 15 },
    );
  });
});
