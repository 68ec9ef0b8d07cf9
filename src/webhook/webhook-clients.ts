/** Clients of webhooks in objects: cached by address and CA bundle. */
import { aside } from '../base/aside.ts';
import type { JsonObject } from '../base/json.ts';
import { maxBodyBytes } from '../codec/limits.ts';
import type { NamingProfile } from '../meta/naming.ts';
import { WebhookClient, type WebhookClientOptions } from './webhook-client.ts';
import type { CallLimits, WebhookEndpoint } from './client-config.ts';
import type { ServiceResolver } from './service-resolver.ts';

/** The least recently used are evicted. */
const mostKept = 128;

/** Maximum bytes of a response: a patch of the maximum body size in base64, and its envelope. */
const longestAnswer = (maxBodyBytes / 3) * 4 + 1024 * 1024;

interface Kept {
  readonly client: WebhookClient;
  asking: number;
}

export class WebhookClients {
  private readonly kept = new Map<string, Kept>();
  private readonly resolve: ServiceResolver;
  private readonly options: WebhookClientOptions;

  /** @param exactNumbers numbers in responses keep all digits */
  constructor(resolve: ServiceResolver, { systemPrefix }: NamingProfile, exactNumbers = false) {
    this.resolve = resolve;
    this.options = { userAgent: `${systemPrefix}-apiserver-admission`, exactNumbers, longestAnswer };
  }

  /**
   * The calling work releases its place meanwhile.
   * @throws Error without a response in time
   */
  async sendReview(hook: WebhookEndpoint, review: JsonObject, limits: CallLimits): Promise<JsonObject> {
    const kept = this.clientOf(hook);
    kept.asking += 1;
    try {
      return await aside(() => kept.client.sendReviewOnce(review, limits));
    } finally {
      kept.asking -= 1;
    }
  }

  /** Aborts calls in progress. */
  close(): void {
    for (const { client } of this.kept.values()) client.close();
    this.kept.clear();
  }

  private clientOf(hook: WebhookEndpoint): Kept {
    const key = JSON.stringify(hook);
    const kept = this.kept.get(key) ?? { client: this.newClient(hook), asking: 0 };
    this.kept.delete(key);
    this.kept.set(key, kept);
    if (this.kept.size > mostKept) this.dropIdle();
    return kept;
  }

  private dropIdle(): void {
    const idle = [...this.kept].find(([, { asking }]) => asking === 0);
    if (!idle) return;
    const [key, { client }] = idle;
    this.kept.delete(key);
    client.close();
  }

  private newClient({ url, service, caBundle }: WebhookEndpoint): WebhookClient {
    const ca = caBundle === '' ? undefined : Buffer.from(caBundle, 'base64');
    const who = { ca, cert: undefined, key: undefined, token: '' };
    const { options } = this;
    if (!service) return new WebhookClient({ server: url, ...who }, options);
    const { namespace, name, port, path } = service;
    const server = `https://${name}.${namespace}.svc:${String(port)}${path}`;
    return new WebhookClient({ server, ...who }, { ...options, addressOf: () => this.resolve(service) });
  }
}
