/**
 * Nothing is created in a namespace that is gone or terminating, and a namespace goes only when nothing is left in it.
 */
import { Violations } from '../violations.ts';
import { walk, type World } from './walk.ts';
import type { Past } from '../types.ts';

const namespaces = 'core/namespaces';

/** @param exempt collections whose keys have a slash but no namespace, such as claims of addresses */
export function namespacesEndEmpty(past: Past, exempt: (collection: string) => boolean = isClaim): string[] {
  const found = new Violations();
  walk(past, {
    before: ({ revision, changes }, world) => {
      for (const change of changes) {
        const { collection, key, put } = change;
        const namespace = key.includes('/') && !exempt(collection) ? key.slice(0, key.indexOf('/')) : '';
        if (put === undefined || namespace === '' || world.get(change) !== undefined) continue;
        const home = world.get({ collection: namespaces, key: namespace });
        if (home === undefined) found.add(`${collection}/${key} came at ${revision} without its namespace`);
        else if (home.metadata.deletionTimestamp !== undefined)
          found.add(`${collection}/${key} came at ${revision} while its namespace is terminating`);
      }
    },
    after: ({ revision, changes }, world) => {
      for (const { collection, key, put } of changes) {
        if (collection !== namespaces || put !== undefined) continue;
        for (const left of leftIn(world, key, exempt))
          found.add(`${left} is left at ${revision}, when ${key} goes`);
      }
    },
  });
  return found.list();
}

function isClaim(collection: string): boolean {
  return collection.startsWith('ranges/') || collection.startsWith('announced/');
}

function leftIn(world: World, namespace: string, exempt: (collection: string) => boolean): string[] {
  return world
    .collections()
    .filter((collection) => !exempt(collection))
    .flatMap((collection) =>
      [...world.of(collection).keys()]
        .filter((key) => key.startsWith(`${namespace}/`))
        .map((key) => `${collection}/${key}`),
    );
}
