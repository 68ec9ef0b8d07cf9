/** What both versions of OpenAPI share when operations are written down. */
import type { JsonObject, JsonValue } from '../../base/json.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import { schemaExtension } from '../../meta/naming.ts';
import { definitionName } from '../../schema/openapi/definition-names.ts';
import type { SchemaSet } from '../../schema/load-proto.ts';
import type { OperationModel } from './model.ts';
import { sharedParameters } from './parameters.ts';

export interface RenderParts {
  readonly naming: NamingProfile;
  readonly schemas: SchemaSet;
  /** `v1.21.0`: the version that documents say. */
  readonly release: string;
}

/** A document without paths and types. */
export function infoOf({ release }: RenderParts): JsonObject {
  return { title: 'Resource API', version: release };
}

/** What names a document's only way to authenticate that is visible in it. */
export const bearerToken = {
  type: 'apiKey',
  name: 'authorization',
  in: 'header',
  description: 'A bearer token; client certificates do as well.',
} as const;
export const security: JsonValue = [{ BearerToken: [] }];

/** Action and kind, under every prefix that clients look for. */
export function operationExtensions(naming: NamingProfile, { action, gvk }: OperationModel): JsonObject {
  return {
    ...(action !== undefined && schemaExtension(naming, 'action', action)),
    ...(gvk && schemaExtension(naming, 'group-version-kind', { ...gvk })),
  };
}

export function typeReference(naming: NamingProfile, base: string, type: string): JsonObject {
  return { $ref: `${base}/${definitionName(type, naming)}` };
}

/** Parameters that a document describes once are referred to; the others are written where they are used. */
export function isShared(name: string): boolean {
  return sharedParameters.includes(name);
}
