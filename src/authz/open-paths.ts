/** Paths that everybody may read, with or without an identity: what balancers and clients ask before they log in. */

/** A path is open if it is one of these or lies below one of them. Data; `test/unit/authz` pins it. */
export const openPaths: readonly string[] = ['/healthz', '/livez', '/readyz', '/version'];

/** The methods, as lower-case verbs, for which they are open. */
export const openVerbs: readonly string[] = ['get', 'head'];

/** True for an open path or one below it. */
export function isOpenPath(path: string): boolean {
  return openPaths.some((open) => path === open || path.startsWith(`${open}/`));
}
