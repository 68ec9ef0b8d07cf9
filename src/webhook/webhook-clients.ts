/** Clients of webhooks in objects: cached by address and CA bundle. */
import { withoutSlot } from '../base/slot-holder.ts';
import type { JsonObject } from '../base/json.ts';
import { maxBodyBytes } from '../codec/limits.ts';
import type { NamingProfile } from '../meta/naming.ts';
import { WebhookClient, type WebhookClientOptions } from './webhook-client.ts';
import type { CallLimits, WebhookEndpoint } from './client-config.ts';
import type { ServiceResolver } from './service-resolver.ts';

/** The least recently used are evicted. */
const maxClients = 128;

/** Maximum bytes of a response: a patch of the maximum body size in base64, and its envelope. */
const longestAnswer = (maxBodyBytes / 3) * 4 + 1024 * 1024;

interface CachedClient {
  readonly client: WebhookClient;
  inUse: number;
}

export class WebhookClients {
  private readonly clients = new Map<string, CachedClient>();
  private readonly resolve: ServiceResolver;
  private readonly options: WebhookClientOptions;

  constructor(
    resolve: ServiceResolver,
    { systemPrefix }: NamingProfile,
    options: Pick<WebhookClientOptions, 'exactNumbers' | 'onSent' | 'clock' | 'random'>,
  ) {
    this.resolve = resolve;
    this.options = {
      userAgent: `${systemPrefix}-apiserver-admission`,
      ...options,
      longestAnswer,
      mostMembers: Infinity,
    };
  }

  /**
   * The calling work releases its place meanwhile.
   * @throws Error without a response in time
   */
  async sendReview(hook: WebhookEndpoint, review: JsonObject, limits: CallLimits): Promise<JsonObject> {
    const cached = this.clientOf(hook);
    cached.inUse += 1;
    try {
      return await withoutSlot(() => cached.client.sendReviewOnce(review, limits));
    } finally {
      cached.inUse -= 1;
    }
  }

  /** Aborts calls in progress. */
  close(): void {
    for (const { client } of this.clients.values()) client.close();
    this.clients.clear();
  }

  private clientOf(hook: WebhookEndpoint): CachedClient {
    const key = JSON.stringify(hook);
    const cached = this.clients.get(key) ?? { client: this.newClient(hook), inUse: 0 };
    this.clients.delete(key);
    this.clients.set(key, cached);
    if (this.clients.size > maxClients) this.dropIdle();
    return cached;
  }

  private dropIdle(): void {
    const idle = [...this.clients].find(([, { inUse }]) => inUse === 0);
    if (!idle) return;
    const [key, { client }] = idle;
    this.clients.delete(key);
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
