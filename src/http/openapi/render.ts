/** Rendering shared by both OpenAPI versions. */
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
  /** The version in the documents, such as `v1.21.0`. */
  readonly release: string;
  /** Fields of later releases, as `<schema name>.<field>`. Absent: none. */
  readonly hiddenFields?: ReadonlySet<string> | undefined;
  /** Definitions have the values that fields may have; absent: they do. */
  readonly hasEnums?: boolean | undefined;
}

/** The `info` object. */
export function infoOf({ release }: RenderParts): JsonObject {
  return { title: 'Resource API', version: release };
}

/** The security scheme of documents. */
export const bearerToken = {
  type: 'apiKey',
  name: 'authorization',
  in: 'header',
  description: 'A bearer token; client certificates do as well.',
} as const;
export const security: JsonValue = [{ BearerToken: [] }];

/** The extensions for action and kind, with every prefix that clients support. */
export function operationExtensions(naming: NamingProfile, { action, gvk }: OperationModel): JsonObject {
  return {
    ...(action !== undefined && schemaExtension(naming, 'action', action)),
    ...(gvk && schemaExtension(naming, 'group-version-kind', { ...gvk })),
  };
}

export function typeReference(naming: NamingProfile, base: string, type: string): JsonObject {
  return { $ref: `${base}/${definitionName(type, naming)}` };
}

/** Shared parameters are referenced; others are inlined. */
export function isShared(name: string): boolean {
  return sharedParameters.includes(name);
}
