/** Three replicas and a real webhook server: configurations that all replicas know of, and answers as a test says. */
import { makeServicePki } from './replica.ts';
import { WebhookServer, type WebhookAnswer, type WebhookCall } from './webhook-server.ts';
import { startServices, type Services } from './authorized-server.ts';

export const registration = '/apis/admissionregistration.orch.io/v1';
export const configMaps = '/api/v1/namespaces/web/configmaps';

export type Kind = 'mutating' | 'validating';

/** The request of a review. */
export interface Asked {
  readonly uid: string;
  readonly operation: string;
  readonly dryRun: boolean;
  readonly name?: string;
  readonly namespace?: string;
  readonly subResource?: string;
  readonly kind: object;
  readonly resource: object;
  readonly requestKind: object;
  readonly requestResource: object;
  readonly userInfo: { readonly username: string; readonly groups: readonly string[] };
  readonly object: Record<string, unknown> | null;
  readonly oldObject: Record<string, unknown> | null;
  readonly options: Record<string, unknown>;
}

export interface Hooked extends AsyncDisposable {
  readonly services: Services;
  readonly server: WebhookServer;
  /** Base64 of the authority that the webhook server's certificate is from. */
  readonly caBundle: string;
  /** Makes the webhooks of a kind those alone, as every replica knows when it resolves. */
  readonly configure: (kind: Kind, webhooks: readonly object[], version?: string) => Promise<void>;
  /** A webhook at a path of the server, for ConfigMaps unless `more` says otherwise. */
  readonly hook: (name: string, more?: object) => object;
  /** What was asked at a path of the server. */
  readonly asked: (path: string) => Asked[];
  /** How each path is answered; others are allowed. */
  readonly answers: Map<string, (asked: Asked, call: WebhookCall) => WebhookAnswer | Promise<WebhookAnswer>>;
}

/** @param args flags beside those that the tests rest on */
export async function startHooked(args: readonly string[] = []): Promise<Hooked> {
  await using stack = new AsyncDisposableStack();
  const pki = stack.use(await makeServicePki());
  const identity = await pki.authority.server('hook', ['hook.web.svc']);
  const server = stack.use(await WebhookServer.start(identity, pki.authority));
  const services = stack.use(await startServices(3, ['--controllers=namespace', ...args]));
  const answers: Hooked['answers'] = new Map();
  server.answer = (call) => {
    const asked = call.body['request'] as Asked;
    const answer = answers.get(pathOf(call));
    return answer ? answer(asked, call) : allowing(asked);
  };
  const caBundle = Buffer.from(pki.authority.ca).toString('base64');
  const owned = stack.move();
  return {
    ...{ services, server, caBundle, answers },
    configure: (kind, webhooks, version = 'v1') => configure(services, kind, { webhooks, version }),
    hook: (name, more = {}) => ({
      name: `${name}.example.com`,
      clientConfig: { url: `${server.url}/${name}`, caBundle },
      rules: [rule('configmaps')],
      sideEffects: 'None',
      admissionReviewVersions: ['v1', 'v1beta1'],
      ...more,
    }),
    asked: (path) =>
      server.calls.filter((call) => pathOf(call) === path).map(({ body }) => body['request'] as Asked),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function pathOf({ path }: WebhookCall): string {
  return new URL(path, 'https://hook').pathname.slice(1);
}

async function configure(
  { replicas, admin }: Services,
  kind: Kind,
  { webhooks, version }: { readonly webhooks: readonly object[]; readonly version: string },
): Promise<void> {
  const path = `/apis/admissionregistration.orch.io/${version}/${kind}webhookconfigurations`;
  await admin.request('DELETE', `${path}/test`);
  if (webhooks.length > 0) await admin.ok('POST', path, { metadata: { name: 'test' }, webhooks });
  // A fresh read waits until the view is there.
  for (const replica of replicas) await replica.admin.get(`${path}/test`);
}

/** All operations on a resource of the core group in v1, unless told otherwise. */
export function rule(resource: string, more: object = {}): object {
  return { apiGroups: [''], apiVersions: ['v1'], resources: [resource], operations: ['*'], ...more };
}

export function allowing({ uid }: Asked, more: object = {}): WebhookAnswer {
  const head = { apiVersion: 'admission.orch.io/v1', kind: 'AdmissionReview' };
  return { body: { ...head, response: { uid, allowed: true, ...more } } };
}

export function refusing({ uid }: Asked, status?: object): WebhookAnswer {
  return allowing({ uid } as Asked, { allowed: false, ...(status && { status }) });
}

export function patching(asked: Asked, ...operations: object[]): WebhookAnswer {
  return allowing(asked, { patchType: 'JSONPatch', patch: encoded(operations) });
}

export function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64');
}
