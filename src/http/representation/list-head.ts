/** The metadata of a list, before its items. */
import type { ListHead } from '../../codec/list-page.ts';
import type { TypeMeta } from '../../codec/protobuf/codec.ts';
import { apiVersionOf } from '../../meta/gvk.ts';
import type { ListResult, ServedResource } from '../../registry/types.ts';

export function listHeadOf(resource: ServedResource, result: ListResult): ListHead {
  return {
    kind: resource.listKind,
    apiVersion: apiVersionOf(resource.gvk),
    selfLink: result.selfLink,
    resourceVersion: String(result.revision),
    continue: result.continue,
    remainingItemCount: result.remainingItemCount,
  };
}

/** As the metadata of a list object. */
export function listMetadata(result: ListResult): {
  selfLink?: string;
  resourceVersion: string;
  continue?: string;
  remainingItemCount?: number;
} {
  return {
    ...(result.selfLink !== undefined && { selfLink: result.selfLink }),
    resourceVersion: String(result.revision),
    ...(result.continue !== '' && { continue: result.continue }),
    ...(result.remainingItemCount !== undefined && { remainingItemCount: result.remainingItemCount }),
  };
}

/** A list without objects as JSON. */
export function emptyListText(listType: TypeMeta): string {
  return JSON.stringify({ ...listType, metadata: {}, items: [] });
}
