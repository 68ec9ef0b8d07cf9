/**
 * MutatingAdmissionWebhook: the webhooks of MutatingWebhookConfigurations change what will be written, one after the
 * other. Once one has changed something, the whole mutating phase runs again, in which those webhooks are called once
 * more that ask for it and came before a change.
 */
import type { MaybePromise } from '../../base/maybe-promise.ts';
import { asJson } from '../../meta/object.ts';
import type { AdmissionAttributes } from '../../registry/types.ts';
import type { AdmissionPlugin, AdmissionRound } from '../chain.ts';
import { callHook } from './call.ts';
import { configurationsGroup, isConfiguration } from './configurations.ts';
import { hooksOf, type Hook } from './hook.ts';
import { invocationOf, mayConcern } from './match.ts';
import { applyVerdict } from './patched.ts';
import type { WebhookParts } from './parts.ts';

export function createMutatingWebhooks(parts: WebhookParts): AdmissionPlugin {
  const collection = `${configurationsGroup(parts.catalogue.naming)}/mutatingwebhookconfigurations`;
  const runs = new WeakMap<AdmissionRound, Run>();
  return {
    name: 'MutatingAdmissionWebhook',
    admit(attributes: AdmissionAttributes, round: AdmissionRound): MaybePromise<void> {
      const hooks = hooksOf(parts.storage.view(collection));
      if (hooks.length === 0 || isConfiguration(attributes)) return;
      const run = runs.get(round) ?? new Run(parts);
      runs.set(round, run);
      return run.call(hooks, attributes, round);
    },
    tellsOthers: (scope) => hooksOf(parts.storage.view(collection)).some((hook) => mayConcern(hook, scope)),
  };
}

/** The calls for one write, in one phase and its repetition. */
class Run {
  private readonly parts: WebhookParts;
  /** They want to hear of changes that came after them. */
  private readonly waiting = new Set<string>();
  /** There were such changes. */
  private readonly due = new Set<string>();
  private left: string | undefined;

  constructor(parts: WebhookParts) {
    this.parts = parts;
  }

  async call(hooks: readonly Hook[], attributes: AdmissionAttributes, round: AdmissionRound): Promise<void> {
    // Built-in plugins that changed something in between count as well.
    if (round.isRepeated && this.waiting.size > 0 && this.left !== textOf(attributes)) this.wake();
    const seen = new Map<string, number>();
    for (const [index, hook] of hooks.entries()) {
      const key = keyOf(hook, seen);
      if (round.isRepeated && !this.due.delete(key)) continue;
      const outcome = await this.one(hook, attributes, { round, index });
      if (outcome === 'changed') {
        this.wake();
        round.repeat();
      }
      if (hook.isCalledAgain && outcome !== 'not asked') this.waiting.add(key);
    }
    if (this.waiting.size > 0) this.left = textOf(attributes);
  }

  /** Whether it is asked depends on what the ones before made of the object. */
  private async one(
    hook: Hook,
    attributes: AdmissionAttributes,
    { round, index }: { readonly round: AdmissionRound; readonly index: number },
  ): Promise<'changed' | 'unchanged' | 'not asked'> {
    const invocation = await invocationOf(this.parts, hook, attributes);
    if (!invocation) return 'not asked';
    const called = await callHook(this.parts, invocation, attributes, 'admit');
    if (!called) return 'unchanged';
    const isChanged = await applyVerdict(this.parts, invocation, attributes, called);
    const place = `round_${round.isRepeated ? '1' : '0'}_index_${String(index)}`;
    annotate(attributes, hook, { place, isChanged, patch: called.verdict.patch });
    return isChanged ? 'changed' : 'unchanged';
  }

  private wake(): void {
    for (const key of this.waiting) this.due.add(key);
    this.waiting.clear();
  }
}

/** Webhooks of one configuration may share a name in old ones: then their order tells them apart. */
function keyOf({ configuration, name }: Hook, seen: Map<string, number>): string {
  const text = `${configuration}/${name}`;
  const before = seen.get(text) ?? 0;
  seen.set(text, before + 1);
  return `${text}/${String(before)}`;
}

function textOf({ object }: AdmissionAttributes): string {
  return object ? JSON.stringify(asJson(object)) : '';
}

/** For the audit log: who changed the object; what exactly, only where whole requests are logged. */
function annotate(
  { scope }: AdmissionAttributes,
  { configuration, name }: Hook,
  {
    place,
    isChanged,
    patch,
  }: { readonly place: string; readonly isChanged: boolean; readonly patch: string },
): void {
  const { naming } = scope.resource;
  const who = { configuration, webhook: name };
  const domain = `webhook.admission.${naming.apiDomain}`;
  scope.annotate?.(`mutation.${domain}/${place}`, JSON.stringify({ ...who, mutated: isChanged }));
  if (patch === '') return;
  const said = JSON.parse(Buffer.from(patch, 'base64').toString('utf8')) as unknown;
  const text = JSON.stringify({ ...who, patch: said, patchType: 'JSONPatch' });
  scope.annotate?.(`patch.${domain}/${place}`, text, 'Request');
}
