/** The forms of documents: how members are rendered, encoded, and put together, by OpenAPI version and form. */
import type { Slice } from '../../base/cooperate.ts';
import type { JsonObject } from '../../base/json.ts';
import { concatSliced } from '../concat-sliced.ts';
import {
  assembleV2,
  assembleV3,
  encodeDefinitionsV2,
  encodePathsV2,
  encodePathsV3,
  encodeSchemasV3,
} from './gnostic/sliced-protobuf.ts';
import type { Sized } from './gnostic/openapi-messages.ts';
import type { PathModel } from './model.ts';
import type { RenderParts } from './render.ts';
import { headOfV2, pathItemV2 } from './render-v2.ts';
import { headOfV3, pathItemV3 } from './render-v3.ts';
import {
  comma,
  encodeMembers,
  joinedMembers,
  joinedV2,
  joinedV3,
  type EncodedMembers,
} from './sliced-json.ts';

export type DocumentVersion = 2 | 3;
export type DocumentForm = 'json' | 'protobuf';

type Encode = (members: JsonObject, slice: Slice) => Promise<Buffer[]>;

export interface DocumentEncoding {
  readonly version: DocumentVersion;
  readonly form: DocumentForm;
  readonly pathItem: (parts: RenderParts, path: PathModel) => JsonObject;
  readonly encodePaths: Encode;
  readonly encodeDefinitions: Encode;
  /** Several members as one buffer. */
  readonly join: (members: readonly Buffer[], slice: Slice) => Promise<Buffer>;
  /** What stands between two members. */
  readonly separator: Buffer;
  /** The whole document, in parts. */
  readonly assemble: <T extends Sized>(
    parts: RenderParts,
    members: EncodedMembers<T>,
  ) => readonly (T | Buffer)[];
}

const json = {
  form: 'json',
  encodePaths: encodeMembers,
  encodeDefinitions: encodeMembers,
  join: joinedMembers,
  separator: comma,
} as const;
const protobuf = { form: 'protobuf', join: concatSliced, separator: Buffer.alloc(0) } as const;
const v2 = { version: 2, pathItem: pathItemV2 } as const;
const v3 = { version: 3, pathItem: pathItemV3 } as const;

export const documentEncodings: Readonly<
  Record<DocumentVersion, Readonly<Record<DocumentForm, DocumentEncoding>>>
> = {
  2: {
    json: { ...v2, ...json, assemble: (parts, members) => joinedV2(headOfV2(parts), members) },
    protobuf: {
      ...{ ...v2, ...protobuf, encodePaths: encodePathsV2, encodeDefinitions: encodeDefinitionsV2 },
      assemble: (parts, members) => assembleV2(headOfV2(parts), members),
    },
  },
  3: {
    json: { ...v3, ...json, assemble: (parts, members) => joinedV3(headOfV3(parts), members) },
    protobuf: {
      ...{ ...v3, ...protobuf, encodePaths: encodePathsV3, encodeDefinitions: encodeSchemasV3 },
      assemble: (parts, members) => assembleV3({ ...headOfV3(parts) }, members),
    },
  },
};
