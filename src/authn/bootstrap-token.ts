/**
 * Bootstrap tokens (Kubernetes documentation, "Authenticating with Bootstrap Tokens"): `id.secret`, stored in the
 * Secret `bootstrap-token-<id>` of the system namespace. A token is accepted only after a quorum read, so that a
 * deleted token stops working at once. A token may be rejected from this replica's cache, so that a client that guesses
 * tokens costs etcd at most one read per second; rejecting takes the same time whether the id exists or not.
 */
import { type PassiveClock } from '../base/clock.ts';
import { expandNames, type NamingProfile } from '../meta/naming.ts';
import { instantOf } from '../meta/time.ts';
import { isSameSecret } from './secret-digest.ts';
import type { AuthenticationRequest, AuthenticationResult, Authenticator } from './types.ts';

const name = 'bootstrap-token';
const form = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const group = 'system:bootstrappers';
const extraGroup = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;

/** A Secret, its values as text. */
export interface BootstrapSecret {
  readonly type: string;
  readonly isDeleted: boolean;
  readonly data: ReadonlyMap<string, string>;
}

export interface BootstrapSecrets {
  /** The Secret as it was a moment ago; undefined when that is not known. */
  seen(name: string): { readonly secret: BootstrapSecret | undefined } | undefined;
  /** The Secret of this name in the system namespace, as a quorum read finds it. Rejects when etcd does not answer. */
  read(name: string): Promise<BootstrapSecret | undefined>;
}

export interface BootstrapTokenOptions {
  readonly naming: NamingProfile;
  readonly secrets: BootstrapSecrets;
  readonly clock: PassiveClock;
}

export function createBootstrapTokenAuthenticator(options: BootstrapTokenOptions): Authenticator {
  const { secrets, clock } = options;
  const type = expandNames('bootstrap.{label}/token', options.naming);
  return {
    async authenticate(request: AuthenticationRequest): Promise<AuthenticationResult | undefined> {
      const [, id = '', secret = ''] = form.exec(request.bearerToken) ?? [];
      if (id === '') return undefined;
      const isToken = (found: BootstrapSecret | undefined): found is BootstrapSecret => {
        const isSame = isSameSecret(found?.data.get('token-secret') ?? '', secret);
        return isSame && found?.type === type && !found.isDeleted;
      };
      const object = `bootstrap-token-${id}`;
      const seen = secrets.seen(object);
      if (seen && !isToken(seen.secret)) return rejected('unknown');
      const found = await secrets.read(object);
      return isToken(found) ? decide(found, id, clock.now()) : rejected('unknown');
    },
  };
}

/** The secret is right; the rest of what its Secret says decides. */
function decide({ data }: BootstrapSecret, id: string, now: number): AuthenticationResult {
  if (data.get('token-id') !== id) return rejected('its Secret is of another id');
  if (hasExpired(data.get('expiration') ?? '', now)) return rejected('expired');
  if (data.get('usage-bootstrap-authentication') !== 'true') return rejected('not for authentication');
  const extra = (data.get('auth-extra-groups') ?? '').split(',').filter(Boolean);
  if (!extra.every((text) => extraGroup.test(text))) return rejected('groups that a token may not give');
  const groups = [...new Set([group, ...extra])];
  const user = { name: `system:bootstrap:${id}`, uid: '', groups, extra: {} };
  return { outcome: 'authenticated', user, authenticator: name };
}

/** A time that cannot be read has passed; no time never passes. */
function hasExpired(expiration: string, now: number): boolean {
  if (expiration === '') return false;
  const at = instantOf(expiration);
  return Number.isNaN(at) || at <= now;
}

function rejected(problem: string): AuthenticationResult {
  return { outcome: 'rejected', authenticator: name, reason: `bootstrap token: ${problem}` };
}
