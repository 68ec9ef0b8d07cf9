/**
 * MutatingAdmissionWebhook: the webhooks of MutatingWebhookConfigurations change what will be written, one after the
 * other. Once one has changed something, the mutating phase runs again (`reinvocationPolicy`): webhooks with `IfNeeded`
 * that ran before the change are called once more.
 */
import { whenReady, type MaybePromise } from '../../base/maybe-promise.ts';
import { EvaluationTurns } from '../../cel/evaluation-turns.ts';
import type { AdmissionAttributes } from '../../registry/types.ts';
import type { AdmissionPlugin, ReinvocationContext } from '../admission-chain.ts';
import { Reinvocable } from '../reinvocable.ts';
import { callWebhook } from './call-webhook.ts';
import { meetsConditions } from './match-conditions.ts';
import { configurationsGroup, isConfiguration } from './configurations.ts';
import type { AdmissionWebhook } from './webhook-configuration.ts';
import { WebhookIndex, type PlacedWebhook } from './webhook-index.ts';
import { invocationOf } from './match-rules.ts';
import { applyAdmissionResponse } from './apply-response.ts';
import type { WebhookDependencies } from './dependencies.ts';

export function createMutatingWebhooks(parts: WebhookDependencies): AdmissionPlugin {
  const collection = `${configurationsGroup(parts.catalogue.naming)}/mutatingwebhookconfigurations`;
  const callsOf = new WeakMap<ReinvocationContext, ReinvocableCalls>();
  const index = new WebhookIndex(() => parts.storage.view(collection));
  return {
    name: 'MutatingAdmissionWebhook',
    admit(attributes: AdmissionAttributes, reinvocation: ReinvocationContext): MaybePromise<void> {
      if (isConfiguration(attributes)) return;
      return whenReady(index.about(attributes.scope.resource.gvr.resource), (hooks) => {
        if (hooks.length === 0) return;
        const calls = callsOf.get(reinvocation) ?? new ReinvocableCalls(parts);
        callsOf.set(reinvocation, calls);
        return calls.call(hooks, attributes, reinvocation);
      });
    },
    callsWebhooks: ({ resource }) => index.mayBeAbout(resource.gvr.resource),
  };
}

/** The calls for one write, in one phase and its repetition. */
class ReinvocableCalls {
  private readonly parts: WebhookDependencies;
  private readonly reinvocable = new Reinvocable();

  constructor(parts: WebhookDependencies) {
    this.parts = parts;
  }

  async call(
    hooks: readonly PlacedWebhook[],
    attributes: AdmissionAttributes,
    reinvocation: ReinvocationContext,
  ): Promise<void> {
    const { reinvocable } = this;
    reinvocable.begin(attributes, reinvocation);
    const seen = new Map<string, number>();
    const turns = new EvaluationTurns();
    for (const { hook, place } of hooks) {
      const key = keyOf(hook, seen);
      if (!reinvocable.isDue(key, reinvocation)) continue;
      const outcome = await turns.inTurn(() => this.one(hook, attributes, { reinvocation, place }));
      if (outcome === 'changed') reinvocable.noteChange(reinvocation);
      if (hook.reinvokesIfNeeded && outcome !== 'not called') reinvocable.noteRun(key);
    }
    reinvocable.end(attributes);
  }

  /** Whether it is called depends on the object as earlier webhooks changed it. */
  private async one(
    hook: AdmissionWebhook,
    attributes: AdmissionAttributes,
    { reinvocation, place }: { readonly reinvocation: ReinvocationContext; readonly place: number },
  ): Promise<'changed' | 'unchanged' | 'not called'> {
    const invocation = await invocationOf(this.parts, hook, attributes);
    if (!invocation || !(await meetsConditions(this.parts, invocation, attributes))) return 'not called';
    const result = await callWebhook(this.parts, invocation, attributes, 'admit');
    if (!result) return 'unchanged';
    const isChanged = await applyAdmissionResponse(this.parts, invocation, attributes, result);
    const call = `round_${reinvocation.isReinvocation ? '1' : '0'}_index_${String(place)}`;
    annotate(attributes, hook, { call, isChanged, patch: result.response.patch });
    return isChanged ? 'changed' : 'unchanged';
  }
}

/** Webhooks of one configuration may share a name in old ones: then their order distinguishes them. */
function keyOf({ configuration, name }: AdmissionWebhook, seen: Map<string, number>): string {
  const text = `${configuration}/${name}`;
  const before = seen.get(text) ?? 0;
  seen.set(text, before + 1);
  return `${text}/${String(before)}`;
}

/** For the audit log: which webhook changed the object; the patch itself only at level Request. */
function annotate(
  { scope }: AdmissionAttributes,
  { configuration, name }: AdmissionWebhook,
  { call, isChanged, patch }: { readonly call: string; readonly isChanged: boolean; readonly patch: string },
): void {
  const { naming } = scope.resource;
  const source = { configuration, webhook: name };
  const domain = `webhook.admission.${naming.apiDomain}`;
  scope.annotate?.(`mutation.${domain}/${call}`, JSON.stringify({ ...source, mutated: isChanged }));
  if (patch === '') return;
  const patchJson = JSON.parse(Buffer.from(patch, 'base64').toString('utf8')) as unknown;
  const text = JSON.stringify({ ...source, patch: patchJson, patchType: 'JSONPatch' });
  scope.annotate?.(`patch.${domain}/${call}`, text, 'Request');
}
