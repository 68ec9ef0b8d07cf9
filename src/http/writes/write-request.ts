/** A write as plain data, so that it can be sent to a write thread. */
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
  /** Absent if invalid fields are silently dropped. */
  readonly directive?: 'Strict' | 'Warn' | undefined;
  /** The directive is `Ignore`: duplicate keys of an applied configuration are accepted. */
  readonly ignoresDuplicates?: boolean;
  /** For apply: takes ownership of conflicting fields. */
  readonly force?: boolean;
  /** The service maintains the object: neither webhooks nor policies are asked. */
  readonly isOwn?: boolean;
  /** For delete. */
  readonly deletion?: DeleteOptions;
  /** The Content-Type header as sent. */
  readonly contentType: string | undefined;
  /** The body as sent; empty where the operation has none. */
  readonly body: Buffer;
}

/** The result of a write. */
export type WriteAnswer =
  /** Result of create, replace, patch and apply. */
  | { readonly kind: 'entry'; readonly entry: Entry; readonly created: boolean }
  | { readonly kind: 'deleted'; readonly entry: Entry; readonly removed: boolean }
  /** Of actions. */
  | { readonly kind: 'value'; readonly value: JsonValue };
