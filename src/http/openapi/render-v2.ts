/** Renders paths as OpenAPI version 2 (Swagger). */
import type { JsonObject, JsonValue } from '../../base/json.ts';
import type { AnswerModel, OperationModel, PathModel } from './model.ts';
import { parameterText, sharedParameters } from './parameters.ts';
import type { RenderParts } from './render.ts';
import { bearerToken, infoOf, isShared, operationExtensions, security, typeReference } from './render.ts';

/** The document without `paths` and `definitions`. */
export function headOfV2(parts: RenderParts): JsonObject {
  return {
    swagger: '2.0',
    info: infoOf(parts),
    parameters: Object.fromEntries(sharedParameters.map((name) => [name, queryParameter(parts, name)])),
    securityDefinitions: { BearerToken: bearerToken },
    security,
  };
}

export function pathItemV2(parts: RenderParts, { inPath, query, operations }: PathModel): JsonObject {
  const named = Object.entries(inPath).map(([name, description]) => pathParameter(name, description));
  const parameters = [...named, ...query.map((name) => parameter(parts, name))];
  return {
    ...Object.fromEntries(operations.map((model) => [model.method, operation(parts, model)])),
    ...(parameters.length > 0 && { parameters }),
  };
}

function operation(parts: RenderParts, model: OperationModel): JsonObject {
  const { body } = model;
  const parameters = model.query.map((name) => parameter(parts, name));
  if (body) {
    const schema = reference(parts, body.type);
    parameters.unshift({ name: 'body', in: 'body', ...(body.required && { required: true }), schema });
  }
  return {
    description: model.description,
    operationId: model.id,
    tags: [model.tag],
    schemes: ['https'],
    consumes: body ? [...body.mediaTypes] : ['*/*'],
    produces: [...model.produces],
    ...(parameters.length > 0 && { parameters }),
    responses: Object.fromEntries([
      ...model.answers.map((answer): [string, JsonValue] => [String(answer.code), response(parts, answer)]),
      ['401', { description: 'Unauthorized' }],
    ]),
    ...operationExtensions(parts.naming, model),
  };
}

function response(parts: RenderParts, { description, type, isText }: AnswerModel): JsonObject {
  const schema = isText === true ? { type: 'string' } : type !== undefined && reference(parts, type);
  return { description, ...(schema && { schema }) };
}

function reference({ naming }: RenderParts, type: string): JsonObject {
  return typeReference(naming, '#/definitions', type);
}

function parameter(parts: RenderParts, name: string): JsonObject {
  return isShared(name) ? { $ref: `#/parameters/${name}` } : queryParameter(parts, name);
}

function queryParameter({ schemas }: RenderParts, key: string): JsonObject {
  const { name, description, schema } = parameterText(schemas, key);
  return { name, in: 'query', description, ...schema };
}

function pathParameter(name: string, description: string): JsonObject {
  return { name, in: 'path', required: true, description, type: 'string', uniqueItems: true };
}
