/**
 * Paths that everybody may read, with or without an identity: what balancers and clients ask before they log in. They are
 * those of the role `system:public-info-viewer`; what lies below the health endpoints is for those who may by their roles.
 */

/** Data; `test/unit/authz` pins it. */
export const openPaths: readonly string[] = ['/healthz', '/livez', '/readyz', '/version', '/version/'];

/** The methods, as lower-case verbs, for which they are open. */
export const openVerbs: readonly string[] = ['get', 'head'];

/** True for one of the open paths. */
export function isOpenPath(path: string): boolean {
  return openPaths.includes(path);
}
