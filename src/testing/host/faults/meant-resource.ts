/** A scope that can never match is a mistake: the test would pass without its fault. */
import type { ResourceCatalogue } from '../../../registry/types.ts';

/**
 * The resource that is meant where a scope has another name of its kind.
 * @param given as a scope has it: `configmap`, `Secret`, `deployment.apps/status`
 * @returns `configmaps`; undefined for a name that is served, or may be later
 */
export function meantResource(given: string, catalogue: ResourceCatalogue): string | undefined {
  const [, name = '', rest = ''] = /^([^./]*)(.*)$/su.exec(given) ?? [];
  const wanted = name.toLowerCase();
  let meant: string | undefined;
  for (const { versions } of catalogue.groups())
    for (const { gvr, gvk, definition } of versions.flatMap(({ resources }) => resources)) {
      if (gvr.resource === name) return undefined;
      const others = [gvr.resource, definition.singular, gvk.kind.toLowerCase()];
      if (others.includes(wanted)) meant ??= gvr.resource + rest;
    }
  return meant;
}
