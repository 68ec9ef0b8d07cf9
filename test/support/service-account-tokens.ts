/** A world of accounts, Secrets and Pods for tokens to live with. */
import { generateKeyPairSync } from 'node:crypto';
import { createServiceAccountAuthenticator } from '../../src/authn/service-account/service-account-authenticator.ts';
import { TokenIssuer } from '../../src/authn/service-account/token-issuer.ts';
import {
  readSigningKey,
  readVerificationKeys,
  type SigningKey,
} from '../../src/authn/service-account/service-account-keys.ts';
import type { TokenSubject } from '../../src/authn/service-account/token-claims.ts';
import type { TokenObject, TokenObjects } from '../../src/authn/service-account/token-objects.ts';
import { digestOf } from '../../src/authn/secret-digest.ts';
import type { AuthenticationResult, Authenticator } from '../../src/authn/types.ts';
import { namingProfiles } from '../../src/meta/naming.ts';
import { requestWith } from './authn-requests.ts';

export const naming = namingProfiles.orch;
export const issuer = 'https://issuer.test';
const pem = { type: 'pkcs8', format: 'pem' } as const;

export function newPem(type: 'rsa' | 'ec'): string {
  const { privateKey } =
    type === 'rsa'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export(pem);
}

/** Objects by `Kind namespace/name`, in the view and in etcd. */
export class FakeObjects implements TokenObjects {
  readonly seen = new Map<string, TokenObject>();
  readonly stored = new Map<string, TokenObject>();
  reads = 0;

  put(id: string, part: Partial<TokenObject> & { token?: string } = {}): void {
    const { token, ...rest } = part;
    const tokenDigest = token === undefined ? undefined : digestOf(token);
    const object = { uid: `uid of ${id}`, deletedAt: undefined, tokenDigest, ...rest };
    this.seen.set(id, object);
    this.stored.set(id, object);
  }

  remove(id: string): void {
    this.seen.delete(id);
    this.stored.delete(id);
  }

  peek(kind: string, key: string): TokenObject | undefined {
    return this.seen.get(`${kind} ${key}`);
  }

  read(kind: string, key: string): Promise<TokenObject | undefined> {
    this.reads += 1;
    return Promise.resolve(this.stored.get(`${kind} ${key}`));
  }
}

export class World {
  now = Date.parse('2026-01-01T00:00:00Z');
  readonly objects = new FakeObjects();
  readonly key: SigningKey;
  readonly authenticator: Authenticator;
  readonly tokens: TokenIssuer;
  /** What was heard of uses of tokens of Secrets. */
  readonly uses: string[] = [];
  readonly subject = {
    namespace: 'ns',
    account: { name: 'robot', uid: 'uid of ServiceAccount ns/robot' },
    bound: undefined,
  };

  constructor(
    options: {
      keys?: readonly string[];
      signWith?: string;
      lookup?: boolean;
      gates?: readonly string[];
      extendsLife?: boolean;
    } = {},
  ) {
    const { gates = [] } = options;
    const newId = gates.includes('ServiceAccountTokenJTI') ? () => 'id-1' : undefined;
    const signWith = options.signWith ?? newPem('ec');
    const clock = { now: () => this.now, monotonic: () => 0 };
    this.key = readSigningKey(signWith);
    const about = { key: this.key, naming, issuer, audiences: ['api'], newId, clock };
    this.tokens = new TokenIssuer({ ...about, extendsLife: options.extendsLife ?? false });
    this.authenticator = createServiceAccountAuthenticator({
      noteUse: ({ name, day }) => void this.uses.push(`${name} ${day}`),
      countUse: (use) => void this.uses.push(use ?? 'legacy'),
      countBoundUse: (isStale) => void this.uses.push(isStale ? 'stale' : 'valid'),
      keys: (options.keys ?? [signWith]).flatMap(readVerificationKeys),
      ...{ naming, issuer, clock, audiences: ['api'] },
      lookup: options.lookup ?? true,
      objects: this.objects,
      isFeatureEnabled: (gate) => gates.includes(gate),
    });
    this.objects.put('ServiceAccount ns/robot');
  }

  /** A legacy token that lies in its Secret. */
  legacy(): string {
    const bound = { kind: 'Secret' as const, name: 'robot-token', uid: '' };
    const token = this.tokens.legacyToken({ ...this.subject, bound });
    this.objects.put('Secret ns/robot-token', { token });
    return token;
  }

  /** A token of ten minutes, bound to an object or to the account alone. */
  bound(kind?: 'Pod' | 'Secret', audiences: readonly string[] = []): string {
    const object = kind && { kind, name: 'thing', uid: `uid of ${kind} ns/thing` };
    if (kind) this.objects.put(`${kind} ns/thing`);
    const subject = { ...this.subject, bound: object };
    return this.tokens.boundToken({ subject, audiences, lifeSeconds: 600 }).token;
  }

  /** A token of ten minutes for a subject. */
  tokenOf(more: Partial<TokenSubject>): string {
    const subject = { ...this.subject, ...more };
    return this.tokens.boundToken({ subject, audiences: [], lifeSeconds: 600 }).token;
  }

  async ask(token: string, audiences?: readonly string[]): Promise<AuthenticationResult | undefined> {
    return this.authenticator.authenticate(
      requestWith({ bearerToken: token, ...(audiences && { audiences }) }),
    );
  }

  /** The user's name, why it was rejected, or undefined for "not mine". */
  async outcome(token: string, audiences?: readonly string[]): Promise<string | undefined> {
    const result = await this.ask(token, audiences);
    return result?.outcome === 'authenticated' ? result.user.name : result?.reason;
  }
}
