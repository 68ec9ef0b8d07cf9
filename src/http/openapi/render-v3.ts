/** Renders paths as OpenAPI version 3. */
import type { JsonObject, JsonValue } from '../../base/json.ts';
import type { AnswerModel, BodyModel, OperationModel, PathModel } from './model.ts';
import { parameterText, sharedParameters } from './parameters.ts';
import type { RenderParts } from './render.ts';
import { bearerToken, infoOf, isShared, operationExtensions, security, typeReference } from './render.ts';

/** A document without its paths and schemas. */
export interface HeadV3 {
  readonly openapi: string;
  readonly info: JsonObject;
  readonly components: JsonObject;
  readonly security: JsonValue;
}

export function headOfV3(parts: RenderParts): HeadV3 {
  const parameters = Object.fromEntries(sharedParameters.map((name) => [name, queryParameter(parts, name)]));
  return {
    openapi: '3.0.0',
    info: infoOf(parts),
    components: { parameters, securitySchemes: { BearerToken: bearerToken } },
    security,
  };
}

export function pathItemV3(parts: RenderParts, { inPath, query, operations }: PathModel): JsonObject {
  const named = Object.entries(inPath).map(([name, description]) => pathParameter(name, description));
  const parameters = [...named, ...query.map((name) => parameter(parts, name))];
  return {
    ...Object.fromEntries(operations.map((model) => [model.method, operation(parts, model)])),
    ...(parameters.length > 0 && { parameters }),
  };
}

function operation(parts: RenderParts, model: OperationModel): JsonObject {
  const parameters = model.query.map((name) => parameter(parts, name));
  return {
    description: model.description,
    operationId: model.id,
    tags: [model.tag],
    ...(parameters.length > 0 && { parameters }),
    ...(model.body && { requestBody: requestBody(parts, model.body) }),
    responses: Object.fromEntries([
      ...model.answers.map((answer): [string, JsonValue] => [
        String(answer.code),
        response(parts, answer, model.produces),
      ]),
      ['401', { description: 'Unauthorized' }],
    ]),
    ...operationExtensions(parts.naming, model),
  };
}

function requestBody(parts: RenderParts, { type, mediaTypes, required }: BodyModel): JsonObject {
  return { ...(required && { required }), content: content(parts, mediaTypes, type) };
}

function response(
  parts: RenderParts,
  { description, type, isText }: AnswerModel,
  produces: readonly string[],
): JsonObject {
  if (isText === true) return { description, content: contentOf(produces, { type: 'string' }) };
  return { description, ...(type !== undefined && { content: content(parts, produces, type) }) };
}

function content({ naming }: RenderParts, mediaTypes: readonly string[], type: string): JsonObject {
  return contentOf(mediaTypes, typeReference(naming, '#/components/schemas', type));
}

function contentOf(mediaTypes: readonly string[], schema: JsonObject): JsonObject {
  return Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, { schema }]));
}

function parameter(parts: RenderParts, name: string): JsonObject {
  return isShared(name) ? { $ref: `#/components/parameters/${name}` } : queryParameter(parts, name);
}

function queryParameter({ schemas }: RenderParts, key: string): JsonObject {
  const { name, description, schema } = parameterText(schemas, key);
  return { name, in: 'query', description, schema };
}

function pathParameter(name: string, description: string): JsonObject {
  return { name, in: 'path', required: true, description, schema: { type: 'string', uniqueItems: true } };
}
