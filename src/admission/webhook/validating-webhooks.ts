/** ValidatingAdmissionWebhook: the webhooks of ValidatingWebhookConfigurations judge what will be written, many at once. */
import { whenReady, type MaybePromise } from '../../base/maybe-promise.ts';
import { EvaluationTurns } from '../../cel/evaluation-turns.ts';
import type { AdmissionAttributes } from '../../registry/types.ts';
import type { AdmissionPlugin } from '../admission-chain.ts';
import { callWebhook } from './call-webhook.ts';
import { meetsConditions } from './match-conditions.ts';
import { configurationsGroup, isConfiguration } from './configurations.ts';
import { WebhookIndex, type PlacedWebhook } from './webhook-index.ts';
import { invocationOf, type Invocation } from './match-rules.ts';
import type { WebhookDependencies } from './dependencies.ts';

/** Webhooks that are asked about a write at once: each has a copy of the object. */
const atOnce = 64;

export function createValidatingWebhooks(parts: WebhookDependencies): AdmissionPlugin {
  const collection = `${configurationsGroup(parts.catalogue.naming)}/validatingwebhookconfigurations`;
  const index = new WebhookIndex(() => parts.storage.view(collection));
  return {
    name: 'ValidatingAdmissionWebhook',
    validate(attributes: AdmissionAttributes): MaybePromise<void> {
      if (isConfiguration(attributes)) return;
      return whenReady(index.about(attributes.scope.resource.gvr.resource), (hooks) =>
        hooks.length === 0 ? undefined : new WebhookCheck(parts, attributes).check(hooks),
      );
    },
    callsWebhooks: ({ resource }) => index.mayBeAbout(resource.gvr.resource),
  };
}

/** The webhooks about one write. */
class WebhookCheck {
  private readonly parts: WebhookDependencies;
  private readonly attributes: AdmissionAttributes;
  private readonly turns = new EvaluationTurns();
  private readonly rejections = new Map<number, unknown>();

  constructor(parts: WebhookDependencies, attributes: AdmissionAttributes) {
    this.parts = parts;
    this.attributes = attributes;
  }

  /** @throws StatusError of the first webhook, in their order, that rejects the write */
  async check(hooks: readonly PlacedWebhook[]): Promise<void> {
    const invocations: Invocation[] = [];
    for (const { hook } of hooks) {
      const invocation = await this.turns.inTurn(() => invocationOf(this.parts, hook, this.attributes));
      if (invocation && (await meetsConditions(this.parts, invocation, this.attributes)))
        invocations.push(invocation);
    }
    await this.call(invocations);
    const [first] = [...this.rejections].sort(([a], [b]) => a - b);
    if (first) throw first[1];
  }

  /** Every call is waited for: none may go on behind an answer that has left. After a rejection no other one begins. */
  private async call(invocations: readonly Invocation[]): Promise<void> {
    const left = invocations.entries();
    const callNext = async (): Promise<void> => {
      for (const [index, invocation] of left) {
        await this.turns.inTurn(() => this.callOne(invocation, index));
        if (this.rejections.size > 0) return;
      }
    };
    await Promise.all(Array.from({ length: Math.min(atOnce, invocations.length) }, callNext));
  }

  private async callOne(invocation: Invocation, index: number): Promise<void> {
    if (this.rejections.size > 0) return;
    try {
      await callWebhook(this.parts, invocation, this.attributes, 'validating');
    } catch (error) {
      this.rejections.set(index, error);
    }
  }
}
