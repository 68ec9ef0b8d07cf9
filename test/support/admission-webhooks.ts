/** Webhooks of a test that answer without a server, and what was called. */
import type { AdmissionPlugin } from '../../src/admission/admission-chain.ts';
import type { WebhookDependencies } from '../../src/admission/webhook/dependencies.ts';
import { createMutatingWebhooks } from '../../src/admission/webhook/mutating-webhooks.ts';
import { createValidatingWebhooks } from '../../src/admission/webhook/validating-webhooks.ts';
import { systemEnvironment } from '../../src/base/environment.ts';
import { laterTurn } from '../../src/base/cooperate.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { encodeStored } from '../../src/codec/stored.ts';
import { createAdmissionMetrics } from '../../src/observe/admission-metrics.ts';
import { Metrics } from '../../src/observe/metrics.ts';
import { newEntry } from '../../src/registry/written-entry.ts';
import { CollectionView } from '../../src/storage/view/collection.ts';
import { naming } from './admission.ts';
import { realCatalogue } from './catalogue.ts';

export const collection = 'admissionregistration.orch.io/validatingwebhookconfigurations';
export const mutatingCollection = 'admissionregistration.orch.io/mutatingwebhookconfigurations';
const limits = { maxPastStates: 1, maxPastStateBytes: 1e6, maxAgeMs: 1_000 };
/** Configurations, and the calls of their webhooks. */
export class Webhooks {
  readonly called: string[] = [];
  mostAtOnce = 0;
  refuses: ReadonlySet<string> = new Set();
  /** Of each answer, in base64; '' for none. */
  patch = '';
  /** Members of each answer beside what is expected, or instead of it. */
  more: JsonObject = {};
  readonly parts: WebhookDependencies;
  private readonly views = new Map(
    [collection, mutatingCollection].map((id) => [id, new CollectionView(id, 0, limits)]),
  );
  private revision = 1;
  private open = 0;

  constructor(
    catalogue: WebhookDependencies['catalogue'] = realCatalogue(naming).catalogue,
    { access = { decide: () => ({ isAllowed: false, reason: '' }) } }: Partial<WebhookDependencies> = {},
  ) {
    this.parts = {
      ...systemEnvironment,
      catalogue,
      storage: { view: (id) => this.viewOf(id).snapshot(this.revision) },
      namespaces: { peek: () => undefined, read: () => Promise.resolve(undefined) },
      access,
      isFeatureEnabled: () => true,
      metrics: createAdmissionMetrics(new Metrics()),
      warn: () => undefined,
      sendReview: ({ url }, review) => this.answer(url, review),
    };
  }

  configure(name: string, webhooks: readonly JsonObject[], id = collection): void {
    this.revision += 1;
    const entry = newEntry(
      id,
      name,
      encodeStored({ metadata: { name }, webhooks: [...webhooks] }),
      this.revision,
    );
    this.viewOf(id).change(name, entry, this.revision, 0);
  }

  private viewOf(id: string): CollectionView {
    const view = this.views.get(id);
    if (!view) throw new Error(`there is no ${id}`);
    return view;
  }

  private async answer(url: string, review: JsonObject): Promise<JsonObject> {
    const name = url.replace('https://', '');
    this.called.push(name);
    this.open += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.open);
    await laterTurn();
    this.open -= 1;
    const { uid } = review['request'] as { uid: string };
    const allowed = !this.refuses.has(name);
    const patched = this.patch !== '' && { patchType: 'JSONPatch', patch: this.patch };
    const response = { uid, allowed, ...patched, ...this.more };
    return { kind: 'AdmissionReview', apiVersion: 'admission.orch.io/v1', response };
  }
}

/** A webhook for writes of ConfigMaps. */
export function hook(name: string, more: JsonObject = {}): JsonObject {
  return {
    ...{ name: `${name}.example.com`, clientConfig: { url: `https://${name}` } },
    rules: [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
    ...{ sideEffects: 'None', admissionReviewVersions: ['v1'], timeoutSeconds: 10, matchPolicy: 'Exact' },
    ...more,
  };
}

/** The plugin of a kind with one webhook. */
export function pluginWith(
  kind: 'validating' | 'mutating',
  webhook: JsonObject,
  parts: Pick<WebhookDependencies, 'access'>,
): AdmissionPlugin {
  const webhooks = new Webhooks(undefined, parts);
  const isMutating = kind === 'mutating';
  webhooks.configure('c', [webhook], isMutating ? mutatingCollection : collection);
  return isMutating ? createMutatingWebhooks(webhooks.parts) : createValidatingWebhooks(webhooks.parts);
}
