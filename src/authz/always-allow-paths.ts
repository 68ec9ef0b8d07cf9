/**
 * Non-resource URLs that all users may read, authenticated or not: load balancers and clients request them before they
 * log in. They are those of the role `system:public-info-viewer`; what lies below the health endpoints is for those who
 * may by their roles.
 */

/** Data; `test/unit/authz` pins it. */
export const alwaysAllowPaths: readonly string[] = ['/healthz', '/livez', '/readyz', '/version', '/version/'];

/** The methods, as lower-case verbs, for which they are open. */
export const alwaysAllowVerbs: readonly string[] = ['get', 'head'];

/** True for one of these paths. */
export function isAlwaysAllowedPath(path: string): boolean {
  return alwaysAllowPaths.includes(path);
}
