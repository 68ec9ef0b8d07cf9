/** Keys of tokens, passwords, authorities of proxies and providers, and webhooks that change on disk under a running service. */
import jsonwebtoken from 'jsonwebtoken';
import { mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { makeAuthority, type Credential, type TestAuthority } from '../../support/pki.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';
import { WebhookServer } from '../../support/webhook-server.ts';
import { newPem } from '../../support/service-account-tokens.ts';
import { OpenIdProvider } from '../../support/openid-provider.ts';
import { Service, type Ask } from '../../support/service.ts';

let temporary: TempFolder;
let owned: AsyncDisposableStack;
let service: Service;
let hooks: { readonly authority: TestAuthority; readonly client: Credential; readonly first: WebhookServer };
let provider: OpenIdProvider;
let providers: TestAuthority;
const at = (name: string): string => join(temporary.path, name);

const keys = [newPem('ec'), newPem('ec')] as const;
const policy =
  'apiVersion: audit.orch.io/v1\nkind: Policy\nomitStages: [RequestReceived]\nrules: [{level: Metadata, users: [ann]}]\n';

/** Answers every kind of review: tokens of ann are hers, and she may do everything. */
const answer: WebhookServer['answer'] = ({ body }) => {
  const { kind, spec } = body as { kind: string; spec?: { token?: string; user?: string } };
  if (kind === 'EventList') return { status: 200 };
  const isAnn = spec?.token?.startsWith('ann') === true;
  const status =
    kind === 'TokenReview'
      ? { authenticated: isAnn, ...(isAnn && { user: { username: 'ann' } }) }
      : { allowed: spec?.user === 'ann' };
  return { body: { ...body, status } };
};

function writeKubeconfig(hook: WebhookServer, user: object): void {
  const cluster = { server: hook.url, 'certificate-authority-data': btoa(hooks.authority.ca) };
  const config = {
    clusters: [{ name: 'hook', cluster }],
    users: [{ name: 'api', user }],
    contexts: [{ name: 'it', context: { cluster: 'hook', user: 'api' } }],
    'current-context': 'it',
  };
  writeFileSync(at('hook.kubeconfig'), JSON.stringify(config));
}

async function startHook(name: string): Promise<WebhookServer> {
  const hook = owned.use(await WebhookServer.start(await hooks.authority.server(name), hooks.authority));
  hook.answer = answer;
  return hook;
}

async function prepare(): Promise<void> {
  for (const name of ['hooks', 'proxies', 'providers']) mkdirSync(at(name));
  const authority = await makeAuthority(at('hooks'));
  const client = await authority.client({ commonName: 'first-client' });
  const first = owned.use(await WebhookServer.start(await authority.server('first'), authority));
  hooks = { authority, client, first };
  first.answer = answer;
  writeFileSync(at('token'), 'first-word\n');
  writeKubeconfig(first, {
    'client-certificate': client.certFile,
    'client-key': client.keyFile,
    tokenFile: at('token'),
  });
  providers = await makeAuthority(at('providers'), 'provider authority');
  provider = await OpenIdProvider.start(providers);
  owned.defer(() => provider.close());
  writeFileSync(at('provider-ca'), authority.ca);
  writeFileSync(at('proxy-ca'), authority.ca);
  writeFileSync(at('accounts.key'), keys[0]);
  writeFileSync(at('passwords'), 'first-word,bob,1,system:masters\n');
  writeFileSync(at('policy'), policy);
}

async function reloads(flag: string, result: string): Promise<number> {
  const { body } = await service.ask({ path: '/metrics' });
  const sample = new RegExp(
    `^apiserver_file_reloads_total\\{flag="${flag}",result="${result}"\\} (\\d+)$`,
    'm',
  );
  return Number(sample.exec(body)?.[1] ?? 0);
}

/** The status on as many new connections as reach every worker. */
async function everywhere(ask: () => Promise<number>): Promise<number[]> {
  return [...new Set([await ask(), await ask(), await ask(), await ask()])];
}

async function isEverywhere(want: number, ask: () => Promise<number>): Promise<boolean> {
  const seen = await everywhere(ask);
  return seen.length === 1 && seen[0] === want;
}

const statusOf = (ask: Partial<Ask>) => async (): Promise<number> =>
  (await service.ask({ path: '/api/v1/namespaces', as: '', ...ask })).status;

/** The status of a request with headers and perhaps a certificate. */
function statusWith(headers: Record<string, string>, pair: Partial<Credential> = {}): Promise<number> {
  const { cert, key } = pair;
  return new Promise((resolve, reject) => {
    const options = { headers, agent: false, rejectUnauthorized: false, ...(cert && { cert, key }) } as const;
    const outgoing = request(`${service.url}/api/v1/namespaces`, options, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    });
    outgoing.on('error', reject).end();
  });
}

async function newToken(): Promise<string> {
  const path = '/api/v1/namespaces/default/serviceaccounts/default/token';
  const made = await service.ask({ method: 'POST', path, body: {} });
  return (JSON.parse(made.body) as { status: { token: string } }).status.token;
}

const keyIdOf = (token: string): string => jsonwebtoken.decode(token, { complete: true })?.header.kid ?? '';

describe('with two workers', () => {
  beforeAll(async () => {
    temporary = await makeTempFolder('changed-authentication');
    owned = new AsyncDisposableStack();
    owned.defer(() => temporary.remove());
    await prepare();
    service = await Service.start(temporary.path, [
      '--workers=2',
      // Of credentials that are not yet, or no longer, known, a fast machine sends more than the limit while it waits.
      '--failed-authentication-qps=10000',
      '--failed-authentication-burst=10000',
      `--service-account-key-file=${at('accounts.key')}`,
      `--basic-auth-file=${at('passwords')}`,
      `--requestheader-client-ca-file=${at('proxy-ca')}`,
      `--oidc-issuer-url=${provider.issuer}`,
      '--oidc-client-id=app',
      `--oidc-ca-file=${at('provider-ca')}`,
      `--authentication-token-webhook-config-file=${at('hook.kubeconfig')}`,
      '--authorization-mode=RBAC,Webhook',
      '--authorization-webhook-cache-authorized-ttl=0s',
      `--authorization-webhook-config-file=${at('hook.kubeconfig')}`,
      `--audit-policy-file=${at('policy')}`,
      `--audit-webhook-config-file=${at('hook.kubeconfig')}`,
      '--audit-webhook-batch-max-wait=50ms',
    ]);
    owned.defer(async () => {
      await service.child.stop();
    });
    await waitFor('the default account', async () => {
      const path = '/api/v1/namespaces/default/serviceaccounts/default';
      return (await service.ask({ path })).status === 200;
    });
  }, 60_000);
  afterAll(() => owned.disposeAsync());

  test('keys of service account tokens rotate: the new one signs, the old one counts until it is gone', async () => {
    const old = await newToken();
    const withOld = statusOf({ token: old });
    expect(await everywhere(withOld)).toEqual([403]);
    writeFileSync(at('accounts.key'), `${keys[1]}\n${keys[0]}`);
    const changed = await waitFor('tokens of the new key', async () => {
      const tokens = [await newToken(), await newToken(), await newToken()];
      return tokens.every((token) => keyIdOf(token) !== keyIdOf(old)) && tokens[0];
    });
    expect(await everywhere(withOld)).toEqual([403]);
    const { body } = await service.ask({ path: '/openid/v1/jwks' });
    const told = (JSON.parse(body) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid);
    expect(told).toEqual([keyIdOf(changed), keyIdOf(old)]);
    writeFileSync(at('accounts.key'), 'no key');
    await waitFor('the refusal', async () => (await reloads('service-account-key-file', 'failure')) === 1);
    expect(await everywhere(withOld)).toEqual([403]);
    writeFileSync(at('accounts.key'), keys[1]);
    await waitFor('the old key to be gone', () => isEverywhere(401, withOld));
    expect(await everywhere(statusOf({ token: changed }))).toEqual([403]);
  });

  test('passwords', async () => {
    const header = (word: string) => ({ authorization: `Basic ${btoa(`bob:${word}`)}` });
    const [first, second] = ['first-word', 'second-word'].map((word) => () => statusWith(header(word)));
    expect([await first!(), await second!()]).toEqual([200, 401]);
    writeFileSync(at('passwords'), 'second-word,bob,1,system:masters\n');
    await waitFor('the second password', () => isEverywhere(200, second!));
    expect(await everywhere(first!)).toEqual([401]);
  });

  test('authorities of proxies; one that users have, too, is refused', async () => {
    const proxies = await makeAuthority(at('proxies'), 'proxy authority');
    const proxy = await proxies.client({ commonName: 'front' });
    const asRoot = (): Promise<number> =>
      statusWith({ 'x-remote-user': 'root', 'x-remote-group': 'system:masters' }, proxy);
    expect(await everywhere(asRoot)).toEqual([401]);
    writeFileSync(at('proxy-ca'), proxies.ca);
    await waitFor('the proxy to be believed', () => isEverywhere(200, asRoot));
    const { body } = await service.ask({ path: '/api/v1/namespaces/default/configmaps/orch-root-ca.crt' });
    const { data } = JSON.parse(body) as { data: { 'ca.crt': string } };
    writeFileSync(at('proxy-ca'), `${proxies.ca}\n${data['ca.crt']}`);
    await waitFor(
      'the refusal',
      async () => (await reloads('requestheader-client-ca-file', 'failure')) === 1,
    );
    expect(service.child.output()).toContain('share a CA certificate');
    expect(await everywhere(asRoot)).toEqual([200]);
  });

  test("authorities of the OpenID provider's certificate", async () => {
    const asAnn = statusOf({ token: provider.token() });
    expect(await everywhere(asAnn)).toEqual([401]);
    writeFileSync(at('provider-ca'), providers.ca);
    await waitFor('its tokens to count', () => isEverywhere(403, asAnn), { timeout: 40_000 });
  }, 60_000);

  test('webhooks: the files that their configuration names, and the configuration itself', async () => {
    let number = 0;
    const ask = (): Promise<number> => statusOf({ token: `ann-${String(++number)}` })();
    expect(await everywhere(ask)).toEqual([200]);
    const kinds = (hook: WebhookServer, word: string, peer: string): Set<unknown> =>
      new Set(
        hook.calls
          .filter((call) => call.authorization === `Bearer ${word}` && call.peer === peer)
          .map(({ body }) => body['kind']),
      );
    const all = new Set(['TokenReview', 'SubjectAccessReview', 'EventList']);
    const areAsked = async (hook: WebhookServer, word: string, peer: string): Promise<boolean> => {
      await ask();
      return kinds(hook, word, peer).size === all.size;
    };
    await waitFor('all three', () => areAsked(hooks.first, 'first-word', 'first-client'));
    const second = await hooks.authority.client({ commonName: 'second-client' });
    writeFileSync(at('token'), 'second-word\n');
    writeFileSync(hooks.client.certFile, second.cert);
    writeFileSync(hooks.client.keyFile, second.key);
    await waitFor('all three as another', () => areAsked(hooks.first, 'second-word', 'second-client'), {
      timeout: 40_000,
    });
    const hook = await startHook('second');
    writeKubeconfig(hook, { token: 'third-word' });
    await waitFor('all three elsewhere', () => areAsked(hook, 'third-word', ''), { timeout: 40_000 });
    await waitFor('nobody at the first', async () => {
      const before = hooks.first.calls.length;
      return (await everywhere(ask)).join() === '200' && hooks.first.calls.length === before;
    });
    expect(service.child.output()).not.toMatch(/(first|second|third)-word/);
  }, 120_000);
});
