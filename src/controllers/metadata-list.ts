/** A whole list from a client that gives its objects one by one. */
import type { ApiObject } from '../meta/object.ts';
import type { MetadataList } from './types.ts';

/** @param each gives the objects to a function, and the version of the list in the end */
export async function metadataList(
  each: (onItem: (object: ApiObject) => void) => Promise<string>,
): Promise<MetadataList> {
  const items: ApiObject[] = [];
  const resourceVersion = await each((object) => void items.push(object));
  return { resourceVersion, items };
}
