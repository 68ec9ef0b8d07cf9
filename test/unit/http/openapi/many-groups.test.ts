/** Documents of thousands of groups: their state and their index are made in slices. */
import { createWireTypes } from '../../../../src/http/wire-types.ts';
import { OpenApiDocuments } from '../../../../src/http/openapi/openapi-documents.ts';
import { namingProfiles } from '../../../../src/meta/naming.ts';
import type { ResourceCatalogue, ServedGroup } from '../../../../src/registry/types.ts';
import { realCatalogue } from '../../../support/catalogue.ts';
import { cpuBudget, leastOfThree } from '../../../support/cpu-time.ts';
import { turnsOf } from '../../../support/turns.ts';

const naming = namingProfiles.orch;
const { catalogue: builtIn, schemas } = realCatalogue(naming);
const groups = Array.from({ length: 8_000 }, (_, i): ServedGroup => {
  const version = { versionPriority: 1, enabledByDefault: true, served: true, version: 'v1', resources: [] };
  return { group: `group${String(i)}.example.com`, versions: [version] };
});
const catalogue: ResourceCatalogue = Object.assign(Object.create(builtIn) as ResourceCatalogue, {
  groups: () => groups,
});
const types = createWireTypes(() => builtIn, schemas);
const parts = { catalogue, types, schemas, naming, release: 'v1.21.0' };

test('documents follow a changed catalogue in slices', async () => {
  const before = await OpenApiDocuments.of(parts);
  const longest = await leastOfThree(
    async () => (await turnsOf(() => OpenApiDocuments.of(parts, before)))[0] ?? 0,
  );
  expect(longest).toBeLessThan(cpuBudget(15));
});

test('an index of documents that are made takes slices', async () => {
  const documents = await OpenApiDocuments.of(parts);
  const all = await documents.v3Hashes();
  expect(all.size).toBe(16_003);
  const longest = await leastOfThree(async () => (await turnsOf(() => documents.v3Hashes()))[0] ?? 0);
  expect(longest).toBeLessThan(cpuBudget(15));
});
