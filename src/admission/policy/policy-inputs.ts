/** What the policies about one write have in common: which of them concern it, and what their expressions see. */
import type { AdmissionInput } from '../../cel/admission/environment.ts';
import type { EvaluationTurns } from '../../cel/evaluation-turns.ts';
import type { JsonObject } from '../../base/json.ts';
import { asJson } from '../../meta/object.ts';
import type { AdmissionAttributes, ResourceCatalogue, ServedResource } from '../../registry/types.ts';
import type { AccessDecider } from '../access-checker.ts';
import type { NamespaceReader } from '../namespace-lifecycle.ts';
import { requestOf } from '../webhook/admission-review.ts';
import { matchedResource } from '../webhook/match-rules.ts';
import type { seen } from '../webhook/shown.ts';
import { authorizerOf } from './authorizer-of.ts';
import { PolicyParams, type ParamParts } from './policy-params.ts';
import type { PolicyIndex } from './policy-index.ts';
import type { Binding, Policy } from './policy.ts';

export interface PolicyParts extends ParamParts {
  readonly catalogue: ResourceCatalogue;
  readonly namespaces: NamespaceReader;
  readonly access: AccessDecider;
}

/** A policy that concerns the write by a binding, with one parameter; null: it has none. */
export interface PolicyInvocation<P extends Policy, B extends Binding> {
  readonly policy: P;
  readonly binding: B;
  /** The version that the rules of the policy name. */
  readonly resource: ServedResource;
  readonly param: JsonObject | null;
}

/** A binding that concerns the write. */
export interface BoundPolicy<P extends Policy, B extends Binding> {
  readonly policy: P;
  readonly binding: B;
  readonly resource: ServedResource;
}

/** One write, and the turns of its evaluations. */
interface WriteParts {
  readonly parts: PolicyParts;
  readonly attributes: AdmissionAttributes;
  readonly turns: EvaluationTurns;
}

/** The bindings that concern a write, in the order of the policies. @throws StatusError 404 for a namespace that is not there */
export async function* boundPolicies<P extends Policy, B extends Binding>(
  { parts, attributes, turns }: WriteParts,
  index: PolicyIndex<P, B>,
  policies: readonly P[],
): AsyncGenerator<BoundPolicy<P, B>> {
  for (const policy of policies) {
    const bindings = index.bindingsOf(policy);
    if (bindings.length === 0) continue;
    const resource = await turns.inTurn(() => matchedResource(parts, policy.matcher, attributes));
    if (!resource) continue;
    for (const binding of bindings) {
      const { matcher } = binding;
      if (!matcher || (await turns.inTurn(() => matchedResource(parts, matcher, attributes))))
        yield { policy, binding, resource };
    }
  }
}

/** What expressions see of one write, the same for all policies that name the same version. */
export class PolicyInputs {
  private readonly parts: PolicyParts;
  private readonly attributes: AdmissionAttributes;
  private readonly inputs = new Map<ServedResource, AdmissionInput>();
  private readonly authorizer: AdmissionInput['authorizer'];
  private readonly show: typeof seen;
  private readonly params: PolicyParams;

  /** @param show how an object is taken: as a copy, where what expressions make of it becomes part of the object */
  constructor(parts: PolicyParts, attributes: AdmissionAttributes, show: typeof seen) {
    this.show = show;
    this.parts = parts;
    this.attributes = attributes;
    this.authorizer = authorizerOf(parts.access, attributes);
    this.params = new PolicyParams(parts, attributes);
  }

  /**
   * Those of a binding, one for each parameter, made when they are asked for: a thousand bindings may share a thousand
   * parameters. @throws ConfigurationProblem
   */
  async invocations<P extends Policy, B extends Binding>(
    bound: BoundPolicy<P, B>,
  ): Promise<Iterable<PolicyInvocation<P, B>>> {
    const params = await this.params.of(bound.policy, bound.binding);
    return params.values().map((param) => ({ ...bound, param }));
  }

  async of(resource: ServedResource): Promise<AdmissionInput> {
    const known = this.inputs.get(resource);
    if (known) return known;
    const { attributes, authorizer } = this;
    const input = {
      object: await this.show(attributes.object, resource, attributes),
      oldObject: await this.show(attributes.oldObject, resource, attributes),
      request: requestOf(attributes, resource),
      namespaceObject: await this.namespaceObject(),
      authorizer,
    };
    this.inputs.set(resource, input);
    return input;
  }

  /** The object of the write has changed. */
  forget(): void {
    this.inputs.clear();
  }

  private async namespaceObject(): Promise<JsonObject | null> {
    const { scope } = this.attributes;
    if (!scope.resource.namespaced || scope.namespace === '') return null;
    const { namespaces } = this.parts;
    const seen = await namespaces.peek(scope.namespace);
    const found = seen ?? (await namespaces.read(scope.namespace, scope.signal));
    return found ? asJson(found) : null;
  }
}
