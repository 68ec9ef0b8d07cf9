/** The bearer token of a request (RFC 6750, section 2.1). */

const scheme = /^bearer +/i;

/** Reads the token of an Authorization header's value; '' when it is absent, of another scheme, or empty. */
export function bearerTokenOf(authorization: string | undefined): string {
  const header = authorization?.trim() ?? '';
  return scheme.test(header) ? header.replace(scheme, '') : '';
}
