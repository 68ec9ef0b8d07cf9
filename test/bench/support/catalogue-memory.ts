/**
 * Tells, as JSON, what memory a process of its own holds once it has done what its argument says: `nothing`, or loaded
 * the `catalogue` of all kinds and versions with what derives from it for every type (structure, Protobuf codec).
 */
import type { CatalogueMemory } from '../cases/catalogue.ts';

async function loadCatalogue(): Promise<object> {
  const { namingProfiles } = await import('../../../src/meta/naming.ts');
  const { realCatalogue } = await import('../../support/catalogue.ts');
  const { encodeMessage } = await import('../../../src/codec/protobuf/codec.ts');
  const { checkStructure } = await import('../../../src/schema/structure.ts');
  const { catalogue, schemas } = realCatalogue(namingProfiles.orch);
  const resources = catalogue.groups().flatMap(({ versions }) => versions.flatMap((v) => v.resources));
  for (const { schema } of resources) {
    checkStructure(schema, {});
    encodeMessage(schema, {});
  }
  return { catalogue, schemas, count: resources.length };
}

const kept = process.argv[2] === 'catalogue' ? await loadCatalogue() : {};
// The collector frees in several steps what only finalizers held.
for (let i = 0; i < 4; i += 1) globalThis.gc?.();
const { heapUsed, external, rss } = process.memoryUsage();
const resources = 'count' in kept ? Number(kept.count) : 0;
process.stdout.write(JSON.stringify({ heapUsed, external, rss, resources } satisfies CatalogueMemory));
