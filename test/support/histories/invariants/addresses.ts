/**
 * At every revision each address and node port of a Service is held by that Service alone, and the key that claims it
 * exists and names it; a key that claims a value belongs to a Service that has it.
 */
import { Violations } from '../violations.ts';
import { walk, type StoredObject, type World } from './walk.ts';
import type { Past } from '../types.ts';

const services = 'core/services';

/** The values of services that nobody else may have, by the collection of their claims. */
const pools: Readonly<Record<string, (service: StoredObject) => string[]>> = {
  'ranges/serviceips': addressesOf,
  'ranges/servicenodeports': nodePortsOf,
};

export function addressesHaveOneHolder(past: Past): string[] {
  const found = new Violations();
  walk(past, {
    after: ({ revision, changes }, world) => {
      for (const [claims, valuesOf] of Object.entries(pools)) {
        if (!changes.some(({ collection }) => collection === services || collection === claims)) continue;
        for (const words of wrongHolders(world, claims, valuesOf)) found.add(`at ${revision} ${words}`);
      }
    },
  });
  return found.list();
}

function wrongHolders(world: World, claims: string, valuesOf: (service: StoredObject) => string[]): string[] {
  const wrong: string[] = [];
  const holders = new Map<string, string>();
  for (const [key, service] of world.of(services)) {
    for (const value of valuesOf(service)) {
      const other = holders.get(value);
      if (other !== undefined) wrong.push(`${value} is held by ${other} and ${key}`);
      holders.set(value, key);
      const claim = holderOf(world.get({ collection: claims, key: value }));
      if (claim !== key) wrong.push(`${value} of ${key} is claimed by ${claim ?? 'nobody'}`);
    }
  }
  for (const [value, claim] of world.of(claims)) {
    if (!holders.has(value))
      wrong.push(`${value} is claimed by ${holderOf(claim) ?? '?'}, which does not have it`);
  }
  return wrong;
}

function addressesOf({ spec }: StoredObject): string[] {
  const { clusterIPs = [], clusterIP } = (spec ?? {}) as { clusterIPs?: string[]; clusterIP?: string };
  return [...new Set([...clusterIPs, clusterIP ?? ''])].filter(
    (address) => address !== '' && address !== 'None',
  );
}

function nodePortsOf({ spec }: StoredObject): string[] {
  const { ports = [] } = (spec ?? {}) as { ports?: readonly { nodePort?: number }[] };
  return [...new Set(ports.flatMap(({ nodePort = 0 }) => (nodePort === 0 ? [] : [String(nodePort)])))];
}

/** The value of a claim is `{namespace, name, uid}`. */
function holderOf(claim: StoredObject | undefined): string | undefined {
  if (claim === undefined) return undefined;
  const { namespace = '', name = '' } = claim as { namespace?: string; name?: string };
  return `${namespace}/${name}`;
}
