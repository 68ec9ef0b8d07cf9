/**
 * Where modules of this service are that import each other by relative paths: Node looks for a package.json in every folder above
 * each of some 5,000 imports, and asks the file system for each file. Without that a serving process that is replaced takes 610
 * to 760 ms of processor time, where it took 900 to 1,090.
 */
import module from 'node:module';

/** The folder of the built service; sources, which end otherwise, are looked for by Node. */
const root = new URL('..', import.meta.url).href;

/** For modules that this thread loads from now on. */
export function resolveOwnModules(): void {
  // Node 20 has none.
  (module as Partial<typeof module>).registerHooks?.({
    resolve(specifier, context, next) {
      const isOwn = specifier.startsWith('.') && specifier.endsWith('.js');
      if (!isOwn || context.parentURL?.startsWith(root) !== true) return next(specifier, context);
      return { url: new URL(specifier, context.parentURL).href, format: 'module', shortCircuit: true };
    },
  });
}
