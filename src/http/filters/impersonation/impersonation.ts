/** User impersonation: later steps see only the impersonated user. */
import { LRUCache } from 'lru-cache';
import type { Authorizer, AuthorizerDecision } from '../../../authz/types.ts';
import { atMost } from '../../../base/at-most.ts';
import type { PassiveClock } from '../../../base/clock.ts';
import { whenReady, type MaybePromise } from '../../../base/maybe-promise.ts';
import type { NamingProfile } from '../../../meta/naming.ts';
import type { StatusError } from '../../../meta/status.ts';
import type { UserInfo } from '../../../meta/user.ts';
import type { ImpersonationMetrics } from '../../../observe/impersonation-metrics.ts';
import type { RequestContext } from '../../request-context.ts';
import { refusal } from '../authorization.ts';
import type { Step } from '../step.ts';
import type { Check } from './checks.ts';
import {
  modeNames,
  planOf,
  userOf,
  type Attempt,
  type AttributeNames,
  type ModeName,
  type Plan,
} from './modes.ts';
import { requestsImpersonation, takeWantedUser } from './wanted-user.ts';

export interface ImpersonationParts {
  readonly authorizer: Authorizer;
  readonly naming: Pick<NamingProfile, 'apiDomain' | 'labelDomain'>;
  readonly clock: Pick<PassiveClock, 'monotonic'>;
  /** Whether there are the constrained modes (gate `ConstrainedImpersonation`); their metrics. */
  readonly constrained: ImpersonationMetrics | undefined;
}

/** The last mode of so many users is remembered. */
const maxUsers = 10_000;

export function withImpersonation(parts: ImpersonationParts): Step {
  const impersonator = new Impersonator(parts);
  return function impersonation(context: RequestContext): void | Promise<void> {
    if (!requestsImpersonation(context.req)) return;
    const wanted = takeWantedUser(context.req);
    if (!wanted) return;
    const { user: requester, info } = context;
    return whenReady(impersonator.constraintOf({ wanted, requester, info }), (constraint) => {
      context.impersonator = requester;
      context.impersonationConstraint = constraint;
      context.user = userOf(wanted, constraint);
    });
  };
}

class Impersonator {
  readonly #parts: ImpersonationParts;
  readonly #names: AttributeNames;
  /** The mode that allowed the last request of a user is tried first, so that the others cost nothing. */
  readonly #lastModes = new LRUCache<string, ModeName>(atMost(maxUsers));

  constructor(parts: ImpersonationParts) {
    this.#parts = parts;
    const { apiDomain, labelDomain } = parts.naming;
    this.#names = {
      group: `authentication.${apiDomain}`,
      nodeName: `authentication.${labelDomain}/node-name`,
      associatedNodeKeys: `authentication.${labelDomain}/associated-node-keys`,
    };
  }

  /**
   * The verb of the mode that allows it; '' for the old one.
   * @throws StatusError 403 of the first mode that was tried
   */
  constraintOf(attempt: Attempt): MaybePromise<string> {
    const { constrained, clock } = this.#parts;
    if (!constrained) return this.#firstThatAllows(attempt, ['legacy']);
    const since = clock.monotonic();
    const note = (mode: string, decision: string): void =>
      constrained.attempt(mode, decision, (clock.monotonic() - since) / 1_000);
    const last = this.#lastModes.get(attempt.requester.name);
    const modes = last === undefined ? modeNames : [last, ...modeNames.filter((mode) => mode !== last)];
    try {
      const found = whenReady(this.#firstThatAllows(attempt, modes), (constraint) => {
        note(modeOf(constraint), 'allowed');
        return constraint;
      });
      return found instanceof Promise ? found.catch(denied) : found;
    } catch (error) {
      return denied(error);
    }
    function denied(error: unknown): never {
      note('', 'denied');
      throw error;
    }
  }

  #firstThatAllows(
    attempt: Attempt,
    [mode, ...others]: readonly ModeName[],
    firstRefusal?: StatusError,
  ): MaybePromise<string> {
    if (mode === undefined) throw firstRefusal ?? new Error('no mode of impersonation is for this user');
    const plan = planOf(mode, attempt, this.#names);
    if (!plan) return this.#firstThatAllows(attempt, others, firstRefusal);
    return whenReady(this.#refusalOf(plan), (refused) => {
      if (refused) return this.#firstThatAllows(attempt, others, firstRefusal ?? refused);
      if (this.#parts.constrained) this.#lastModes.set(attempt.requester.name, mode);
      return plan.constraint;
    });
  }

  /** There may be a thousand checks: only those that wait for an authorizer take a promise. */
  #refusalOf(plan: Plan, first = 0): MaybePromise<StatusError | undefined> {
    const { requester, checks } = plan;
    for (let i = first; i < checks.length;) {
      const check = checks[i];
      if (!check) break;
      const answer = this.#ask(requester, check);
      if (answer instanceof Promise)
        return answer.then(
          (decision) =>
            refusedBy(requester, check, decision) ?? this.#refusalOf(plan, next(i, check, decision)),
        );
      const refused = refusedBy(requester, check, answer);
      if (refused) return refused;
      i = next(i, check, answer);
    }
    return undefined;
  }

  #ask(user: UserInfo, { info, refusal: reason }: Check): MaybePromise<AuthorizerDecision> {
    if (reason !== undefined) return { decision: 'deny', reason };
    const { authorizer, constrained, clock } = this.#parts;
    if (!constrained) return authorizer.authorize({ user, info });
    const since = clock.monotonic();
    return whenReady(authorizer.authorize({ user, info }), (answer) => {
      const decision = answer.decision === 'allow' ? 'allowed' : 'denied';
      constrained.authorization(modeOf(info.verb), decision, (clock.monotonic() - since) / 1_000);
      return answer;
    });
  }
}

function next(i: number, { covers = 0 }: Check, { decision }: AuthorizerDecision): number {
  return i + 1 + (decision === 'allow' ? covers : 0);
}

/** An authorizer that could not decide has not allowed it. */
function refusedBy(user: UserInfo, check: Check, answer: AuthorizerDecision): StatusError | undefined {
  const { decision, reason, error } = answer;
  if (decision === 'allow' || check.covers !== undefined) return undefined;
  return refusal(user, check.info, [error ?? '', reason].filter((text) => text !== '').join(': '));
}

/** The mode that a verb belongs to. */
function modeOf(verb: string): string {
  return verb.split(':')[1] ?? 'legacy';
}
