/** Events: most fields have another name here than in the core group. */
import type { JsonObject } from '../../base/json.ts';
import { setOwn } from '../../base/json.ts';

/** Name in the core group, name here. */
export const renamed: readonly (readonly [core: string, here: string])[] = [
  ['count', 'deprecatedCount'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['source', 'deprecatedSource'],
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['reportingComponent', 'reportingController'],
];

const toCore = new Map(renamed.map(([core, here]) => [here, core]));
const fromCore = new Map(renamed);

function rename(object: JsonObject, names: ReadonlyMap<string, string>): JsonObject {
  const result: JsonObject = {};
  for (const [name, value] of Object.entries(object)) setOwn(result, names.get(name) ?? name, value ?? null);
  return result;
}

export function eventToStorage(object: JsonObject): JsonObject {
  return rename(object, toCore);
}

/** Written always in the core group, here only when there is something to say. */
const reportingFields = ['reportingController', 'reportingInstance'];

export function eventFromStorage(object: JsonObject): JsonObject {
  const event = rename(object, fromCore);
  for (const name of reportingFields) if (event[name] === '') Reflect.deleteProperty(event, name);
  return event;
}
