/** A write as plain data: all that carrying it out needs, in this thread or in another. */
import type { JsonValue } from '../../base/json.ts';
import type { GroupVersionResource } from '../../meta/gvk.ts';
import type { UserInfo } from '../../meta/user.ts';
import type { DeleteOptions } from '../../registry/types.ts';
import type { Entry } from '../../storage/types.ts';

export type WriteOperation = 'create' | 'replace' | 'patch' | 'apply' | 'delete' | 'act' | 'applyScale';

export interface WriteRequest {
  readonly operation: WriteOperation;
  readonly resource: GroupVersionResource;
  /** The verb of the request attributes: `create`, `update`, `patch` … */
  readonly verb: string;
  /** '' for cluster scope. */
  readonly namespace: string;
  /** '' for a POST to the collection. */
  readonly name: string;
  readonly subresource: string;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  readonly fieldManager: string;
  /** Absent: fields that cannot be used are dropped in silence. */
  readonly directive?: 'Strict' | 'Warn' | undefined;
  /** The directive `Ignore` was sent: an applied configuration may even give a key twice. */
  readonly ignoresDuplicates?: boolean;
  /** Of an apply: takes fields from other managers. */
  readonly force?: boolean;
  /** Of a delete. */
  readonly deletion?: DeleteOptions;
  /** The Content-Type header as sent. */
  readonly contentType: string | undefined;
  /** The body as sent; empty where the operation has none. */
  readonly body: Buffer;
}

/** What a write answers. */
export type WriteAnswer =
  /** Of create, replace, patch and apply. */
  | { readonly kind: 'entry'; readonly entry: Entry; readonly created: boolean }
  | { readonly kind: 'deleted'; readonly entry: Entry; readonly removed: boolean }
  /** Of actions. */
  | { readonly kind: 'value'; readonly value: JsonValue };
