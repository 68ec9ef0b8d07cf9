/** A custom resource of 15,000 fields is described in slices, in each version and form. */
import type { CustomResourceDefinition } from '../../../../src/api/apiextensions/custom-resource-definitions.ts';
import { Slice } from '../../../../src/base/cooperate.ts';
import type { JsonObject } from '../../../../src/base/json.ts';
import { createCustomResource } from '../../../../src/extension/custom-resources/custom-resource.ts';
import { documentEncodings } from '../../../../src/http/openapi/document-encoding.ts';
import { DocumentPiece } from '../../../../src/http/openapi/document-piece.ts';
import { KeptPieces } from '../../../../src/http/openapi/kept-pieces.ts';
import { namingProfiles } from '../../../../src/meta/naming.ts';
import { realCatalogue } from '../../../support/catalogue.ts';
import { cpuBudget, leastOfThree } from '../../../support/cpu-time.ts';
import { definition } from '../../../support/custom-resources.ts';
import { turnsOf } from '../../../support/turns.ts';

const naming = namingProfiles.orch;
const { schemas } = realCatalogue(naming);
const fields = Array.from({ length: 15_000 }, (_, i) => [`field${String(i)}`, { type: 'string' }]);
const openAPIV3Schema = { type: 'object', properties: Object.fromEntries(fields) as JsonObject };
const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }];
const names = { plural: 'widgets', singular: 'widget', kind: 'Widget' };
const object = definition('widgets', 'Widget', { group: 'example.com', names, versions });
const metadata = {
  name: 'widgets.example.com',
  uid: 'a',
  generation: 1,
  creationTimestamp: '2021-01-01T00:00:00Z',
};
const [resource] = createCustomResource({
  definition: { ...object, metadata, status: {} } as unknown as CustomResourceDefinition,
  ...{ naming, schemas, conversions: {} as never },
}).served;
if (!resource) throw new Error('no resource');

describe.each([2, 3] as const)('version %i', (version) => {
  test.each(['json', 'protobuf'] as const)('as %s', async (form) => {
    const encoding = documentEncodings[version][form];
    const longest = await leastOfThree(async () => {
      const piece = new DocumentPiece(
        { naming, schemas, kept: new KeptPieces(), release: 'v1.21.0' },
        { of: resource, model: () => Promise.resolve({ paths: [], roots: [], custom: [resource] }) },
      );
      const turns = await turnsOf(async () => {
        const { definitions } = await piece.encoded(encoding, new Slice());
        const [encoded] = definitions.values();
        expect(encoded?.includes('field14999')).toBe(true);
      });
      return turns[0] ?? Infinity;
    });
    expect(longest).toBeLessThan(cpuBudget(14));
  });
});
