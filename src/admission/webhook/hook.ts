/** Webhooks as they are called: what a configuration says, read once for each revision of it. */
import type { Webhook } from '../../api/admissionregistration/webhook-rules.ts';
import type { MutatingWebhook, RuleWithOperations } from '../../api/admissionregistration/v1.types.ts';
import { selectorText } from '../../api/selector-text.ts';
import { decodeStored } from '../../codec/stored.ts';
import { parseLabelSelector, type LabelSelector } from '../../meta/label-selector.ts';
import { asApiObject } from '../../meta/object.ts';
import type { CollectionSnapshot, Entry } from '../../storage/types.ts';

/** Versions of AdmissionReview that are spoken, best first. */
export type ReviewVersion = 'v1' | 'v1beta1';

export interface HookService {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
  readonly path: string;
}

/** Where a webhook is, and whom to trust to be it. */
export interface HookClient {
  /** '' where a service is meant. */
  readonly url: string;
  readonly service: HookService | undefined;
  /** Base64 of PEM; '': the authorities that the system trusts. */
  readonly caBundle: string;
}

export interface Hook {
  readonly name: string;
  readonly configuration: string;
  readonly client: HookClient;
  readonly rules: readonly HookRule[];
  readonly namespaceSelector: LabelSelector;
  readonly objectSelector: LabelSelector;
  /** Rules stand for other versions of their resources, too (`matchPolicy: Equivalent`). */
  readonly takesEquivalents: boolean;
  /** A call that fails is no refusal (`failurePolicy: Ignore`). */
  readonly failsOpen: boolean;
  readonly timeoutSeconds: number;
  readonly bearsDryRun: boolean;
  /** Called again when later ones changed the object (`reinvocationPolicy: IfNeeded`). */
  readonly isCalledAgain: boolean;
  /** undefined: it understands none that is spoken here. */
  readonly review: ReviewVersion | undefined;
}

export interface HookRule {
  readonly operations: readonly string[];
  readonly groups: readonly string[];
  readonly versions: readonly string[];
  /** `pods`, `pods/status`, `*`, `pods/*`, `*` with `/status`. */
  readonly resources: readonly string[];
  readonly scope: string;
}

const longestSeconds = 30;

/** The webhooks of all configurations, by name of the configuration and as they stand in it. */
export function hooksOf(configurations: CollectionSnapshot): readonly Hook[] {
  if (configurations.size === 0) return [];
  return Array.from(configurations.entries('', '')).flatMap(hooksIn);
}

const key = Symbol('webhooks');

function hooksIn(entry: Entry): readonly Hook[] {
  const memo = (entry.memo ??= new Map());
  const known = memo.get(key) as readonly Hook[] | undefined;
  if (known) return known;
  const { metadata, webhooks } = asApiObject(decodeStored(entry.bytes)) as ReturnType<typeof asApiObject> & {
    webhooks?: readonly MutatingWebhook[] | null;
  };
  const hooks = (webhooks ?? []).map((webhook) => readHook(metadata.name ?? '', webhook));
  memo.set(key, hooks);
  return hooks;
}

function readHook(
  configuration: string,
  webhook: Webhook & Pick<MutatingWebhook, 'reinvocationPolicy'>,
): Hook {
  return {
    name: webhook.name ?? '',
    configuration,
    client: readClient(webhook.clientConfig ?? {}),
    rules: (webhook.rules ?? []).map(readRule),
    namespaceSelector: parseLabelSelector(selectorText(webhook.namespaceSelector)),
    objectSelector: parseLabelSelector(selectorText(webhook.objectSelector)),
    takesEquivalents: webhook.matchPolicy === 'Equivalent',
    failsOpen: webhook.failurePolicy === 'Ignore',
    timeoutSeconds: webhook.timeoutSeconds ?? longestSeconds,
    bearsDryRun: ['None', 'NoneOnDryRun'].includes(webhook.sideEffects ?? ''),
    isCalledAgain: webhook.reinvocationPolicy === 'IfNeeded',
    review: (webhook.admissionReviewVersions ?? ['v1beta1']).find(isSpoken),
  };
}

function isSpoken(version: string): version is ReviewVersion {
  return version === 'v1' || version === 'v1beta1';
}

/** What a client configuration says. */
export function readClient({ url, service, caBundle }: NonNullable<Webhook['clientConfig']>): HookClient {
  const meant = service && {
    namespace: service.namespace ?? '',
    name: service.name ?? '',
    port: service.port ?? 443,
    path: service.path ?? '/',
  };
  return { url: url ?? '', service: meant, caBundle: caBundle ?? '' };
}

function readRule({ operations, apiGroups, apiVersions, resources, scope }: RuleWithOperations): HookRule {
  return {
    operations: operations ?? [],
    groups: apiGroups ?? [],
    versions: apiVersions ?? [],
    resources: resources ?? [],
    scope: scope ?? '*',
  };
}
