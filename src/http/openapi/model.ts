/** The model of paths and operations that both OpenAPI versions render. */
import type { GroupVersionKind } from '../../meta/gvk.ts';
import type { ServedResource } from '../../registry/types.ts';
import { customReferences } from './custom-definitions.ts';

export type HttpMethod = 'get' | 'put' | 'post' | 'delete' | 'patch';

export interface BodyModel {
  /** Schema name: `core/v1.Pod`. */
  readonly type: string;
  readonly mediaTypes: readonly string[];
  readonly required: boolean;
}

export interface AnswerModel {
  readonly code: number;
  readonly description: string;
  /** Schema name; absent if there is no schema. */
  readonly type?: string;
  /** Untyped text. */
  readonly isText?: boolean;
}

export interface OperationModel {
  readonly method: HttpMethod;
  readonly id: string;
  readonly description: string;
  readonly tag: string;
  /** `list`, `watch`…: the extension `action`. */
  readonly action?: string;
  readonly gvk?: GroupVersionKind;
  /** Query parameters of this operation, by name. */
  readonly query: readonly string[];
  readonly body?: BodyModel;
  readonly produces: readonly string[];
  readonly answers: readonly AnswerModel[];
}

export interface PathModel {
  readonly path: string;
  /** Parameters in the path with their descriptions, by name. */
  readonly inPath: Readonly<Record<string, string>>;
  /** Query parameters of all operations of the path, by name. */
  readonly query: readonly string[];
  readonly operations: readonly OperationModel[];
}

/** A part of a document of version 3 and of the single document of version 2. */
export interface DocumentModel {
  readonly paths: readonly PathModel[];
  /** Types to include beside those of operations. */
  readonly roots: readonly string[];
  /** Resources that describe their own types (custom resources). */
  readonly custom: readonly ServedResource[];
}

/** The catalogue types that it refers to. */
export function rootsOf({ paths, roots, custom }: DocumentModel): string[] {
  const own = new Set(custom.flatMap(({ description }) => [description?.object, description?.list]));
  const operations = paths.flatMap((path) => path.operations);
  const used = operations.flatMap(({ body, answers }) => [body?.type, ...answers.map((a) => a.type)]);
  const known = used.filter((type) => type !== undefined && !own.has(type)) as string[];
  return [...new Set([...roots, ...known, ...(own.size > 0 ? customReferences : [])])];
}
