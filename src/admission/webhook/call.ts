/** One call of one webhook: the question asked, the answer checked, and what becomes of a call that fails. */
import { randomUUID } from 'node:crypto';
import { messageOf } from '../../base/errors.ts';
import { deepCopy, type JsonObject } from '../../base/json.ts';
import { asJson, type ApiObject } from '../../meta/object.ts';
import { StatusError, timedOut } from '../../meta/status.ts';
import type { AdmissionAttributes, ServedResource } from '../../registry/types.ts';
import { CallFailure, denied, dryRunUnsupported, failedInternally } from './failures.ts';
import type { Invocation } from './match.ts';
import type { HookType, WebhookParts } from './parts.ts';
import { askingReview, readVerdict, type Question, type Verdict } from './review.ts';

export interface Called {
  readonly verdict: Verdict;
  /** The object that the webhook saw; null where there is none. */
  readonly object: JsonObject | null;
}

/**
 * Calls a webhook. undefined: the call failed, and the webhook's policy is to go on without it.
 * @throws StatusError: 400 of a dry run that it does not bear, 500 of a call that failed, otherwise its refusal
 */
export async function callHook(
  parts: WebhookParts,
  invocation: Invocation,
  attributes: AdmissionAttributes,
  type: HookType,
): Promise<Called | undefined> {
  const { hook } = invocation;
  const record = recorder(parts, hook.name, type, attributes);
  try {
    if (attributes.scope.dryRun && !hook.bearsDryRun) throw dryRunUnsupported(hook.name);
    const called = await ask(parts, invocation, attributes, type);
    if (!called.verdict.allowed) throw denied(hook.name, called.verdict.status);
    record();
    return called;
  } catch (error) {
    if (!(error instanceof CallFailure)) {
      record(error instanceof StatusError ? ['no_error', error.code] : ['apiserver_internal_error', 0]);
      throw error;
    }
    if (!hook.failsOpen) record(['calling_webhook_error', 500]);
    else record();
    afterFailure(parts, invocation, attributes, error);
    return;
  }
}

function afterFailure(
  { warn }: WebhookParts,
  { hook }: Invocation,
  { scope }: AdmissionAttributes,
  failure: CallFailure,
): undefined {
  const about = { webhook: hook.name, configuration: hook.configuration, err: failure };
  warn(about, hook.failsOpen ? 'a webhook failed and is passed over' : 'a webhook failed');
  if (!hook.failsOpen) throw failedInternally(failure.message, failure);
  if (scope.signal.aborted) throw timedOut('request did not complete within requested timeout');
  return undefined;
}

/** @throws CallFailure */
async function ask(
  { ask: send }: WebhookParts,
  { hook, resource }: Invocation,
  attributes: AdmissionAttributes,
  type: HookType,
): Promise<Called> {
  const { scope } = attributes;
  const object = await shown(attributes.object, resource, attributes);
  const oldObject = await shown(attributes.oldObject, resource, attributes);
  try {
    if (!hook.review) throw new Error('it understands no version of AdmissionReview that is spoken here');
    const question: Question = {
      ...{ uid: randomUUID(), version: hook.review, attributes, resource },
      ...{ object, oldObject },
    };
    const limits = { timeoutSeconds: hook.timeoutSeconds, signal: scope.signal };
    const answer = await send(hook.client, askingReview(question), limits);
    const verdict = readVerdict(answer, question, type === 'admit');
    for (const text of verdict.warnings) scope.warn(text);
    for (const [key, text] of verdict.annotations) scope.annotate?.(`${hook.name}/${key}`, text);
    return { verdict, object: question.object };
  } catch (error) {
    throw new CallFailure(hook.name, messageOf(error), error);
  }
}

/** A copy in the version that the webhook's rules name. @throws StatusError 500 where it cannot be converted */
async function shown(
  object: ApiObject | undefined,
  resource: ServedResource,
  { kind, scope }: AdmissionAttributes,
): Promise<JsonObject | null> {
  if (!object) return null;
  const copy = deepCopy(asJson(object));
  if (kind) return copy;
  if (!resource.conversion || resource === scope.resource) return resource.fromStorage(copy);
  return resource.conversion.from(scope.resource.gvk.version, copy, scope.signal);
}

type Rejection = readonly [errorType: string, code: number];

/** Notes how long the call took, and why it ended in a refusal where it did. */
function recorder(
  { metrics }: WebhookParts,
  name: string,
  type: HookType,
  { operation }: AdmissionAttributes,
): (rejection?: Rejection) => void {
  const startedAt = performance.now();
  return (rejection) => {
    const labels = { name, type, operation };
    const seconds = (performance.now() - startedAt) / 1000;
    metrics.webhookDuration.cell({ ...labels, rejected: String(rejection !== undefined) }).observe(seconds);
    if (!rejection) return;
    const [errorType, code] = rejection;
    metrics.webhookRejections
      .cell({ ...labels, error_type: errorType, rejection_code: String(Math.min(code, 600)) })
      .add();
  };
}
