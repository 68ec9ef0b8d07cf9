/** An OpenID provider on loopback: discovery, keys that rotate, and tokens; it counts what is asked of it. */
import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import jsonwebtoken from 'jsonwebtoken';
import type { TestAuthority } from './pki.ts';

interface ProviderKey {
  readonly kid: string;
  readonly algorithm: 'RS256' | 'ES256';
  readonly privateKey: KeyObject;
}

export class OpenIdProvider {
  readonly issuer: string;
  /** Paths that were asked for. */
  readonly asked: string[] = [];
  keys: ProviderKey[] = [newKey('first', 'RS256')];
  /** Answers everything with this while it is not 0. */
  failWith = 0;
  /** What discovery says differently. */
  discovery: object = {};
  /** What is at the address of the keys, instead of them. */
  publishes: object | undefined;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.issuer = `https://127.0.0.1:${String((server.address() as AddressInfo).port)}/realm`;
    server.on('request', (req, res) => {
      this.asked.push(req.url ?? '');
      const answer = this.failWith === 0 ? this.#answer(req.url) : undefined;
      res.writeHead(answer ? 200 : this.failWith || 404, { 'content-type': 'application/json' });
      res.end(answer && JSON.stringify(answer));
    });
  }

  static async start(authority: TestAuthority): Promise<OpenIdProvider> {
    const server = createServer(await authority.server('provider'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new OpenIdProvider(server);
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /** Adds a key, which signs from now on; the ones before stay unless `alone`. */
  rotate(kid: string, algorithm: 'RS256' | 'ES256' = 'RS256', alone = false): void {
    this.keys = [newKey(kid, algorithm), ...(alone ? [] : this.keys)];
  }

  /** A token for `ann` and the client `app`, ten minutes long, but for what is given; undefined leaves a claim out. */
  token(claims: object = {}, header: object = {}): string {
    const [key] = this.keys;
    if (!key) throw new Error('the provider has no key');
    const now = Math.floor(Date.now() / 1000);
    const usual = { iss: this.issuer, aud: 'app', sub: 'ann', iat: now, exp: now + 600 };
    const { algorithm, kid } = key;
    return jsonwebtoken.sign(JSON.stringify({ ...usual, ...claims }), key.privateKey, {
      algorithm,
      header: { alg: algorithm, kid, ...header },
    });
  }

  #answer(path: string | undefined): object | undefined {
    if (path === '/realm/.well-known/openid-configuration')
      return { issuer: this.issuer, jwks_uri: `${this.issuer}/keys`, ...this.discovery };
    if (path !== '/realm/keys') return undefined;
    if (this.publishes) return this.publishes;
    const published = this.keys.map(({ kid, algorithm, privateKey }) => ({
      ...createPublicKey(privateKey.export({ type: 'pkcs8', format: 'pem' })).export({ format: 'jwk' }),
      ...{ kid, alg: algorithm, use: 'sig' },
    }));
    return { keys: [{ kty: 'oct', k: 'AAAA', kid: 'secret' }, { kty: 'RSA', kid: 'broken' }, ...published] };
  }
}

function newKey(kid: string, algorithm: 'RS256' | 'ES256'): ProviderKey {
  const { privateKey } =
    algorithm === 'RS256'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { kid, algorithm, privateKey };
}
