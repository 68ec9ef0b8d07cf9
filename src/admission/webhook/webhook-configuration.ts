/** Webhooks as they are called: what a configuration says, read once for each revision of it. */
import type { Webhook } from '../../api/admissionregistration/webhook-rules.ts';
import type { MutatingWebhook, RuleWithOperations } from '../../api/admissionregistration/v1.types.ts';
import { MatchConditions } from '../../cel/admission/match-conditions.ts';
import { webhookEnvironment } from '../../cel/admission/environment.ts';
import type { Slice } from '../../base/cooperate.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import { resultOf } from '../../base/sliced-work.ts';
import { selectorSteps } from '../../api/compiled-selector.ts';
import { decodeStoredInSlices } from '../../codec/stored.ts';
import type { LabelSelector } from '../../meta/label-selector.ts';
import { asApiObject } from '../../meta/object.ts';
import type { Entry } from '../../storage/types.ts';
import { readClient, type WebhookEndpoint } from '../../webhook/client-config.ts';

/** Versions of AdmissionReview that are spoken, best first. */
export type ReviewVersion = 'v1' | 'v1beta1';

export interface AdmissionWebhook {
  readonly name: string;
  readonly configuration: string;
  readonly client: WebhookEndpoint;
  readonly rules: readonly WebhookRule[];
  readonly namespaceSelector: LabelSelector;
  readonly objectSelector: LabelSelector;
  /** Rules stand for other versions of their resources, too (`matchPolicy: Equivalent`). */
  readonly matchesEquivalent: boolean;
  /** undefined: there are none. */
  readonly conditions: MatchConditions | undefined;
  /** A failed call does not reject the request (`failurePolicy: Ignore`). */
  readonly ignoresFailure: boolean;
  readonly timeoutSeconds: number;
  readonly supportsDryRun: boolean;
  /** Called again when later ones changed the object (`reinvocationPolicy: IfNeeded`). */
  readonly reinvokesIfNeeded: boolean;
  /** undefined: it understands none that is spoken here. */
  readonly review: ReviewVersion | undefined;
}

export interface WebhookRule {
  readonly operations: readonly string[];
  readonly groups: readonly string[];
  readonly versions: readonly string[];
  /** `pods`, `pods/status`, `*`, `pods/*`, `*` with `/status`. */
  readonly resources: readonly string[];
  readonly scope: string;
}

const longestSeconds = 30;

const key = Symbol('webhooks');

/** The webhooks of a configuration as they stand in it: read in slices, once for each revision of it. */
export async function hooksIn(entry: Entry, slice: Slice): Promise<readonly AdmissionWebhook[]> {
  const memo = (entry.memo ??= new Map());
  const known = memo.get(key) as readonly AdmissionWebhook[] | undefined;
  if (known) return known;
  const breathe = (): MaybePromise<void> => slice.breathe();
  const stored = await decodeStoredInSlices(entry.bytes, breathe);
  const { metadata, webhooks } = asApiObject(stored) as ReturnType<typeof asApiObject> & {
    webhooks?: readonly MutatingWebhook[] | null;
  };
  const hooks: AdmissionWebhook[] = [];
  for (const webhook of webhooks ?? []) {
    await breathe();
    hooks.push(await resultOf(readHook(metadata.name ?? '', webhook), breathe));
  }
  memo.set(key, hooks);
  return hooks;
}

function* readHook(
  configuration: string,
  webhook: Webhook & Pick<MutatingWebhook, 'reinvocationPolicy'>,
): Generator<void, AdmissionWebhook, void> {
  return {
    name: webhook.name ?? '',
    configuration,
    client: readClient(webhook.clientConfig ?? {}),
    rules: (webhook.rules ?? []).map(readRule),
    namespaceSelector: yield* selectorSteps(webhook.namespaceSelector),
    objectSelector: yield* selectorSteps(webhook.objectSelector),
    matchesEquivalent: webhook.matchPolicy === 'Equivalent',
    conditions: readConditions(webhook),
    ignoresFailure: webhook.failurePolicy === 'Ignore',
    timeoutSeconds: webhook.timeoutSeconds ?? longestSeconds,
    supportsDryRun: ['None', 'NoneOnDryRun'].includes(webhook.sideEffects ?? ''),
    reinvokesIfNeeded: webhook.reinvocationPolicy === 'IfNeeded',
    review: (webhook.admissionReviewVersions ?? ['v1beta1']).find(isSpoken),
  };
}

/** What is stored may use every library: it compiled when it was written. */
function readConditions({ matchConditions }: Webhook): MatchConditions | undefined {
  const conditions = matchConditions ?? [];
  if (conditions.length === 0) return undefined;
  return new MatchConditions(conditions, webhookEnvironment(Number.POSITIVE_INFINITY));
}

function isSpoken(version: string): version is ReviewVersion {
  return version === 'v1' || version === 'v1beta1';
}

function readRule({ operations, apiGroups, apiVersions, resources, scope }: RuleWithOperations): WebhookRule {
  return {
    operations: operations ?? [],
    groups: apiGroups ?? [],
    versions: apiVersions ?? [],
    resources: resources ?? [],
    scope: scope ?? '*',
  };
}
