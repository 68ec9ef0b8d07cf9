/**
 * Some definitions and operations of the OpenAPI documents against kept files. After a wanted change write them anew
 * with `UPDATE_GOLDEN=1 npx jest -c test/tools/jest.config.json test/golden` and read the difference.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../src/base/json.ts';
import { OpenApiDocuments } from '../../src/http/openapi/openapi-documents.ts';
import { createWireTypes } from '../../src/http/wire-types.ts';
import { namingProfiles } from '../../src/meta/naming.ts';
import { realCatalogue } from '../support/catalogue.ts';
import { contentOf } from '../support/http/document-content.ts';

const types = ['core.v1.Lifecycle', 'core.v1.LimitRange', 'core.v1.ServicePort', 'core.v1.ServiceSpec'];
const path = '/api/v1/namespaces/{namespace}/limitranges/{name}';

interface V2 {
  readonly paths: JsonObject;
  readonly definitions: JsonObject;
}

interface V3 {
  readonly paths: JsonObject;
  readonly components: { readonly schemas: JsonObject };
}

async function chosen(profile: 'orch' | 'kubernetes'): Promise<JsonObject> {
  const naming = namingProfiles[profile];
  const { catalogue, schemas } = realCatalogue(naming);
  const wireTypes = createWireTypes(() => catalogue, schemas);
  const parts = { catalogue, schemas, types: wireTypes, naming, release: 'v1.21.0' };
  const documents = await OpenApiDocuments.of(parts);
  const v2 = JSON.parse(contentOf(await documents.v2('json')).toString()) as V2;
  const v3 = JSON.parse(contentOf(await documents.v3('api/v1', 'json')).toString()) as V3;
  const pick = (from: JsonObject): JsonObject =>
    Object.fromEntries(types.map((type) => [type, from[`io.${domain}.api.${type}`] ?? null]));
  const domain = naming.apiDomain.split('.').slice(0, -1).join('.');
  return {
    v2: { path: v2.paths[path] ?? null, definitions: pick(v2.definitions) },
    v3: { path: v3.paths[path] ?? null, schemas: pick(v3.components.schemas) },
  };
}

test.each(['orch', 'kubernetes'] as const)('OpenAPI of the profile %s', async (profile) => {
  const file = join(import.meta.dirname, 'openapi', `${profile}.json`);
  const text = `${JSON.stringify(await chosen(profile), null, 2)}\n`;
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(file, text);
  expect(JSON.parse(text)).toEqual(JSON.parse(readFileSync(file, 'utf8')));
});
