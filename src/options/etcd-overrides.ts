/**
 * `--etcd-servers-overrides`: resources whose objects are in etcd clusters of their own, as
 * `GROUP/RESOURCE#URL;URL,…` (kube-apiserver, `SetEtcdLocation` of its storage factory). What kube-apiserver takes
 * without effect, such as a resource that does not exist, is an error here.
 */
import { builtInGroups } from '../api/index.ts';
import { namingProfiles, type NamingProfile } from '../meta/naming.ts';
import { storedResources, type StoredResource } from '../registry/catalogue/stored-resources.ts';

/** An etcd cluster with the objects of some resources. Plain data. */
export interface EtcdOverride {
  readonly servers: readonly string[];
  /** `<group or core>/<plural>`, in alphabetical order. */
  readonly collections: readonly string[];
}

/** Takes a cause and a remedy. */
export type AddProblem = (cause: string, remedy: string) => void;

export interface OverridesParts {
  readonly naming: NamingProfile['name'];
  /** `--etcd-servers`. Resources that are placed there have no override. */
  readonly servers: readonly string[];
  /** Whether a text is the URL of a member. */
  readonly isEndpoint: (text: string) => boolean;
  readonly add: AddProblem;
}

const flag = 'flag --etcd-servers-overrides';

/** One item of the flag. */
interface Item {
  readonly group: string;
  /** A plural, or `*` for all of the group. */
  readonly resource: string;
  readonly servers: readonly string[];
}

/**
 * One override for each set of servers, in the order of the flag. Items for a resource count more than those for its
 * group (`apps/*`).
 */
export function readOverrides(items: readonly string[], parts: OverridesParts): EtcdOverride[] {
  const all = storedResources(builtInGroups, namingProfiles[parts.naming]);
  const read = items.flatMap((text) => readItem(text, parts) ?? []);
  const exact = placesOf(
    read.filter(({ resource }) => resource !== '*'),
    all,
    parts,
  );
  const whole = placesOf(
    read.filter(({ resource }) => resource === '*'),
    all,
    parts,
  );
  const places = new Map([...whole, ...exact]);
  return bySet(read, places, parts.servers);
}

function readItem(text: string, { isEndpoint, add }: OverridesParts): Item | undefined {
  const [, group = '', resource = '', list = ''] = /^([^/#]*)\/([^/#]+)#([^#]+)$/.exec(text) ?? [];
  const servers = list.split(';').map((server) => server.trim());
  if (list === '') {
    add(
      `${flag} has the item ${JSON.stringify(text)}`,
      "use GROUP/RESOURCE#URL;URL such as '/events#https://host:2379' (the core group is empty)",
    );
    return undefined;
  }
  const wrong = servers.filter((server) => !isEndpoint(server));
  for (const server of wrong)
    add(`${flag} names ${JSON.stringify(server)}`, 'use URLs such as https://host:2379');
  if (wrong.length > 0) return undefined;
  if (new Set(servers.map((server) => server.split(':', 1)[0])).size === 1)
    return { group, resource, servers };
  add(`${flag} mixes http and https for ${group}/${resource}`, 'use one scheme for all members');
  return undefined;
}

/** The item that counts for each collection. */
function placesOf(
  items: readonly Item[],
  all: readonly StoredResource[],
  { naming, add }: OverridesParts,
): Map<string, Item> {
  const places = new Map<string, Item>();
  for (const item of items)
    for (const resource of resourcesOf(item, all, add)) {
      const problem = whyNot(resource, namingProfiles[naming]);
      const before = places.get(resource.collection);
      if (problem !== '')
        add(`${flag} names ${nameOf(resource)}, which must be in --etcd-servers: ${problem}`, 'leave it out');
      else if (before && keyOf(before.servers) !== keyOf(item.servers))
        add(`${flag} gives ${nameOf(resource)} two etcd clusters`, 'name each resource once');
      else places.set(resource.collection, item);
    }
  return places;
}

function resourcesOf(
  { group, resource }: Item,
  all: readonly StoredResource[],
  add: AddProblem,
): readonly StoredResource[] {
  const found = all.filter((one) => one.group === group && ['*', one.plural].includes(resource));
  if (found.length === 0)
    add(
      `${flag} names ${group}/${resource}, which is no built-in resource with objects`,
      'use GROUP/RESOURCE such as /events or apps/deployments; custom resources are always in --etcd-servers',
    );
  return found;
}

/** Why its objects cannot be in another etcd than those of other resources; '' if they can. */
function whyNot({ collection, holdsValues }: StoredResource, { apiDomain }: NamingProfile): string {
  if (holdsValues) return 'its writes take addresses and node ports in the same transaction';
  if (collection === 'core/namespaces')
    return 'creations of other objects depend on their namespace in the same transaction';
  if (collection === `apiextensions.${apiDomain}/customresourcedefinitions`)
    return 'versions of definitions are compared with those of their custom resources';
  return '';
}

function nameOf({ group, plural }: StoredResource): string {
  return `${group}/${plural}`;
}

/** The same for the same members, in any order. */
function keyOf(servers: readonly string[]): string {
  const urls = servers.map((server) => server.toLowerCase().replace(/\/$/, ''));
  return [...new Set(urls)].sort().join(';');
}

function bySet(
  items: readonly Item[],
  places: ReadonlyMap<string, Item>,
  servers: readonly string[],
): EtcdOverride[] {
  const overrides: EtcdOverride[] = [];
  const known = new Set([keyOf(servers)]);
  for (const item of items) {
    const key = keyOf(item.servers);
    if (known.has(key)) continue;
    known.add(key);
    const collections = [...places].filter(([, place]) => keyOf(place.servers) === key).map(([id]) => id);
    if (collections.length > 0) overrides.push({ servers: item.servers, collections: collections.sort() });
  }
  return overrides;
}
