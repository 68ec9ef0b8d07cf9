/** How the C library of a worker allots memory: what Node keeps outside of its heap comes from there. */

/**
 * By default each thread gets areas of its own, up to eight for each processor, and what is freed in one is of no use to
 * the others: with 1,000 definitions 35 MB lay in them, with two 20.
 */
const settings: Readonly<Record<string, string>> = { MALLOC_ARENA_MAX: '2' };

/** Variables for a worker: what the environment says itself counts. */
export function allocatorSettings(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => env[name] === undefined));
}
