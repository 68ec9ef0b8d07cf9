/** What the server of an aggregated API says that it serves: an APIResourceList, judged as the word of a stranger. */
import { isObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import type { DiscoveredResource } from '../../meta/discovered-resource.ts';
import { apiVersionOf } from '../../meta/gvk.ts';

const mostResources = 5_000;

/** @throws Error if it is no list of this group version, or its entries have no names */
export function readResources(value: JsonValue, group: string, version: string): DiscoveredResource[] {
  const groupVersion = apiVersionOf({ group, version });
  if (!isObject(value) || value['kind'] !== 'APIResourceList') throw new Error('no APIResourceList');
  if (value['groupVersion'] !== groupVersion) throw new Error(`no APIResourceList of ${groupVersion}`);
  const resources = Array.isArray(value['resources']) ? value['resources'] : [];
  if (resources.length > mostResources) throw new Error(`more than ${String(mostResources)} resources`);
  return resources.map((resource) => {
    if (!isObject(resource)) throw new Error('an entry of the APIResourceList is no object');
    return readResource(resource);
  });
}

function readResource(resource: JsonObject): DiscoveredResource {
  const read = {
    name: text(resource['name']),
    singularName: text(resource['singularName']),
    namespaced: resource['namespaced'] === true,
    group: text(resource['group']),
    version: text(resource['version']),
    kind: text(resource['kind']),
    verbs: texts(resource['verbs']),
    shortNames: texts(resource['shortNames']),
    categories: texts(resource['categories']),
  };
  if (read.name === '' || read.kind === '')
    throw new Error('an entry of the APIResourceList has no name or kind');
  return read;
}

function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function texts(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
