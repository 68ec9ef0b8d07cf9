/** The connection to the authorization webhook: one HTTPS client with deadlines, tried again after faults that pass. */
import { createWebhookAuthorizer } from '../../authz/webhook/webhook-authorizer.ts';
import type { RuleAuthorizer } from '../../authz/types.ts';
import { Backoff } from '../../base/backoff.ts';
import type { JsonObject } from '../../base/json.ts';
import { pause } from '../../base/pause.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import { StatusError } from '../../meta/status.ts';
import type { CompletedConfig } from '../complete.ts';
import { HttpsTransport } from '../controllers/https-transport.ts';

export interface Webhook {
  readonly authorizer: RuleAuthorizer;
  close(): void;
}

export interface WebhookParts {
  readonly naming: NamingProfile;
  readonly warn: (details: object, message: string) => void;
}

/** A request waits for the answer: longest time for one attempt and for all of them together, and how many. */
const attemptMs = 10_000;
const wholeMs = 30_000;
const maxAttempts = 5;
const betweenAttempts = { firstMs: 250, maxMs: 4_000 };

/** undefined where no file says where it is. */
export function createWebhook(
  { files, authorization }: CompletedConfig,
  parts: WebhookParts,
): Webhook | undefined {
  const access = files.authorizationWebhook;
  if (access === undefined) return undefined;
  const { naming, warn } = parts;
  const { version, allowedTtlMs, refusedTtlMs } = authorization.webhook;
  const server = new URL(access.server);
  const transport = new HttpsTransport({ ...access, server });
  const closing = new AbortController();
  const path = `${server.pathname}${server.search}`;
  return {
    authorizer: createWebhookAuthorizer({
      ask: (review) => send(transport, { path, review }, closing.signal),
      group: `authorization.${naming.apiDomain}`,
      version,
      lifetimes: { allowedMs: allowedTtlMs, refusedMs: refusedTtlMs },
      warn,
    }),
    close: () => {
      closing.abort();
      transport.close();
    },
  };
}

async function send(
  transport: HttpsTransport,
  { path, review }: { readonly path: string; readonly review: JsonObject },
  closing: AbortSignal,
): Promise<JsonObject> {
  const whole = AbortSignal.any([closing, AbortSignal.timeout(wholeMs)]);
  const backoff = new Backoff(betweenAttempts);
  for (let attempt = 1; ; attempt++) {
    try {
      const signal = AbortSignal.any([whole, AbortSignal.timeout(attemptMs)]);
      return await transport.json({ method: 'POST', path, body: review }, signal);
    } catch (error) {
      if (whole.aborted || attempt >= maxAttempts || !mayPass(error)) throw error;
    }
    await pause(backoff.nextMs(), whole);
  }
}

/** Connections that break and servers that are busy may be well again soon; a refusal stays one. */
function mayPass(error: unknown): boolean {
  return !(error instanceof StatusError) || error.code === 429 || error.code >= 500;
}
