/** The OpenAPI v3 document of another server for its group version, or one that is made of its v2 document. */
import { isObject, type JsonObject, type JsonValue } from '../../../base/json.ts';
import type { GroupVersion } from '../../../meta/gvk.ts';
import { isOwnPath, objectOf, definitionPrefix, type RemoteV2 } from './read-v2.ts';
import { mapMembers, neededDefinitions, withReferences } from './references.ts';
import { assertPaths, assertSchemas } from './shape.ts';

const schemaPrefix = '#/components/schemas/';
const parameterPrefix = '#/components/parameters/';
const methods: ReadonlySet<string> = new Set(['get', 'put', 'post', 'delete', 'patch', 'head', 'options']);

/**
 * A document with the paths of the group version.
 * @throws Error if it is no such document, or a reference in it leads nowhere
 */
export function readV3(document: JsonValue, gv: GroupVersion): JsonObject {
  const version = isObject(document) ? document['openapi'] : undefined;
  if (!isObject(document) || typeof version !== 'string' || !version.startsWith('3.'))
    throw new Error('no OpenAPI v3 document');
  const own = Object.entries(objectOf(document['paths'], 'paths')).filter(([path]) => isOwnPath(path, gv));
  const components = objectOf(document['components'], 'components');
  const schemas = objectOf(components['schemas'], 'schemas');
  const parameters = objectOf(components['parameters'], 'parameters');
  const paths: JsonObject = Object.fromEntries(own);
  neededDefinitions([paths, parameters, schemas], schemas, {
    prefix: schemaPrefix,
    others: [parameterPrefix],
  });
  assertPaths(paths);
  assertSchemas(schemas, 'schemas');
  neededDefinitions([paths], parameters, { prefix: parameterPrefix, others: [schemaPrefix] });
  return {
    openapi: version,
    info: infoOf(document['info']),
    paths,
    components: { schemas, ...(Object.keys(parameters).length > 0 && { parameters }) },
  };
}

function infoOf(info: JsonValue | undefined): JsonObject {
  const { title, version } = isObject(info) ? info : {};
  return {
    title: typeof title === 'string' ? title : '',
    version: typeof version === 'string' ? version : '',
  };
}

/** For servers without v3 (before release 1.23): says the same as the v2 document. */
export function asV3({ paths, definitions }: RemoteV2, info: JsonValue | undefined): JsonObject {
  const moved = (value: JsonValue): JsonValue =>
    withReferences(value, (reference) =>
      reference.startsWith(definitionPrefix)
        ? `${schemaPrefix}${reference.slice(definitionPrefix.length)}`
        : reference,
    );
  return {
    openapi: '3.0.0',
    info: infoOf(info),
    paths: moved(mapMembers(paths, pathItem)),
    components: { schemas: moved(definitions) as JsonObject },
  };
}

function pathItem(item: JsonValue): JsonValue {
  if (!isObject(item)) return {};
  const shared = arrayOf(item['parameters']);
  return {
    ...Object.fromEntries(
      Object.entries(item).flatMap(([key, value]) =>
        methods.has(key) && isObject(value) ? [[key, operation(value)]] : [],
      ),
    ),
    ...(shared.length > 0 && { parameters: shared.filter((one) => one['in'] !== 'body').map(parameter) }),
  };
}

function operation(value: JsonObject): JsonObject {
  const { consumes, produces, parameters, responses, schemes: _schemes, ...rest } = value;
  const all = arrayOf(parameters);
  const body = all.find((one) => one['in'] === 'body');
  const others = all.filter((one) => one['in'] !== 'body').map(parameter);
  return {
    ...rest,
    ...(others.length > 0 && { parameters: others }),
    ...(body && { requestBody: requestBody(body, textsOf(consumes)) }),
    responses: mapMembers(isObject(responses) ? responses : {}, (one) => response(one, textsOf(produces))),
  };
}

function requestBody({ required, schema = {} }: JsonObject, mediaTypes: readonly string[]): JsonObject {
  return { content: contentOf(mediaTypes, schema), ...(required === true && { required }) };
}

function response(value: JsonValue, mediaTypes: readonly string[]): JsonValue {
  const { description = '', schema } = isObject(value) ? value : {};
  return { description, ...(schema !== undefined && { content: contentOf(mediaTypes, schema) }) };
}

function contentOf(mediaTypes: readonly string[], schema: JsonValue): JsonObject {
  return Object.fromEntries((mediaTypes.length > 0 ? mediaTypes : ['*/*']).map((type) => [type, { schema }]));
}

/** Its type stands in a schema of its own. */
function parameter(value: JsonObject): JsonObject {
  const { name, in: place, description, required, ...schema } = value;
  return {
    ...(name !== undefined && { name }),
    ...(place !== undefined && { in: place }),
    ...(description !== undefined && { description }),
    ...(required !== undefined && { required }),
    schema,
  };
}

function arrayOf(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function textsOf(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
