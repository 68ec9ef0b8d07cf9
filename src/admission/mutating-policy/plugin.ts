/**
 * MutatingAdmissionPolicy (KEP-3962): policies in the expression language change what will be written, through their
 * bindings, one after the other. Those with `reinvocationPolicy: IfNeeded` run again once something behind them has
 * changed the object.
 */
import type { Environment } from '../../base/environment.ts';
import { deepEqual, type JsonObject } from '../../base/json.ts';
import { shortText } from '../../base/short-text.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { AdmissionInput } from '../../cel/admission/environment.ts';
import { EvaluationBudget, matchConditionsCost, policyCost } from '../../cel/admission/evaluation-budget.ts';
import { EvaluationTurns } from '../../cel/evaluation-turns.ts';
import { TooLargeValue } from '../../cel/admission/json-of.ts';
import { EvaluationError } from '../../cel/language/errors.ts';
import { maxStoredBytes } from '../../codec/limits.ts';
import { GrownWrite } from '../../meta/grown-write.ts';
import { checkStructure, type StructureResult } from '../../schema/structure.ts';
import type { AdmissionMetrics } from '../../observe/admission-metrics.ts';
import type { AdmissionAttributes, ServedResource } from '../../registry/types.ts';
import type { AdmissionPlugin, ReinvocationContext } from '../admission-chain.ts';
import {
  copyLimit,
  mostServedWeight,
  patchedSchema,
  takePatched,
  UnusablePatch,
  type PatchedParts,
} from '../patched-object.ts';
import { isExempt } from '../policy/exempt.ts';
import { policiesLoaded, type PolicyInformer } from '../policy/policy-index.ts';
import {
  boundPolicies,
  PolicyInputs,
  type PolicyInvocation,
  type PolicyParts,
} from '../policy/policy-inputs.ts';
import { shown } from '../webhook/shown.ts';
import { ConfigurationProblem } from '../policy/policy-params.ts';
import { errorTypeOf } from '../policy/error-type.ts';
import { valueOf } from '../policy/policy-programs.ts';
import type { Binding } from '../policy/policy.ts';
import { failedInternally } from '../webhook/failures.ts';
import { Reinvocable } from '../reinvocable.ts';
import type { MutatingPolicy, MutationProgram } from './mutating-policy.ts';
import { applyMutation, MutationProblem } from './patches.ts';
import { Refusals } from './refusals.ts';

export interface MutatingPolicyDependencies extends Pick<Environment, 'clock'>, PolicyParts, PatchedParts {
  readonly clock: Environment['clock'];
  readonly informer: PolicyInformer<MutatingPolicy, Binding>;
  readonly metrics: Pick<AdmissionMetrics, 'mutationChecks' | 'mutationDuration'>;
}

type Invocation = PolicyInvocation<MutatingPolicy, Binding>;

export function createMutatingPolicies(parts: MutatingPolicyDependencies): AdmissionPlugin {
  const { informer } = parts;
  const known = new WeakMap<ReinvocationContext, Reinvocable>();
  const changed = (attributes: AdmissionAttributes, context: ReinvocationContext): MaybePromise<void> => {
    // There is nothing to change in a deletion.
    if (informer.index.isEmpty || attributes.operation === 'DELETE' || isExempt(attributes)) return undefined;
    const policies = informer.index.policiesFor(attributes.scope.resource.gvr.resource);
    if (policies.length === 0) return undefined;
    const reinvocable = known.get(context) ?? new Reinvocable();
    known.set(context, reinvocable);
    return new Mutations(parts, attributes, { context, reinvocable }).run(policies);
  };
  return {
    name: 'MutatingAdmissionPolicy',
    admit(attributes, context) {
      if (isExempt(attributes)) return;
      if (informer.isLoaded()) return changed(attributes, context);
      return policiesLoaded(informer, attributes.scope.signal).then(() => changed(attributes, context));
    },
  };
}

interface Phase {
  readonly context: ReinvocationContext;
  readonly reinvocable: Reinvocable;
}

/** The policies about one write, in one phase. */
class Mutations {
  private readonly parts: MutatingPolicyDependencies;
  private readonly attributes: AdmissionAttributes;
  private readonly phase: Phase;
  private readonly turns = new EvaluationTurns();
  private readonly refusals = new Refusals();
  private readonly inputs: PolicyInputs;

  constructor(parts: MutatingPolicyDependencies, attributes: AdmissionAttributes, phase: Phase) {
    this.parts = parts;
    this.attributes = attributes;
    this.phase = phase;
    this.inputs = new PolicyInputs(parts, attributes, shown);
  }

  /** Which policies concern the write is said by the object as it came. @throws StatusError, GrownWrite */
  async run(policies: readonly MutatingPolicy[]): Promise<void> {
    const { attributes } = this;
    const { context, reinvocable } = this.phase;
    const invocations = await this.invocations(policies);
    reinvocable.begin(attributes, context);
    for (const ofBinding of invocations)
      for (const invocation of ofBinding) {
        attributes.scope.signal.throwIfAborted();
        await this.turns.inTurn(() => this.invoke(invocation));
      }
    reinvocable.end(attributes);
    this.refusals.conclude(attributes);
  }

  private async invocations(policies: readonly MutatingPolicy[]): Promise<Iterable<Invocation>[]> {
    const { parts, attributes, refusals, turns } = this;
    const { index } = parts.informer;
    const found: Iterable<Invocation>[] = [];
    for await (const bound of boundPolicies({ parts, attributes, turns }, index, policies)) {
      const { policy, binding } = bound;
      try {
        found.push(await this.inputs.invocations(bound));
      } catch (error) {
        if (!(error instanceof ConfigurationProblem)) throw error;
        refusals.add(policy, binding, error.message, 'Forbidden');
      }
    }
    return found;
  }

  private async invoke(invocation: Invocation): Promise<void> {
    const { context, reinvocable } = this.phase;
    if (!(await this.meetsConditions(invocation))) return;
    const key = keyOf(invocation);
    if (!reinvocable.isDue(key, context)) return;
    if (await this.change(invocation)) reinvocable.noteChange(context);
    if (invocation.policy.reinvokesIfNeeded) reinvocable.noteRun(key);
  }

  private async input({ resource, param }: Invocation): Promise<AdmissionInput> {
    return { ...(await this.inputs.of(resource)), params: param };
  }

  private async meetsConditions(invocation: Invocation): Promise<boolean> {
    const { policy, binding } = invocation;
    const { programs } = policy;
    if (!programs.conditions) return true;
    const { matches = false, problem } = await programs.conditions.match({
      values: programs.conditionValues(await this.input(invocation)),
      budget: new EvaluationBudget(matchConditionsCost),
      turns: this.turns,
    });
    if (problem !== undefined) this.refusals.add(policy, binding, problem, 'Invalid');
    return matches;
  }

  /** The mutations of a policy in their order; one that fails does not keep the next from running. True: the object is another one. */
  private async change(invocation: Invocation): Promise<boolean> {
    const { policy, binding } = invocation;
    const { body } = await policy.programs.all(this.turns);
    let isChanged = false;
    for (const mutation of this.attributes.object ? body : []) {
      const since = this.parts.clock.monotonic();
      const problem = await this.attempt(invocation, mutation).then(
        (didChange) => {
          isChanged ||= didChange;
          return undefined;
        },
        (error: unknown) => problemOf(error),
      );
      this.count(invocation, problem?.type ?? 'no_error', (this.parts.clock.monotonic() - since) / 1_000);
      if (problem) this.refusals.add(policy, binding, problem.message, 'Invalid');
    }
    return isChanged;
  }

  private count({ policy, binding }: Invocation, error_type: string, seconds: number): void {
    const { mutationChecks, mutationDuration } = this.parts.metrics;
    const labels = { policy: policy.name, policy_binding: binding.name, error_type };
    mutationChecks.series(labels).add();
    mutationDuration.series(labels).observe(seconds);
  }

  private async attempt(invocation: Invocation, mutation: MutationProgram): Promise<boolean> {
    const { programs } = invocation.policy;
    const input = await this.input(invocation);
    const { object } = input;
    if (!object) return false;
    const budget = new EvaluationBudget(policyCost);
    const values = programs.values(input, await programs.all(this.turns), budget);
    const value = await this.turns.answered(() => valueOf(mutation.text, values, budget));
    const { resource } = invocation;
    const { patchType } = mutation;
    const schema = patchedSchema(this.attributes, resource);
    const structure = (body: JsonObject): StructureResult =>
      schema && this.attributes.kind ? checkStructure(schema, body) : resource.structure(body);
    const { maxWeight } = this;
    const noteCopied = copyLimit(this.attributes.scope);
    const changed = await this.turns.inTurn(() =>
      this.patched(() =>
        applyMutation(patchType, value, { object, schema, structure, maxWeight, noteCopied }),
      ),
    );
    if (changed === object || deepEqual(changed, object)) return false;
    // What a custom resource does not declare is dropped, as from a body.
    if (patchType === 'JSONPatch' && !resource.description) refuseUnknown(structure, object, changed);
    await this.take(resource, changed);
    return true;
  }

  /** Where the write can move to a write thread, larger changes are made there. */
  private get maxWeight(): number {
    return this.attributes.scope.growth === 'moves' ? mostServedWeight : maxStoredBytes;
  }

  private patched(work: () => JsonObject): JsonObject {
    try {
      return work();
    } catch (error) {
      if (error instanceof TooLargeValue && this.attributes.scope.growth === 'moves') throw new GrownWrite();
      throw error;
    }
  }

  private async take(resource: ServedResource, changed: JsonObject): Promise<void> {
    const { attributes, parts } = this;
    const { object: target } = attributes;
    if (!target) return;
    await takePatched(parts, { attributes, resource, target }, changed);
    this.inputs.forget();
  }
}

/** @throws StatusError 500 for fields that the patch has added, and that the kind does not have */
function refuseUnknown(
  structure: (body: JsonObject) => StructureResult,
  object: JsonObject,
  changed: JsonObject,
): void {
  const { unknown } = structure(changed);
  if (unknown.length === 0) return;
  const before = new Set(structure(object).unknown);
  const [added] = unknown.filter((path) => !before.has(path));
  if (added !== undefined)
    throw failedInternally(`strict decoding error: unknown field ${JSON.stringify(shortText(added))}`);
}

/** What is counted, and what the client reads. @throws what is no problem of the policy */
function problemOf(error: unknown): { readonly type: string; readonly message: string } {
  const isOwn = [EvaluationError, MutationProblem, UnusablePatch].some((type) => error instanceof type);
  const type = isOwn ? 'invalid_error' : errorTypeOf(error);
  if (type === undefined || !(error instanceof Error)) throw error;
  return { type, message: error.message };
}

function keyOf({ policy, binding, param }: Invocation): string {
  const metadata = param?.['metadata'] as { namespace?: string; name?: string } | undefined;
  return JSON.stringify([policy.name, binding.name, metadata?.namespace ?? '', metadata?.name ?? '']);
}
