/**
 * Every discovery document of both naming profiles against kept files. After a wanted change write them anew with
 * `UPDATE_GOLDEN=1 npx jest -c test/tools/jest.config.json test/golden` and read the difference.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { builtInGroups } from '../../src/api/index.ts';
import { loadCatalogueSchemas } from '../../src/api/schemas.ts';
import {
  apiGroupDocument,
  apiGroupListDocument,
  apiResourceListDocument,
  apiVersionsDocument,
} from '../../src/http/discovery/discovery-documents.ts';
import { discoveryGroups } from '../../src/http/discovery/discovery-groups.ts';
import type { NamingProfile } from '../../src/meta/naming.ts';
import { namingProfiles } from '../../src/meta/naming.ts';
import { buildCatalogue } from '../../src/registry/catalogue/catalogue.ts';
import { atOnce } from '../../src/base/sliced-work.ts';

function documentsOf(naming: NamingProfile): Record<string, unknown> {
  const catalogue = buildCatalogue({
    naming,
    groups: builtInGroups,
    schemas: loadCatalogueSchemas(naming),
    isEnabled: () => true,
  });
  const groups = atOnce(discoveryGroups(catalogue, []));
  const documents: Record<string, unknown> = {
    '/api': apiVersionsDocument(groups, '127.0.0.1:6443'),
    '/apis': atOnce(apiGroupListDocument(groups)),
  };
  for (const group of groups) {
    const root = group.group === '' ? '/api' : `/apis/${group.group}`;
    if (group.group !== '') documents[root] = apiGroupDocument(group);
    for (const version of group.versions) {
      documents[`${root}/${version.version}`] = version.local && atOnce(apiResourceListDocument(group.group, version.local));
    }
  }
  return documents;
}

describe('discovery documents', () => {
  test.each(['orch', 'kubernetes'] as const)('of the profile %s', (profile) => {
    const file = join(import.meta.dirname, 'discovery', `${profile}.json`);
    const documents = documentsOf(namingProfiles[profile]);
    const text = `${JSON.stringify(documents, null, 2)}\n`;
    if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(file, text);
    expect(JSON.parse(text)).toEqual(JSON.parse(readFileSync(file, 'utf8')));
  });

  test('every verb that discovery names is one that exists', () => {
    const known = new Set([
      'create',
      'delete',
      'deletecollection',
      'get',
      'list',
      'patch',
      'update',
      'watch',
    ]);
    const text = JSON.stringify(documentsOf(namingProfiles.orch));
    for (const [, verbs = ''] of text.matchAll(/"verbs":\[([^\]]*)\]/g)) {
      for (const verb of verbs.split(',')) expect(known).toContain(JSON.parse(verb));
    }
  });
});
