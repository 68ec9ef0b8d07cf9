import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import protobuf from 'protobufjs';
import type { JsonObject } from '../../../../src/base/json.ts';
import { isObject } from '../../../../src/base/json.ts';
import { OpenApiDocuments } from '../../../../src/http/openapi/openapi-documents.ts';
import { documentTypes } from '../../../../src/http/openapi/group-document.ts';
import { createWireTypes } from '../../../../src/http/wire-types.ts';
import { namingProfiles } from '../../../../src/meta/naming.ts';
import type { ResourceCatalogue } from '../../../../src/registry/types.ts';
import { realCatalogue } from '../../../support/catalogue.ts';
import type { CachedDocument } from '../../../../src/http/cached-document.ts';
import { contentOf } from '../../../support/http/document-content.ts';
import { turnsOf } from '../../../support/turns.ts';

interface Operation extends JsonObject {
  operationId: string;
  parameters: JsonObject[];
  consumes: string[];
}

interface Document extends JsonObject {
  paths: Record<string, Record<string, Operation>>;
  definitions: Record<string, JsonObject>;
}

const methods = ['get', 'put', 'post', 'delete', 'patch'];
const methodOf: Readonly<Record<string, string>> = {
  get: 'get',
  list: 'get',
  create: 'post',
  update: 'put',
  patch: 'patch',
  delete: 'delete',
  deletecollection: 'delete',
};

async function documentsOf(profile: 'orch' | 'kubernetes') {
  const naming = namingProfiles[profile];
  const { catalogue, schemas } = realCatalogue(naming);
  const types = createWireTypes(() => catalogue, schemas);
  const documents = await OpenApiDocuments.of({ catalogue, schemas, types, naming, release: 'v1.21.0' });
  return { catalogue, documents };
}

async function parsed(document: Promise<CachedDocument | undefined>): Promise<Document> {
  return JSON.parse(contentOf(await document).toString()) as Document;
}

/** Every value of `$ref` in a document. */
function references(value: unknown, found = new Set<string>()): Set<string> {
  if (Array.isArray(value)) for (const element of value) references(element, found);
  else if (isObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      if (name === '$ref' && typeof member === 'string') found.add(member);
      else references(member, found);
    }
  }
  return found;
}

function unresolved(document: JsonObject): string[] {
  return [...references(document)].filter((reference) => {
    const path = reference.split('/').slice(1);
    return path.reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), document) === undefined;
  });
}

function operationsOf({ paths }: Document): Operation[] {
  return Object.values(paths).flatMap((item) => methods.flatMap((m) => (item[m] ? [item[m]] : [])));
}

/** Names in braces of a path against the parameters that it declares. */
function undeclared([path, item]: [string, JsonObject]): string[] {
  const declared = ((item['parameters'] ?? []) as JsonObject[]).filter((p) => p['in'] === 'path');
  const names = [...path.matchAll(/\{(\w+)\}/g)].map((found) => found[1]);
  const same =
    names.sort().join() ===
    declared
      .map((p) => p['name'] as string)
      .sort()
      .join();
  return same ? [] : [path];
}

describe.each(['orch', 'kubernetes'] as const)('OpenAPI of the %s profile', (profile) => {
  let catalogue: ResourceCatalogue;
  let documents: OpenApiDocuments;
  beforeAll(async () => {
    ({ catalogue, documents } = await documentsOf(profile));
  });

  test('version 2 is sound: references, ids, parameters', async () => {
    const document = await parsed(documents.v2('json'));
    expect(unresolved(document)).toEqual([]);
    expect(Object.entries(document.paths).flatMap(undeclared)).toEqual([]);
    const ids = operationsOf(document).map((operation) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(
      expect.arrayContaining(['listCoreV1PodForAllNamespaces', 'deleteCoreV1CollectionNamespacedConfigMap']),
    );
  });

  test('every verb of every resource has its operation', async () => {
    const { paths } = await parsed(documents.v2('json'));
    const missing: string[] = [];
    for (const resource of catalogue.groups().flatMap((g) => g.versions.flatMap((v) => v.resources))) {
      const { group, version, resource: plural } = resource.gvr;
      const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
      const collection = `${root}${resource.namespaced ? '/namespaces/{namespace}' : ''}/${plural}`;
      const expected = resource.definition.verbs.map((verb) => {
        if (verb === 'watch') return [`${root}/watch/${plural}`, 'get'];
        const isMany = ['list', 'create', 'deletecollection'].includes(verb);
        return [isMany ? collection : `${collection}/{name}`, methodOf[verb]];
      });
      for (const { name, verbs } of resource.definition.subresources) {
        expected.push(...verbs.map((verb) => [`${collection}/{name}/${name}`, methodOf[verb]]));
      }
      missing.push(
        ...expected.filter(([path = '', method = '']) => !paths[path]?.[method]).map((e) => e.join(' ')),
      );
    }
    expect(missing).toEqual([]);
  });

  test('patches say which parameters they know: a dry run, field validation', async () => {
    const { paths } = await parsed(documents.v2('json'));
    const patch = paths['/api/v1/namespaces/{namespace}/pods/{name}']?.['patch'];
    expect(patch?.parameters.map((p) => p['name'])).toEqual([
      'body',
      'dryRun',
      'fieldManager',
      'fieldValidation',
      'force',
    ]);
    expect(patch?.['x-kubernetes-group-version-kind']).toEqual({ group: '', version: 'v1', kind: 'Pod' });
  });

  test('each document of version 3 is sound by itself', async () => {
    const all = await documents.v3Hashes();
    expect([...all.keys()]).toEqual(expect.arrayContaining(['api', 'api/v1', 'apis/apps/v1', 'version']));
    for (const key of all.keys()) {
      const document = JSON.parse(contentOf(await documents.v3(key, 'json')).toString()) as Document;
      expect([key, unresolved(document)]).toEqual([key, []]);
      expect(Object.entries(document.paths).flatMap(undeclared)).toEqual([]);
    }
  });

  test('the same content gives the same hash', async () => {
    const { documents: again } = await documentsOf(profile);
    const hash = async (from: OpenApiDocuments) => (await from.v3('api/v1', 'json'))?.hash;
    expect(await hash(again)).toBe(await hash(documents));
  });

  test('no piece of the work holds the thread', async () => {
    // Other work on the machine can only make it slower: the best of some tries counts.
    let best = Number.POSITIVE_INFINITY;
    for (let i = 0; i < 5 && best >= 20; i += 1) {
      best = Math.min(best, await longestTurn((await documentsOf(profile)).documents));
    }
    expect(best).toBeLessThan(20);
  });
});

/** The most processor time between two turns of the event loop while all documents are made, in milliseconds. */
async function longestTurn(documents: OpenApiDocuments): Promise<number> {
  const turns = await turnsOf(async () => {
    await Promise.all([documents.v3Hashes(), documents.v2('protobuf'), documents.v2('json')]);
    await documents.v3('api/v1', 'protobuf');
  });
  return turns[0] ?? Infinity;
}

describe('Protobuf form', () => {
  let documents: OpenApiDocuments;
  beforeAll(async () => {
    ({ documents } = await documentsOf('kubernetes'));
  });
  const root = protobuf.parse(readFileSync(join(import.meta.dirname, 'openapi.proto'), 'utf8'), {
    keepCase: true,
  }).root;
  const read = (type: string, bytes: Buffer): unknown => {
    const found = root.lookupType(type);
    return found.toObject(found.decode(bytes), { arrays: false });
  };
  const find = (named: readonly Named[] | undefined, name: string): unknown =>
    named?.find((entry) => entry.name === name)?.value;

  interface Named {
    readonly name: string;
    readonly value: JsonObject;
  }

  test('of version 2', async () => {
    const made = await documents.v2('protobuf');
    const bytes = contentOf(made);
    expect(made.mediaType).toBe(documentTypes.v2.protobuf);
    const document = read('v2.Document', bytes) as {
      swagger: string;
      paths: { path: Named[] };
      definitions: { additional_properties: Named[] };
    };
    const json = await parsed(documents.v2('json'));
    expect(document.swagger).toBe('2.0');
    expect(document.paths.path.map((p) => p.name)).toEqual(Object.keys(json.paths));
    const definitions = document.definitions.additional_properties;
    expect(definitions.map((d) => d.name)).toEqual(Object.keys(json.definitions));
    expect(find(definitions, 'io.k8s.api.core.v1.ConfigMapList')).toMatchObject({
      type: { value: ['object'] },
      required: ['items'],
      vendor_extension: [
        {
          name: 'x-kubernetes-group-version-kind',
          value: { yaml: '[{"group":"","kind":"ConfigMapList","version":"v1"}]' },
        },
      ],
      properties: {
        additional_properties: expect.arrayContaining([
          {
            name: 'items',
            value: expect.objectContaining({
              type: { value: ['array'] },
              items: { schema: [{ _ref: '#/definitions/io.k8s.api.core.v1.ConfigMap' }] },
            }) as unknown,
          },
        ]) as unknown,
      },
    });
    expect(find(document.paths.path, '/api/v1/namespaces/{namespace}/pods/{name}')).toMatchObject({
      patch: {
        operation_id: 'patchCoreV1NamespacedPod',
        parameters: [
          { parameter: { body_parameter: { name: 'body', required: true } } },
          { parameter: { non_body_parameter: { query_parameter_sub_schema: { name: 'dryRun' } } } },
          {},
          {},
          {},
        ],
      },
      parameters: [
        { parameter: { non_body_parameter: { path_parameter_sub_schema: { name: 'name' } } } },
        {},
        { json_reference: { _ref: '#/parameters/pretty' } },
      ],
    });
  });

  test('of version 3', async () => {
    const bytes = contentOf(await documents.v3('api/v1', 'protobuf'));
    const document = read('v3.Document', bytes) as {
      openapi: string;
      paths: { path: Named[] };
      components: { schemas: { additional_properties: Named[] } };
    };
    expect(document.openapi).toBe('3.0.0');
    expect(find(document.components.schemas.additional_properties, 'io.k8s.api.core.v1.ServicePort')).toEqual(
      {
        schema: expect.objectContaining({
          type: 'object',
          required: ['port'],
          properties: {
            additional_properties: expect.arrayContaining([
              {
                name: 'protocol',
                value: {
                  schema: expect.objectContaining({ type: 'string', default: { string: 'TCP' } }) as unknown,
                },
              },
            ]) as unknown,
          },
        }) as unknown,
      },
    );
    // A default that is an object, here {}, has no Protobuf form.
    const podSpec = find(document.components.schemas.additional_properties, 'io.k8s.api.core.v1.PodSpec') as {
      schema: { properties: { additional_properties: Named[] } };
    };
    const securityContext = find(podSpec.schema.properties.additional_properties, 'securityContext');
    expect(securityContext).toMatchObject({ schema: { description: expect.any(String) as unknown } });
    expect(securityContext).not.toHaveProperty('schema.default');
    expect(find(document.paths.path, '/api/v1/namespaces')).toMatchObject({
      post: {
        request_body: { request_body: { required: true } },
        responses: {
          response_or_reference: [{ name: '200' }, { name: '201' }, { name: '202' }, { name: '401' }],
        },
      },
    });
  });
});
