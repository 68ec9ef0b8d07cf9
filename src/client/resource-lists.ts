/** What API servers say that they serve, as controllers see it. */
import { SharedSlice } from '../base/cooperate.ts';
import { isObject, type JsonObject, type JsonValue } from '../base/json.ts';
import { IncompleteDiscovery, type ResourceRef } from '../controllers/types.ts';
import { apiVersionOf, parseApiVersion, type GroupVersion } from '../meta/gvk.ts';
import { StatusError } from '../meta/status.ts';

/** Where the resources of a group version are listed and served. */
export function rootPath({ group, version }: GroupVersion): string {
  return group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
}

/** The resources of the group versions that answer, and why others do not, by `<group>/<version>`. */
export interface ListedResources {
  readonly resources: ResourceRef[];
  readonly failures: ReadonlyMap<string, unknown>;
}

/** Group versions that are asked for at once; clients may register thousands. */
const atOnce = 100;
const asking = new SharedSlice();

/** Asks for each group version, in slices. @param ask gives an APIResourceList */
export async function listResources(
  versions: readonly GroupVersion[],
  ask: (version: GroupVersion) => Promise<JsonObject>,
): Promise<ListedResources> {
  const failures = new Map<string, unknown>();
  const list = async (version: GroupVersion): Promise<ResourceRef[]> => {
    try {
      return resourcesOf(await ask(version), version);
    } catch (error) {
      // A custom resource may be removed during discovery.
      if (!(error instanceof StatusError) || error.code !== 404) failures.set(apiVersionOf(version), error);
      return [];
    }
  };
  const lists: ResourceRef[][] = [];
  const queue = versions.entries();
  const worker = async (): Promise<void> => {
    for (const [place, version] of queue) {
      lists[place] = await list(version);
      if (asking.shouldYield()) await asking.yieldNow();
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, versions.length) }, worker));
  return { resources: lists.flat(), failures };
}

/** Every resource once, found in slices. @throws IncompleteDiscovery if a group version did not answer */
export async function completeResources({ resources, failures }: ListedResources): Promise<ResourceRef[]> {
  const found = await onePerResource(resources);
  if (failures.size > 0) throw new IncompleteDiscovery(found, failures);
  return found;
}

/** Resources of other servers may be hundreds of thousands. */
const resourcesOfStep = 100;

/** The preferred version of a group is first, but it may lack some resources. */
async function onePerResource(resources: readonly ResourceRef[]): Promise<ResourceRef[]> {
  const found = new Map<string, ResourceRef>();
  for (const [place, resource] of resources.entries()) {
    const name = `${resource.group}/${resource.resource}`;
    if (!found.has(name)) found.set(name, resource);
    if (place % resourcesOfStep === 0 && asking.shouldYield()) await asking.yieldNow();
  }
  return [...found.values()];
}

/** @throws Error for a list of another group version */
function resourcesOf(list: JsonObject, version: GroupVersion): ResourceRef[] {
  const { group, version: name } = parseApiVersion(text(list['groupVersion'])) ?? {};
  if (group !== version.group || name !== version.version)
    throw new Error(`the response is no APIResourceList of ${apiVersionOf(version)}`);
  const resources = Array.isArray(list['resources']) ? list['resources'].filter(isObject) : [];
  return resources
    .filter((r) => isPlural(text(r['name'])))
    .map((r) => ({
      ...version,
      resource: text(r['name']),
      kind: text(r['kind']),
      namespaced: r['namespaced'] === true,
      verbs: Array.isArray(r['verbs']) ? r['verbs'].map(text) : [],
    }));
}

/** Names become parts of paths; those of subresources have a slash. */
function isPlural(name: string): boolean {
  return /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(name);
}

function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
