/** One call of one webhook: the request, the check of the response, and the failure policy. */
import { messageOf } from '../../base/errors.ts';
import { inStep } from '../../base/span.ts';
import { LongAnswerError } from '../../base/long-answer.ts';
import { smallBodyBytes } from '../../codec/limits.ts';
import { GrownWrite } from '../../meta/grown-write.ts';
import type { JsonObject } from '../../base/json.ts';
import { StatusError, timedOut } from '../../meta/status.ts';
import type { AdmissionAttributes } from '../../registry/types.ts';
import { CallFailure, denied, dryRunUnsupported, failedInternally } from './failures.ts';
import { shown } from './shown.ts';
import type { Invocation } from './match-rules.ts';
import type { WebhookType, WebhookDependencies } from './dependencies.ts';
import {
  createAdmissionReview,
  readAdmissionResponse,
  type AdmissionReviewRequest,
  type AdmissionResponse,
} from './admission-review.ts';

export interface WebhookResult {
  readonly response: AdmissionResponse;
  /** The object that the webhook saw; null where there is none. */
  readonly object: JsonObject | null;
}

/**
 * Calls a webhook. undefined: the call failed, and the webhook's policy is to go on without it.
 * @throws GrownWrite; StatusError: 400 of a dry run that it does not support, 500 of a call that failed, otherwise its
 * rejection
 */
export async function callWebhook(
  parts: WebhookDependencies,
  invocation: Invocation,
  attributes: AdmissionAttributes,
  type: WebhookType,
): Promise<WebhookResult | undefined> {
  const { hook } = invocation;
  const record = recorder(parts, hook.name, type, attributes);
  try {
    if (attributes.scope.dryRun && !hook.supportsDryRun) throw dryRunUnsupported(hook.name);
    const name = `Call ${type === 'admit' ? 'mutating' : 'validating'} webhook`;
    const result = await inStep(name, () => ask(parts, invocation, attributes, type), {
      attributes: { configuration: hook.configuration, webhook: hook.name, operation: attributes.operation },
    });
    if (!result.response.allowed) throw denied(hook.name, result.response.status);
    record();
    return result;
  } catch (error) {
    // It is called again, and that call counts.
    if (error instanceof GrownWrite) throw error;
    if (!(error instanceof CallFailure)) {
      record(error instanceof StatusError ? ['no_error', error.code] : ['apiserver_internal_error', 0]);
      throw error;
    }
    if (!hook.ignoresFailure) record(['calling_webhook_error', 500]);
    else {
      record();
      parts.metrics.webhookFailOpen.series({ name: hook.name, type }).add();
    }
    afterFailure(parts, invocation, attributes, error);
    return;
  }
}

function afterFailure(
  { warn }: WebhookDependencies,
  { hook }: Invocation,
  { scope }: AdmissionAttributes,
  failure: CallFailure,
): undefined {
  const about = { webhook: hook.name, configuration: hook.configuration, err: failure };
  warn(about, hook.ignoresFailure ? 'a webhook failed and is ignored' : 'a webhook failed');
  if (!hook.ignoresFailure) throw failedInternally(failure.message, failure);
  if (scope.signal.aborted) throw timedOut('request did not complete within requested timeout');
  return undefined;
}

/** Bytes of an answer about a write that cannot move: what is read here is parsed in one go. */
const longestVerdict = 4 * smallBodyBytes;

function longestAnswer({ growth }: AdmissionAttributes['scope']): number | undefined {
  if (growth === undefined) return longestVerdict;
  return growth === 'moves' ? smallBodyBytes : undefined;
}

/** @throws CallFailure, GrownWrite */
async function ask(
  { sendReview, random }: WebhookDependencies,
  { hook, resource }: Invocation,
  attributes: AdmissionAttributes,
  type: WebhookType,
): Promise<WebhookResult> {
  const { scope } = attributes;
  const object = await shown(attributes.object, resource, attributes);
  const oldObject = await shown(attributes.oldObject, resource, attributes);
  const limits = {
    ...{ timeoutSeconds: hook.timeoutSeconds, signal: scope.signal },
    longestAnswer: longestAnswer(scope),
  };
  try {
    if (!hook.review) throw new Error('it understands no version of AdmissionReview that is spoken here');
    const request: AdmissionReviewRequest = {
      ...{ uid: random.uuid(), version: hook.review, attributes, resource },
      ...{ object, oldObject },
    };
    const answer = await sendReview(hook.client, createAdmissionReview(request), limits);
    const response = readAdmissionResponse(answer, request, type === 'admit');
    for (const text of response.warnings) scope.warn(text);
    for (const [key, text] of response.annotations) scope.annotate?.(`${hook.name}/${key}`, text);
    return { response, object: request.object };
  } catch (error) {
    if (scope.growth === 'moves' && isLong(error)) throw new GrownWrite();
    throw new CallFailure(hook.name, messageOf(error), error);
  }
}

function isLong(error: unknown): boolean {
  return error instanceof Error && error.cause instanceof LongAnswerError;
}

type Rejection = readonly [errorType: string, code: number];

/** Records how long the call took, and the error type where it ended in a rejection. */
function recorder(
  { metrics, clock }: WebhookDependencies,
  name: string,
  type: WebhookType,
  { operation }: AdmissionAttributes,
): (rejection?: Rejection) => void {
  const startedAt = clock.monotonic();
  return (rejection) => {
    const labels = { name, type, operation };
    const seconds = (clock.monotonic() - startedAt) / 1000;
    metrics.webhookDuration.series({ ...labels, rejected: String(rejection !== undefined) }).observe(seconds);
    if (!rejection) return;
    const [errorType, code] = rejection;
    metrics.webhookRejections
      .series({ ...labels, error_type: errorType, rejection_code: String(Math.min(code, 600)) })
      .add();
  };
}
