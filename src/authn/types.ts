/**
 * The interface of `authn`: which user makes a request. An authenticator is one way to prove an identity; a union tries
 * several. There are three results, so that authenticators compose: a user, no opinion, or rejected credentials.
 */
import type { X509Certificate } from 'node:crypto';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { UserInfo } from '../meta/user.ts';

/** What Node's TLS knows of the peer. */
export interface PeerIdentity {
  /** True when the peer's certificate chain was verified against the client CA. */
  readonly authorized: boolean;
  /** The chain as presented, leaf first; empty when no client certificate was given. */
  readonly certificates: readonly X509Certificate[];
}

/** The part of a request that identities are read from. */
export interface AuthenticationRequest {
  /** Header values by lower-case name. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Names and values in turn, as they came; absent: none came. */
  readonly rawHeaders?: readonly string[];
  /** The token of `Authorization: Bearer …`, or of a WebSocket's subprotocol; '' when there is none. */
  readonly bearerToken: string;
  readonly peer: PeerIdentity;
  readonly remoteAddress: string;
  /** The path that is asked for, without the query; absent: the credentials are asked about, not a request. */
  readonly path?: string;
  /** Whom a token has to be meant for, one of these at least; absent: the service itself. */
  readonly audiences?: readonly string[];
}

/** What a request with these credentials is told, and what its audit event says of them. */
export interface CredentialNotes {
  readonly annotations: Readonly<Record<string, string>>;
  readonly warnings: readonly string[];
}

/** An authenticated user; the authenticator (`x509`, `token-file`, `anonymous`) goes to the audit log. */
export interface AuthenticatedUser {
  readonly outcome: 'authenticated';
  readonly user: UserInfo;
  readonly authenticator: string;
  /**
   * Those of the requested audiences that the token is valid for; absent: tokens of this kind are meant for the service
   * itself.
   */
  readonly audiences?: readonly string[];
  readonly notes?: CredentialNotes | undefined;
}

/** Credentials of this authenticator's kind were given, but they are wrong. `reason` is for the log, never for the client. */
export interface RejectedCredentials {
  readonly outcome: 'rejected';
  readonly authenticator: string;
  readonly reason: string;
  readonly notes?: CredentialNotes | undefined;
}

export type AuthenticationResult = AuthenticatedUser | RejectedCredentials;

/**
 * One way to prove an identity. undefined: the request carries nothing that this authenticator reads. A synchronous
 * authenticator returns no promise: it runs on every request. A throw means that it could not decide (its back end is
 * away); the union treats it as a rejection and goes on.
 */
export interface Authenticator {
  authenticate(request: AuthenticationRequest): MaybePromise<AuthenticationResult | undefined>;
}
