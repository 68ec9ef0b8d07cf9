import type { AuthenticationRequest } from '../../src/authn/types.ts';

/** A request without credentials, but for what is given. */
export function requestWith(part: Partial<AuthenticationRequest>): AuthenticationRequest {
  return {
    headers: {},
    bearerToken: '',
    peer: { authorized: false, certificates: [] },
    remoteAddress: '127.0.0.1',
    ...part,
  };
}
