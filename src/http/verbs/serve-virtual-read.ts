/** Get and list of resources that are not stored (`componentstatuses`), in all forms of stored objects. */
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { isObject } from '../../base/json.ts';
import { encodeStored } from '../../codec/stored.ts';
import { newEntry } from '../../registry/written-entry.ts';
import { parseResourceVersion } from '../../meta/resource-version.ts';
import type { Entry } from '../../storage/types.ts';
import { StoredJson } from '../representation/stored-json.ts';
import { sendBytes } from '../respond.ts';
import { sendSliced } from '../sliced-stream.ts';
import { sendValue } from '../send-value.ts';
import type { ResourceRequest, VerbDeps } from './verb-request.ts';
import { readScope } from './verb-request.ts';

/** @throws StatusError 404, 406 */
export async function serveVirtualRead(request: ResourceRequest, deps: VerbDeps): Promise<void> {
  const { context, resource, name } = request;
  const { verb } = context.info;
  const representation = deps.representations.of(context, resource, verb === 'list' ? 'list' : 'object');
  const answer = await deps.verbs.act(readScope(request), name, verb, undefined);
  const object = isObject(answer) ? answer : {};
  // StoredJson inserts resource versions, which these objects lack.
  if (representation instanceof StoredJson) {
    sendValue(context, 200, object);
    return;
  }
  if (verb === 'get') {
    sendBytes(context, 200, representation.contentType, representation.object(entryOf(object)));
    return;
  }
  const list = {
    revision: revisionOf(object['metadata']),
    entries: itemsOf(object).map(entryOf),
    ...{ continue: '', remainingItemCount: undefined },
  };
  await sendSliced(context, 200, representation.contentType, representation.list(list));
}

function itemsOf({ items }: JsonObject): JsonObject[] {
  return Array.isArray(items) ? items.filter(isObject) : [];
}

function revisionOf(metadata: JsonValue | undefined): number {
  const version = isObject(metadata) ? metadata['resourceVersion'] : undefined;
  return parseResourceVersion(typeof version === 'string' ? version : '') ?? 0;
}

/** Without a revision: it is not cached and has no resource version. */
function entryOf(object: JsonObject): Entry {
  return newEntry('', '', encodeStored(object), 0);
}
