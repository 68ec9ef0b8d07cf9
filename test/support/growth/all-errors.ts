/**
 * Imported before anything else, makes the bound on collected errors one that can be lifted: most generated items break
 * some rule, and once there are 500 errors the rules that come after are not reached, nor is the rest of a list.
 */
import { registerHooks } from 'node:module';

const bound = 'export const maxFieldErrors = 500;';
const lifted =
  'export let maxFieldErrors = 500; globalThis.setMaxFieldErrors = (most) => { maxFieldErrors = most; };';

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.endsWith('/src/meta/field-error.ts')) return loaded;
    const source = Buffer.from(loaded.source as Uint8Array).toString();
    if (!source.includes(bound)) throw new Error(`${url} has another bound on errors`);
    return { ...loaded, source: source.replace(bound, lifted) };
  },
});

/** Collects all errors from now on, or so many as the service does. */
export function collectAllErrors(isWanted: boolean): void {
  const { setMaxFieldErrors } = globalThis as unknown as { setMaxFieldErrors: (most: number) => void };
  setMaxFieldErrors(isWanted ? Infinity : 500);
}
